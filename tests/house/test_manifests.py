"""Every manifest of the house is what its classes say; `coach plugin sync` writes them."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from coachcore.registry.reader import top

sync = pytest.importorskip("coach_author.sync", reason="coach-author, which writes manifests, is not installed here")


def test_a_manifest_equals_its_classes(project, root):
    name, _ = project
    folder = root / "plugins" / name
    packages = {top(point.value) for point in sync.declared(folder).points}
    gone = sorted(package for package in packages if find_spec(package) is None)
    if gone:
        pytest.skip(f"{name} is not installed here ({', '.join(gone)} cannot be imported)")
    behind = [str(one.path) for one in sync.sync(folder, write=False) if one.state == "out of step"]
    assert not behind, f"{name}: run `coach plugin sync plugins/{name}` - {behind}"
