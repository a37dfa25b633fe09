"""What the shell can complete, and the scripts that ask for it."""

from __future__ import annotations

from typing import Any

import pytest

from coachcore.cli.completion import kind_names
from coachcore.cli.main import invoke


def test_the_shell_completes_parts(shop: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from coachcore.cli.completion import part_names, preset_names

    package = shop.add("acme", points={"plus": "acme:Plus", "minus": "acme:Minus"})
    assert [item.value for item in part_names(None, None, "filter/p")] == ["filter/plus"]  # type: ignore[arg-type]
    (package / "presets").mkdir()
    (package / "presets" / "pole.toml").write_text("coach = 1\n")
    (package / "coach_plugin.json").write_text('{"manifest": 1, "api": "1.0", "dist": "acme", "presets": "presets"}')
    shop.registry = None
    assert [item.value for item in preset_names(None, None, "po")] == ["pole", "po"]  # type: ignore[arg-type]


@pytest.mark.parametrize(("start", "kinds"), [("m", ["memory", "middleware"]), ("la", ["layer"]), ("x", [])])
def test_kinds_are_completed(start: str, kinds: list[str]) -> None:
    assert [item.value for item in kind_names(None, None, start)] == kinds  # type: ignore[arg-type]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["completion", shell]) == 0
    assert "_COACH_COMPLETE" in capsys.readouterr().out
