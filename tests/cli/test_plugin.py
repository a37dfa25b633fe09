"""`coach plugin`: a group of commands that coach-author fills."""

from __future__ import annotations

import pytest

from coachcore.cli.main import invoke
from coachcore.cli.plugin import AUTHOR
from coachcore.registry.discover import discover

INSTALLED = any(dist.name == "coach-author" for dist in discover())


@pytest.mark.parametrize("name", AUTHOR)
def test_each_command_is_there_or_said_to_be_elsewhere(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    code = invoke(["plugin", name, "--help"])
    said = capsys.readouterr()
    if INSTALLED:
        assert (code, said.err) == (0, "")
        assert said.out.startswith(f"Usage: coach plugin {name} ")
    else:
        assert (code, said.out) == (2, "")
        assert f"no command is called '{name}' - install coach-author\n" in said.err


def test_the_group_names_them_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["plugin", "--help"]) == 0
    assert f"With coach-author installed: {', '.join(AUTHOR)}.\n" in capsys.readouterr().out
