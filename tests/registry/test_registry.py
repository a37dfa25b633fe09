"""Names, clashes, loading and registering at run time."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import attrs
import pytest

from coachcore.api import component, hookimpl, param
from coachcore.deprecated import CoachWarning, warn_once
from coachcore.errors import BrokenPlugin, CoachError, UnknownName
from coachcore.registry.registry import Registry, current, hooks, register, unregister
from coachcore.specs import API
from coachcore.testing.made_up import FILTER

Make, Read = Callable[..., Path], Callable[[], Registry]
PLUS = FILTER.format(name="plus", alias="PlusFilter", cls="Plus")


@component("schedule", "steady", aliases=("Steady",))
@attrs.frozen(kw_only=True)
class Steady:
    """Always the same."""

    value: float = param(doc="what it always is")


class Notebook:
    """A plugin as a notebook writes it."""

    @hookimpl
    def coach_schedules(self) -> list[object]:
        return [Steady]


@pytest.fixture
def importable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """This test's distributions can be imported, and are forgotten afterwards."""
    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name.partition(".")[0] in ("acme", "other"):
            del sys.modules[name]


def two(make: Make) -> None:
    make("acme", points={"plus": "acme:Plus"}, code=PLUS)
    make("other", points={"plus": "other:Plus"}, code=PLUS)


@pytest.mark.parametrize("name", ["plus", "PlusFilter", "acme:plus", "acme/filter:plus", "acme:PlusFilter"])
def test_a_part_answers_to_name_alias_and_full_id(make: Make, read: Read, name: str) -> None:
    part = {"kind": "filter", "name": "plus", "object": "acme:Plus", "aliases": ["PlusFilter"]}
    manifest = json.dumps({"manifest": 1, "api": "1.0", "dist": "acme", "components": [part]})
    make("acme", points={"plus": "acme:Plus"}, manifest=manifest)
    assert read().resolve("filter", name).id == "acme/filter:plus"


@pytest.mark.parametrize(
    ("kind", "name", "said"),
    [
        ("filter", "plsu", "no filter is called 'plsu' - did you mean 'plus'? known: plus"),
        ("filter", "PLUS", "no filter is called 'PLUS' - known: plus"),
        ("memory", "plus", "no memory is called 'plus' - none is installed"),
        ("filter", "gone:plus", "no filter is called 'gone:plus' - none is installed"),
        ("filter", "acme/memory:plus", "'acme/memory:plus' is a memory, wanted is a filter"),
        ("filtre", "plus", "there is no kind of part called 'filtre' - did you mean 'filter'?"),
    ],
)
def test_an_unknown_name_says_what_would_work(make: Make, read: Read, kind: str, name: str, said: str) -> None:
    make("acme", points={"plus": "acme:Plus"})
    with pytest.raises(UnknownName) as caught:
        read().resolve(kind, name)
    assert str(caught.value).startswith(said)


@pytest.mark.usefixtures("importable")
def test_nobody_wins_a_clash(make: Make, read: Read) -> None:
    two(make)
    registry = read()
    assert [(entry.id, entry.state) for entry in registry.entries()] == [
        ("acme/filter:plus", "clash"),
        ("other/filter:plus", "clash"),
    ]
    assert (
        registry.entries()[0].problem == "the name is also other/filter:plus - use the full id, or prefer or block one"
    )
    with pytest.raises(UnknownName) as caught:
        registry.resolve("filter", "plus")
    assert str(caught.value) == (
        "filter 'plus' is offered twice - write 'acme/filter:plus' or 'other/filter:plus', or prefer or block one"
    )
    assert registry.load("filter", "other:plus").__module__ == "other"


@pytest.mark.usefixtures("importable")
def test_loading_imports_the_class_once(make: Make, read: Read) -> None:
    make("acme", points={"plus": "acme:Plus"}, code=PLUS)
    registry = read()
    cls = registry.load("filter", "plus")
    assert cls(amount=2.0).amount == 2.0
    assert registry.load("filter", "acme:plus") is cls


