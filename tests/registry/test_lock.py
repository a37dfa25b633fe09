"""What a run was made with, and who listens to it."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from coachcore.component import ComponentSpec
from coachcore.errors import BrokenPlugin
from coachcore.registry.hookspecs import hookimpl
from coachcore.registry.lock import listeners, locked, packages
from coachcore.registry.registry import Registry

PARTS = '{"kind": "filter", "name": "plus", "object": "acme:Plus"}'
MANIFEST = f'{{"manifest": 1, "api": "1.0", "dist": "acme", "components": [{PARTS}]}}\n'


def test_every_distribution_with_its_version_and_the_hash_of_its_manifest(
    make: Callable[..., Path], read: Callable[[], Registry], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    make("acme", points={"plus": "acme:Plus", "minus": "acme:Minus"}, manifest=MANIFEST, version="1.2")
    make("bare", points={"times": "bare:Times"}, code="raise SystemExit('never imported')")
    make("gone", points={"over": "missing_package:Over"})
    registry = read()
    assert locked(registry) == {
        "acme": {"version": "1.2", "manifest": sha256(MANIFEST.encode()).hexdigest()},
        "bare": {"version": "1.0", "manifest": ""},
        "gone": {"version": "1.0", "manifest": ""},
    }


def test_a_changed_manifest_changes_the_lock(
    make: Callable[..., Path], read: Callable[[], Registry], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    package = make("acme", points={"plus": "acme:Plus"}, manifest=MANIFEST)
    before = locked(read())
    (package / "coach_plugin.json").write_text(MANIFEST.replace("\n", " "))
    assert locked(read())["acme"]["manifest"] != before["acme"]["manifest"]


def test_a_module_of_one_file_has_no_manifest(
    read: Callable[[], Registry], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "single_file_part.py").write_text("")
    registry = read()
    spec = ComponentSpec("filter", "single", "single_file_part:Single")
    registry.register(SimpleNamespace(coach_filters=hookimpl(lambda: (spec,))), "notebook")
    assert locked(registry) == {"notebook": {"version": "", "manifest": ""}}


def test_nothing_installed() -> None:
    assert locked(Registry(paths=[])) == {}


def test_packages_that_the_core_requires() -> None:
    assert packages(["coachcore"]) == {name: version(name) for name in ("attrs", "click", "numpy", "pluggy")}


def test_packages_that_are_not_there_are_left_out(
    make: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    make("acme", points={})
    make("Big.Dep", points={}, version="7.5")
    with (tmp_path / "acme-1.0.dist-info" / "METADATA").open("a") as metadata:
        metadata.write("Requires-Dist: Big.Dep[all]>=7; python_version >= '3'\n")
        metadata.write("Requires-Dist: no-such-package-anywhere; extra == 'luck'\n")
    assert packages(["acme", "acme", "registered-while-running"]) == {"big.dep": "7.5"}
    assert packages([]) == {}


def listening(*functions: Callable[..., Any], **options: Any) -> Registry:
    """A registry whose plugins, `p0`, `p1` ..., hear `coach_event`."""
    registry = Registry(paths=[])
    for number, function in enumerate(functions):
        registry.register(SimpleNamespace(coach_event=hookimpl(**options)(function)), f"p{number}")
    return registry


def test_each_is_given_the_arguments_it_names() -> None:
    heard: list[Any] = []
    both = listeners(
        listening(
            lambda run, event: heard.append((run, event)),
            lambda event: heard.append([event]),
            lambda run: heard.append([run]),
            lambda: heard.append([]),
            lambda event, run: heard.append((event, run)),
        ),
        "coach_event",
    )
    for listener in both:
        listener("RUN", "EVENT")
    assert heard == [("EVENT", "RUN"), [], ["RUN"], ["EVENT"], ("RUN", "EVENT")]


def test_the_order_is_that_of_pluggy() -> None:
    heard: list[int] = []

    def ear(number: int) -> Callable[..., Any]:
        return lambda event: heard.append(number)

    registry = Registry(paths=[])
    for number, options in enumerate([{}, {"trylast": True}, {}, {"tryfirst": True}, {}]):
        registry.register(SimpleNamespace(coach_event=hookimpl(**options)(ear(number))), f"p{number}")
    for listener in listeners(registry, "coach_event"):
        listener(None, None)
    plainly, heard[:] = list(heard), []
    registry.hooks().coach_event(run=None, event=None)
    assert plainly == heard == [3, 4, 2, 0, 1]


def test_nobody_listens() -> None:
    assert listeners(Registry(paths=[]), "coach_event") == ()
    assert listeners(listening(lambda: None), "coach_run_end") == ()


@pytest.mark.parametrize("kind", ["wrapper", "hookwrapper"])
def test_wrapping_is_refused(kind: str) -> None:
    def coach_event(event: Any) -> Any:
        return (yield)

    with pytest.raises(BrokenPlugin, match=r"^p0: coach_event wraps other plugins - .* use a plain @hookimpl$"):
        listeners(listening(coach_event, **{kind: True}), "coach_event")
