"""What lies in a store after a run, in which order it came there, and what happens when it cannot."""

from __future__ import annotations

import json
import shutil
from contextlib import closing

import attrs
import numpy as np
import pytest

import coachcore
from coachcore.component import component, param
from coachcore.deprecated import CoachWarning
from coachcore.errors import BadCheckpoint
from coachcore.presets.build import build
from coachcore.registry.hookspecs import hookimpl
from coachcore.running.checkpoint import Checkpoints
from coachcore.running.machine import Machine
from coachcore.running.publish import publish
from coachcore.running.session import Session
from coachcore.testing.laws import same
from coachcore.testing.store import StoreConformance
from coachcore.testing.toy_plugin import ToyPlugin, toy_preset
from coachcore.testing.toys import toy_experiment


@component("store", "kept")
@attrs.frozen(kw_only=True)
class Kept:
    """A store in this process that notes what is done to it, and fails where it is told to."""

    files: dict = param(factory=dict, type="table", doc="name -> bytes")
    done: list = attrs.field(factory=list, init=False)
    failing: list = attrs.field(factory=list, init=False)  # calls that are still to fail

    def put(self, name, data):
        self._fails()
        self.done.append(("put", name))
        self.files[name] = data

    def get(self, name):
        if name not in self.files:
            raise BadCheckpoint("nothing was put under this name", where=name)
        return self.files[name]

    def names(self, prefix=""):
        self._fails()
        return iter(sorted(name for name in self.files if name.startswith(prefix)))

    def delete(self, name):
        self._fails()
        self.done.append(("delete", name))
        self.files.pop(name, None)

    def _fails(self):
        if self.failing and not self.failing.pop(0):
            raise ConnectionError("the bucket\nis gone")


class TestTheStoreOfTheseTests(StoreConformance):
    def make(self):
        return Kept()


def states():
    """Two checkpoints' states that share an array."""
    return [{"shared": np.arange(4), "own": np.full(3, float(n)), "step": n} for n in range(2)]


def written(store, folder):
    """What lies in the store, as files."""
    for name, data in store.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def furnished(place, name="run"):
    """A run folder, as yet without a checkpoint."""
    folder = place / "here" / name
    folder.mkdir(parents=True)
    (folder / "preset.toml").write_text("coach = 1\n")
    (folder / "lock.json").write_text("{}")
    return folder


@pytest.fixture
def run(tmp_path):
    """A run folder with a checkpoint and a best policy."""
    folder = furnished(tmp_path, "run-1")
    checkpoints = Checkpoints(folder / "checkpoints", keep_last=1)
    checkpoints.save("step-1", states()[0])
    checkpoints.save("best", {"at": 1}, pointer="best")
    return folder


def test_what_is_published_can_be_read_as_it_lies(run, tmp_path):
    store = Kept()
    publish(store, run)
    there = written(store, tmp_path / "there") / "run-1"
    assert (there / "preset.toml").read_text() == "coach = 1\n"
    assert (there / "lock.json").read_text() == "{}"
    assert same(Checkpoints(there / "checkpoints").load(), states()[0])
    assert Checkpoints(there / "checkpoints").load("best") == {"at": 1}


def test_parts_come_first_pointers_last_and_only_then_something_goes(run):
    store = Kept()
    publish(store, run)
    store.done.clear()
    Checkpoints(run / "checkpoints", keep_last=1).save("step-2", states()[1])
    publish(store, run)
    kinds = ["about" if name.count("/") == 1 else name.split("/")[2].partition("-")[0] for _, name in store.done]
    # the shared array and the best policy's manifest are there already
    assert kinds == ["about", "about", "parts", "step", "latest", "best", "parts", "step"]
    assert [what for what, _ in store.done] == ["put"] * 6 + ["delete"] * 2


