"""How commands are found and how errors leave the command line."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import click
import pytest

from coachcore import __version__
from coachcore.cli import main as main_module
from coachcore.cli.lazy import Lazy
from coachcore.cli.main import COMMANDS, coach, invoke
from coachcore.deprecated import CoachWarning
from coachcore.errors import CoachError, Problems

CALL = """
import sys
from coachcore.cli.main import main
sys.argv[1:] = {arguments}
try:
    main()
finally:
    {then}
"""


def run(arguments: list[str], then: str = "pass", **variables: str) -> subprocess.CompletedProcess[str]:
    code = CALL.format(arguments=arguments, then=then)
    command = [sys.executable, "-c", code]
    return subprocess.run(command, env=os.environ | variables, text=True, capture_output=True, check=False)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_of_the_table_is_there_and_reads_well_in_80_columns(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert invoke([name, "--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"Usage: coach {name}")
    assert max(map(len, lines)) <= 80


def test_help_names_every_command_and_imports_none() -> None:
    then = "print('LOADED', sorted(m for m in sys.modules if m.startswith('coachcore.cli.')))"
    said = run(["--help"], then, COLUMNS="80")
    assert said.returncode == 0
    text, _, loaded = said.stdout.partition("LOADED")
    assert max(map(len, text.splitlines())) <= 80
    for name, lazy in COMMANDS.items():
        assert f"  {name} " in text
        assert lazy.help in text
    assert loaded.strip() == "['coachcore.cli.lazy', 'coachcore.cli.main']"


HEAVY = {"numpy", "tensorflow", "keras", "gymnasium", "gym", "scipy", "rich", "jax"}


@pytest.mark.parametrize(
    ("arguments", "also"),
    [
        (["list-plugins"], {"attr", "attrs"}),
        (["list-plugins", "--long"], {"attr", "attrs"}),
        (["list-plugins", "--json"], {"attr", "attrs"}),
        (["list-plugins", "--broken"], {"attr", "attrs"}),
        (["presets"], {"attr", "attrs"}),
        (["describe", "no-such-part"], set()),
        (["why", "no-such-part"], set()),
        (["--version"], {"attr", "attrs"}),
    ],
)
def test_looking_imports_no_plugin_and_nothing_heavy(arguments: list[str], also: set[str]) -> None:
    then = "from coachcore.registry.registry import current; from coachcore.registry.reader import top\n"
    then += "    print('LOADED', *{m.partition('.')[0] for m in sys.modules})\n"
    then += "    print('PLUGINS', *{top(p.value) for d in current().dists for p in d.points})"
    text = run(arguments, then).stdout
    loaded, _, plugins = text.partition("LOADED")[2].partition("PLUGINS")
    assert "coachcore" in loaded.split()
    assert set(loaded.split()) & (HEAVY | also | set(plugins.split())) == set()


def test_describing_a_part_imports_no_plugin_either() -> None:
    name = next((e for e in ("coach_value", "coach_filters") if find_spec(e)), None)
    if name is None:
        pytest.skip("no plugin is installed")
    kind = {"coach_value": "agent/dqn", "coach_filters": "filter/normalization"}[name]
    said = run(["describe", kind], "print('LOADED', *{m.partition('.')[0] for m in sys.modules})")
    assert said.stdout.startswith(kind.replace("/", " "))
    assert set(said.stdout.partition("LOADED")[2].split()) & (HEAVY | {name}) == set()


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["--version"]) == 0
    assert capsys.readouterr().out == f"coach {__version__}\n"


def test_a_misspelt_command_says_what_would_work(capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["descrbe"]) == 2
    assert "no command is called 'descrbe' - did you mean 'describe'? known: check," in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["--colour"], ["list-plugins", "--colour"], ["describe"]])
def test_wrong_usage_exits_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(arguments) == 2
    assert "Traceback" not in capsys.readouterr().err


@click.command()
def failing() -> None:
    raise FAILURES[0]


FAILURES: list[BaseException] = []


@pytest.mark.parametrize(
    ("failure", "code", "said"),
    [
        (CoachError("no such thing", where="a.toml:3:1"), 2, "coach: a.toml:3:1: no such thing\n"),
        (Problems(["a.toml:1:1: one", "a.toml:2:1: two"]), 2, "a.toml:1:1: one\na.toml:2:1: two\n"),
        (KeyboardInterrupt(), 130, "coach: stopped\n"),
        (click.Abort(), 130, "coach: stopped\n"),
        (click.ClickException("not so"), 1, "Error: not so\n"),
        (click.exceptions.Exit(7), 7, ""),
    ],
)
def test_errors_leave_in_a_line_and_with_their_code(
    failure: BaseException,
    code: int,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(import_module("coachcore.cli.main"), "failing", failing, raising=False)
    monkeypatch.setitem(coach.table, "failing", Lazy("coachcore.cli.main:failing", "Fails."))  # type: ignore[attr-defined]
    FAILURES[:] = [failure]
    assert invoke(["failing"]) == code
    assert capsys.readouterr() == ("", said)


def test_a_broken_pipe_is_quiet(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(import_module("coachcore.cli.main"), "failing", failing, raising=False)
    monkeypatch.setitem(coach.table, "failing", Lazy("coachcore.cli.main:failing", "Fails."))  # type: ignore[attr-defined]
    FAILURES[:] = [BrokenPipeError()]
    assert invoke(["failing"]) == 1
    assert capfd.readouterr() == ("", "")


def test_main_answers_the_shell(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    variables = {"_COACH_COMPLETE": "bash_complete", "COMP_WORDS": "coach li", "COMP_CWORD": "1"}
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit) as ended:
        main_module.main()
    assert ended.value.code == 0
    assert capsys.readouterr().out == "plain,list-plugins\n"


def test_a_reader_that_leaves_early_is_no_error() -> None:
    program = CALL.format(arguments=["list-plugins", "--json"], then="pass")
    command = f"{shlex.join([sys.executable, '-c', program])} | true; echo ${{PIPESTATUS[0]}}"
    said = subprocess.run(["bash", "-c", command], text=True, capture_output=True, check=False)
    assert said.stderr == ""
    assert said.stdout.strip() in ("0", "1")


def test_threads_are_set_before_anything_else_but_the_users_word_holds() -> None:
    names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
    then = f"import os; print([os.environ[name] for name in {names}])"
    bare = {name: value for name, value in os.environ.items() if name not in names} | {"OMP_NUM_THREADS": "3"}
    command = [sys.executable, "-c", CALL.format(arguments=["--version"], then=then)]
    said = subprocess.run(command, env=bare, text=True, capture_output=True, check=True)
    assert said.stdout.splitlines()[-1] == "['1', '3', '1']"


COMMAND = """
import click
from coachcore.registry.hookspecs import hookimpl