@pytest.mark.usefixtures("importable")
@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("raise RuntimeError('no\\nluck')", "could not be imported - RuntimeError: no - `coach doctor` says more"),
        ("import gone_for_good", "could not be imported - ModuleNotFoundError: No module named 'gone_for_good'"),
        ("def f(:", "could not be imported - SyntaxError: "),
        ("import sys; sys.exit(3)", "could not be imported - SystemExit: 3"),
        ("class Odd(BaseException): pass\nraise Odd", "could not be imported - Odd - "),
        ("def f(): f()\nf()", "could not be imported - RecursionError: "),
        ("x = 1", "could not be imported - AttributeError: module 'acme' has no attribute 'Plus'"),
        ("Plus = 3", "acme:Plus is not a class marked by @component"),
        ("class Plus: pass", "acme:Plus is not a class marked by @component"),
        (PLUS.replace('"plus"', '"minus"'), "acme:Plus calls itself filter 'minus' - rename one of the two"),
    ],
)
def test_whatever_a_plugin_does_at_import_is_one_line(make: Make, read: Read, code: str, said: str) -> None:
    make("acme", points={"plus": "acme:Plus"}, code=code)
    with pytest.raises(BrokenPlugin) as caught:
        read().load("filter", "plus")
    assert str(caught.value).startswith(f"acme/filter:plus: {said}")
    assert "\n" not in str(caught.value)