def test_a_reader_finds_a_whole_checkpoint_whenever_the_writer_stops(run, tmp_path):
    """Cut off before each call in turn, what lies there is the old checkpoint or the new one."""
    found = []
    for calls in range(1, 10):  # names, 2 about, 1 part, 1 manifest, 2 pointers, 2 deletions
        store, folder = Kept(), tmp_path / f"{calls}" / "run-1"
        shutil.copytree(run, folder)
        publish(store, folder)
        Checkpoints(folder / "checkpoints", keep_last=1).save("step-2", states()[1])
        store.failing[:] = [True] * (calls - 1) + [False] + [True] * 99
        with pytest.warns(CoachWarning, match="the bucket is gone"):
            publish(store, folder)
        there = written(store, tmp_path / f"there-{calls}") / "run-1" / "checkpoints"
        found.append(Checkpoints(there).load()["step"])
        assert Checkpoints(there).load("best") == {"at": 1}
    assert found == [0, 0, 0, 0, 0, 0, 1, 1, 1]


def test_publishing_again_what_has_not_changed_writes_no_part_again(run):
    store = Kept()
    publish(store, run)
    store.done.clear()
    publish(store, run)
    assert [name.rpartition("/")[2] for _, name in store.done] == ["preset.toml", "lock.json", "latest", "best"]


def test_another_runs_names_are_left_alone(run):
    store = Kept(files={"run-10/checkpoints/latest": b"another's"})
    publish(store, run)
    assert store.files["run-10/checkpoints/latest"] == b"another's"


def test_a_run_publishes_each_checkpoint_and_ends_with_the_best(tmp_path):
    store, folder = Kept(), furnished(tmp_path)
    with closing(Machine(toy_experiment(store=store))) as machine:
        outcome = Session(machine, folder).run()
    pointed = [name for what, name in store.done if what == "put" and name == "run/checkpoints/latest"]
    assert len(pointed) == 3 == 600 // 200
    there = Checkpoints(written(store, tmp_path / "there") / "run" / "checkpoints")
    here = Checkpoints(outcome.folder / "checkpoints")
    for pointer in ("latest", "best"):
        assert same(there.load(pointer), here.load(pointer))
    manifests = [json.loads(store.files[f"run/checkpoints/{p}"])["name"] for p in ("latest", "best")]
    assert sorted(there.names()) == sorted(manifests)  # nothing older stays


def test_a_store_that_fails_is_a_warning_and_the_next_checkpoint_tries_again(tmp_path):
    store, folder = Kept(), furnished(tmp_path)
    store.failing[:] = [False]  # the first call of the first checkpoint
    with closing(Machine(toy_experiment(store=store))) as machine, pytest.warns(CoachWarning) as told:
        outcome = Session(machine, folder).run()
    assert outcome.reason == "finished"
    hope = "the run goes on, and the next checkpoint tries again"
    line = f"{folder}: could not be published in the store: the bucket is gone - {hope}"
    assert [str(one.message) for one in told] == [line]
    there = Checkpoints(written(store, tmp_path / "there") / "run" / "checkpoints")
    assert same(there.load(), Checkpoints(outcome.folder / "checkpoints").load())


def test_resuming_a_run_that_is_over_publishes_what_could_not_be(tmp_path):
    store, folder = Kept(), furnished(tmp_path)
    made = toy_experiment(store=store)
    store.failing[:] = [False] * 99
    with closing(Machine(made)) as machine, pytest.warns(CoachWarning):
        Session(machine, folder).run()
    assert store.files == {}
    store.failing.clear()
    saved = Checkpoints(folder / "checkpoints").load()
    with closing(Machine(made)) as machine:
        Session(machine, folder, saved=saved).run()
    there = Checkpoints(written(store, tmp_path / "there") / "run" / "checkpoints")
    assert same(there.load(), saved)


@pytest.fixture
def offered():
    """The toys and a store, by name."""

    class Plugin(ToyPlugin):
        @hookimpl
        def coach_stores(self):
            return (Kept,)

    coachcore.register(Plugin(), "toys")
    yield
    coachcore.unregister("toys")


def test_a_preset_names_its_store_and_what_lies_there_plays(offered, tmp_path):
    files = {}
    loaded = coachcore.load_preset(toy_preset(store={"use": "kept"}))
    store = build(loaded).store
    assert isinstance(store, Kept)
    folder = coachcore.run(loaded, out=tmp_path / "run").folder
    publish(Kept(files=files), folder)
    there = written(Kept(files=files), tmp_path / "there") / "run"
    assert coachcore.evaluate(there, episodes=3).returns == coachcore.evaluate(folder, episodes=3).returns