@click.command()
def greet():
    click.echo("hello")

@hookimpl
def coach_commands():
    return {"greet": greet, "odd": 3}
"""


def test_a_plugin_may_bring_a_command_and_a_broken_one_does_not_matter(shop: Any) -> None:
    shop.add("acme", points="[coach.plugins]\nacme = acme\n", code=COMMAND)
    shop.add("zorn", points="[coach.plugins]\nzorn = zorn\n", code="raise SystemExit(3)")
    assert shop("greet") == (0, "hello\n", "")
    assert shop("odd").code == 2


def complete(line: str) -> list[str]:
    words = line.split(" ")
    variables = {"_COACH_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    return [item.partition(",")[2] for item in run([], **variables).stdout.splitlines()]


def test_the_shell_completes_commands_kinds_and_files() -> None:
    assert complete("coach li") == ["list-plugins"]
    assert complete("coach list-plugins --kind mem") == ["memory"]
    assert "my-preset" in complete("coach run my-preset")


def test_main_exits_with_the_code(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["coach", "nonsense"])
    with pytest.raises(SystemExit) as ended:
        main_module.main()
    assert ended.value.code == 2
    assert "nonsense" in capsys.readouterr().err


def test_a_word_on_plugins_that_means_nothing_is_one_line(shop: Any) -> None:
    shop.add("acme", points={"plus": "acme:Plus"})
    said = shop("--block", "acmee", "list-plugins")
    assert (said.code, said.out) == (2, "")
    assert said.err == "coach: --block: nothing installed is called 'acmee' - did you mean 'acme'? known: acme\n"


def test_a_blocked_distribution_brings_no_command(shop: Any) -> None:
    shop.add("acme", points="[coach.plugins]\nacme = acme\n", code=COMMAND)
    assert shop("greet").code == 0
    shop.registry = None
    assert shop("--block", "acme", "greet").code == 2


def test_a_preferred_part_is_described(shop: Any) -> None:
    for dist in ("acme", "other"):
        part = f'{{"kind": "filter", "name": "plus", "object": "{dist}:Plus"}}'
        manifest = f'{{"manifest": 1, "api": "1.0", "dist": "{dist}", "components": [{part}]}}'
        shop.add(dist, points={"plus": f"{dist}:Plus"}, manifest=manifest)
    assert "may be acme/filter:plus or other/filter:plus - say which" in shop("describe", "plus").err
    said = shop("--prefer", "other", "describe", "plus")
    assert (said.code, said.err) == (0, "")
    assert 'use = "other/filter:plus"' in said.out


def test_a_warning_of_coach_is_one_line_and_others_are_as_ever() -> None:
    then = "import warnings; from coachcore.deprecated import warn_once\n"
    then += "    warn_once('mind the step'); warnings.warn('as ever')"
    lines = run(["--version"], then, PYTHONWARNINGS="default").stderr.splitlines()
    assert lines[0] == "note: mind the step"
    assert lines[1].endswith("UserWarning: as ever")
    assert main_module._note("mind the step", CoachWarning, "a.py", 3) == "note: mind the step\n"
    assert main_module._note("as ever", UserWarning, "a.py", 3, line="").startswith("a.py:3: UserWarning: as ever")