@pytest.mark.usefixtures("importable")
def test_ctrl_c_while_importing_is_not_the_plugins_fault(make: Make, read: Read) -> None:
    make("acme", points={"plus": "acme:Plus"}, code="raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        read().load("filter", "plus")


@pytest.mark.usefixtures("importable")
def test_prints_at_import_are_not_seen(make: Make, read: Read, capsys: pytest.CaptureFixture[str]) -> None:
    make("acme", points={"plus": "acme:Plus"}, code="import sys\nprint('hello')\nprint('oh', file=sys.stderr)\n" + PLUS)
    read().load("filter", "plus")
    assert capsys.readouterr() == ("", "")


def test_a_part_that_cannot_be_used_is_refused_with_its_reason(make: Make, read: Read) -> None:
    make("acme", points={"plus": "gone:Plus"})
    with pytest.raises(BrokenPlugin, match=r"^acme/filter:plus: cannot be used: its package 'gone' cannot be found"):
        read().load("filter", "plus")


@pytest.mark.usefixtures("importable")
def test_settings_without_a_manifest_are_asked_of_the_class_in_another_process(make: Make, read: Read) -> None:
    make("acme", points={"plus": "acme:Plus"}, code=PLUS)
    registry = read()
    (amount,) = registry.params(registry.resolve("filter", "plus"))
    assert (amount.name, amount.default, amount.ge) == ("amount", 1.0, 0)
    assert "acme" not in sys.modules
    assert registry.params(registry.resolve("filter", "plus")) == (amount,)


@pytest.mark.usefixtures("importable")
@pytest.mark.parametrize("code", ["raise OSError('disk')", "x = 1", "Plus = 1"])
def test_settings_that_cannot_be_read_say_why(make: Make, read: Read, code: str) -> None:
    make("acme", points={"plus": "acme:Plus"}, code=code)
    with pytest.raises(BrokenPlugin, match=r"^acme/filter:plus: "):
        read().params(read().resolve("filter", "plus"))


def test_a_notebook_registers_a_class(read: Read) -> None:
    registry = read()
    assert registry.register(Notebook()) == "run-time"
    (entry,) = registry.entries("schedule")
    assert (entry.id, entry.state) == ("run-time/schedule:steady", "ok")
    assert registry.load("schedule", "steady") is Steady
    assert registry.params(entry)[0].name == "value"
    registry.unregister("run-time")
    assert registry.entries() == ()


def test_a_registered_part_may_clash_like_any_other(read: Read) -> None:
    registry = read()
    assert [registry.register(Notebook()), registry.register(Notebook())] == ["run-time", "run-time-2"]
    assert {entry.state for entry in registry.entries()} == {"clash"}


def test_a_taken_name_and_an_unknown_hook_are_refused_and_leave_nothing_behind(make: Make, read: Read) -> None:
    class Mistaken(Notebook):
        @hookimpl
        def coach_filtres(self) -> list[object]:
            return []

    make("acme", points={"plus": "acme:Plus"})
    registry = read()
    for taken in ("acme", "entry-points"):
        with pytest.raises(CoachError, match=f"a plugin is called '{taken}' already"):
            registry.register(Notebook(), taken)
    with pytest.raises(BrokenPlugin, match=r"^mistaken: could not be registered - PluginValidationError"):
        registry.register(Mistaken(), "mistaken")
    twice = Notebook()
    registry.unregister(registry.register(twice))
    registry.register(twice, "once")
    with pytest.raises(BrokenPlugin, match=r"^again: could not be registered - ValueError"):
        registry.register(twice, "again")
    registry.unregister("once")
    assert [entry.id for entry in registry.entries()] == ["acme/filter:plus"]
    for absent in ("mistaken", "entry-points"):
        with pytest.raises(UnknownName, match="no plugin is registered"):
            registry.unregister(absent)


HOOKS = (
    "from coachcore.registry.hookspecs import hookimpl\n@hookimpl\ndef coach_run_start(run):\n    run.append('acme')\n"
)


@pytest.mark.usefixtures("importable")
def test_hook_modules_are_imported_when_hooks_are_wanted_each_in_isolation(make: Make, read: Read) -> None:
    make("acme", points="[coach.plugins]\nacme = acme\n", code=HOOKS)
    make("other", points="[coach.plugins]\nother = other\n", code="raise RuntimeError('no')")
    registry = read()
    assert registry.entries() == ()
    assert "acme" not in sys.modules
    started: list[str] = []
    registry.hooks().coach_run_start(run=started)
    registry.hooks().coach_run_start(run=started)
    assert started == ["acme", "acme"]
    assert [(t.dist, t.text) for t in registry.troubles()] == [
        ("other", "could not be imported - RuntimeError: no - `coach doctor` says more")
    ]


@pytest.mark.usefixtures("importable")
def test_hooks_of_a_distribution_can_be_left_out(make: Make, read: Read) -> None:
    make("acme", points="[coach.plugins]\nacme = acme\n", code=HOOKS)
    started: list[str] = []
    read().hooks(without={"acme"}).coach_run_start(run=started)
    assert started == []


def test_the_registry_of_this_process_is_read_once_and_takes_plugins() -> None:
    before = current().entries("schedule")
    name = register(Notebook(), "test of the registry")
    try:
        assert current().resolve("schedule", f"{name}:steady").dist == name
    finally:
        unregister(name)
    assert current().entries("schedule") == before
    assert current() is current()


def test_the_relay_of_this_process_is_that_of_its_registry() -> None:
    assert hooks() is current().hooks()


def versioned(make: Make, minor: int, major: int = 0) -> None:
    part = {"kind": "filter", "name": "plus", "object": "acme:Plus", "later": "unknown"} if minor > 0 else {}
    part = part or {"kind": "filter", "name": "plus", "object": "acme:Plus"}
    api = f"{API[0] + major}.{API[1] + minor}"
    manifest = json.dumps({"manifest": 1, "api": api, "dist": "acme", "components": [part]})
    make("acme", points={"plus": "acme:Plus"}, code=PLUS, manifest=manifest)


@pytest.mark.usefixtures("importable")
def test_a_plugin_of_our_api_is_used_without_a_word(make: Make, read: Read) -> None:
    versioned(make, 0)
    assert read().load("filter", "plus").__module__ == "acme"


@pytest.mark.usefixtures("importable")
def test_a_plugin_of_an_older_minor_api_is_used_without_a_word(
    make: Make, read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    versioned(make, 0)
    monkeypatch.setattr(import_module("coachcore.registry.entry"), "API", (API[0], API[1] + 3))
    registry = read()
    assert (registry.entries()[0].state, registry.entries()[0].problem) == ("ok", "")
    assert registry.load("filter", "plus").__module__ == "acme"


@pytest.mark.usefixtures("importable")
def test_a_plugin_of_a_newer_minor_api_is_used_with_one_warning(make: Make, read: Read) -> None:
    versioned(make, 1)
    warn_once.cache_clear()
    registry = read()
    with pytest.warns(CoachWarning) as told:
        loaded = [registry.load("filter", "plus") for _ in range(3)]
    assert {cls.__module__ for cls in loaded} == {"acme"}
    ours, theirs = f"{API[0]}.{API[1]}", f"{API[0]}.{API[1] + 1}"
    said = f"acme: made for Coach API {theirs}, this core has {ours} - a newer coachcore may be needed"
    assert [str(one.message) for one in told] == [said]


@pytest.mark.parametrize(("major", "state"), [(1, "too-new"), (-1, "too-old")])
def test_a_plugin_of_another_major_api_is_listed_and_refused(make: Make, read: Read, major: int, state: str) -> None:
    versioned(make, 0, major)
    registry = read()
    (entry,) = registry.entries()
    assert (entry.id, entry.state) == ("acme/filter:plus", state)
    with pytest.raises(BrokenPlugin, match=r"^acme/filter:plus: cannot be used: made for Coach API .* go together$"):
        registry.load("filter", "plus")
