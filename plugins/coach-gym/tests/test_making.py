"""Making several, and letting go of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from coach_gym.making import quiet
from coachcore.api import BadSetting

with quiet():
    gym = pytest.importorskip("gym")


def test_environments_already_made_are_closed_when_a_later_one_fails(
    made: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    real, made_so_far = gym.make, []

    def make(*given: Any, **named: Any) -> Any:
        if len(made_so_far) == 2:
            raise OSError("no more")
        made_so_far.append(real(*given, **named))
        return made_so_far[-1]

    monkeypatch.setattr(gym, "make", make)
    with pytest.raises(BadSetting, match=r"New-v0 refuses to be made \(OSError: no more\)"):
        made(3)
    assert [env.unwrapped.closed for env in made_so_far] == [1, 1]
