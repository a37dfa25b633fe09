"""The front door: the same from a script as from the command line, with parts registered while running."""

from __future__ import annotations

import json
import subprocess
import sys

import attrs
import pytest

import coachcore
from coachcore.component import component
from coachcore.errors import BadCheckpoint, CoachError, StopRun
from coachcore.presets.problems import PresetProblems
from coachcore.registry.hookspecs import hookimpl
from coachcore.registry.registry import current
from coachcore.testing.toy_learning import ToyEngine
from coachcore.testing.toy_plugin import ToyPlugin, toy_preset


@pytest.fixture(scope="module", autouse=True)
def toys():
    coachcore.register(ToyPlugin(), "toys")
    yield
    coachcore.unregister("toys")


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    return coachcore.run(toy_preset(), out=tmp_path_factory.mktemp("runs") / "toy")


def test_the_public_names_are_all_there():
    assert coachcore.__all__ == ["Policy", "evaluate", "load_preset", "register", "run", "train", "unregister"]
    for name in coachcore.__all__:
        assert callable(getattr(coachcore, name))
        assert getattr(coachcore, name).__doc__
    with pytest.raises(AttributeError, match="has no attribute 'fly'"):
        coachcore.fly


def test_importing_coach_imports_no_numpy():
    code = "import coachcore, sys; print(sorted({'numpy', 'attrs', 'click', 'pluggy'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_train_is_a_generator_of_events():
    events = list(coachcore.train(toy_preset()))
    assert events[0].kind == "run-start"
    assert events[-1].data["reason"] == "finished"
    assert "pause" not in {event.kind for event in events}


def test_train_can_be_left_at_any_event():
    for event in coachcore.train(toy_preset(), seed=5):
        if event.kind == "episode":
            break
    assert event.step == 10


def test_the_seed_decides():
    assert list(coachcore.train(toy_preset(), seed=7)) == list(coachcore.train(toy_preset(seed=7)))
    assert list(coachcore.train(toy_preset(), seed=7))[5:] != list(coachcore.train(toy_preset(), seed=8))[5:]


def test_a_preset_is_changed_as_plain_data():
    preset = coachcore.load_preset(toy_preset()).changed({"schedule.train": "100 steps"})
    assert list(coachcore.train(preset))[-1].step == 100
    with pytest.raises(PresetProblems, match=r"agent\.learner|batch_size"):
        preset.changed({"agent.learner.batch_size": 0})
    with pytest.raises(CoachError, match="altered with its own `changed`"):
        coachcore.load_preset(preset, sets=["seed=3"])


def test_a_run_folder_holds_what_it_takes(finished):
    files = {path.name for path in finished.folder.iterdir()}
    assert files >= {"preset.toml", "lock.json", "checkpoints"}
    lock = json.loads((finished.folder / "lock.json").read_text())
    assert lock["name"] == "preset"
    assert lock["seed"] == 1
    assert lock["distributions"]["toys"] == {"version": "", "manifest": ""}
    assert set(lock["threads"]) == {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "cores"}
    kept = coachcore.load_preset(finished.folder / "preset.toml")
    assert kept.resolved == coachcore.load_preset(toy_preset()).resolved


def test_evaluate_plays_fresh_episodes(finished):
    score = coachcore.evaluate(finished.folder, episodes=5)
    assert score.returns == (10.0,) * 5
    assert coachcore.evaluate(finished.folder, episodes=5, checkpoint="latest").lengths == (10,) * 5


def test_evaluate_shows_pictures(finished):
    pictures = []
    coachcore.evaluate(
        finished.folder, episodes=2, on_frame=lambda episode, picture: pictures.append((episode, picture))
    )
    assert [episode for episode, _ in pictures] == [0] * 10 + [1] * 10
    assert pictures[0][1].shape == (4, 4, 3)


def test_a_policy_loaded_acts(finished):
    policy = coachcore.Policy.load(finished.folder)
    assert [policy.act([sign, 0.0, 0.0]) for sign in (1.0, -1.0)] == [1, 0]
    policy.reset()
    assert policy.act([1.0, 0.0, 0.0]) == 1


def test_resume_equals_never_having_stopped(finished, tmp_path):
    from coachcore.running.checkpoint import Checkpoints
    from coachcore.testing.laws import differing

    class Stopper:
        @hookimpl
        def coach_event(self, event):
            if event.step >= 250:
                raise StopRun("enough")

    coachcore.register(Stopper(), "stopper")
    try:
        assert coachcore.run(toy_preset(), out=tmp_path / "toy").reason == "enough"
    finally:
        coachcore.unregister("stopper")
    assert coachcore.run(resume=tmp_path / "toy").reason == "finished"
    states = [Checkpoints(folder / "checkpoints").load()["machine"] for folder in (finished.folder, tmp_path / "toy")]
    assert differing(*states) == []


def test_resuming_under_the_same_preset_is_fine_and_under_another_is_not(finished):
    assert coachcore.run(toy_preset(), resume=finished.folder).reason == "finished"
    with pytest.raises(CoachError) as caught:
        coachcore.run(toy_preset(memory={"use": "toy-ring", "capacity": 70}), resume=finished.folder)
    assert "this run was started with memory.capacity = 1000, the preset given has 70" in str(caught.value)


def test_a_folder_is_never_used_twice(finished):
    with pytest.raises(CoachError, match="it already holds a run - continue it with --resume"):
        coachcore.run(toy_preset(), out=finished.folder)


def test_a_preset_that_cannot_be_built_leaves_no_folder(tmp_path):
    with pytest.raises(CoachError, match="discrete"):
        coachcore.run(toy_preset(environment={"use": "toy-signs", "actions": "box"}), out=tmp_path / "never")
    assert not (tmp_path / "never").exists()


def test_default_folders_do_not_collide(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    short = toy_preset(schedule={"heatup": "10 steps", "train": "20 steps"})
    one, two = coachcore.run(short), coachcore.run(short)
    assert one.folder != two.folder
    assert one.folder.parent.name == "runs"
    assert one.folder.name.startswith("preset-")


@pytest.mark.parametrize(
    ("damage", "text"),
    [
        (lambda folder: (folder / "preset.toml").unlink(), "it is not a run folder: there is no preset.toml in it"),
        (lambda folder: (folder / "lock.json").write_text("{"), "lock.json is missing or damaged"),
        (lambda folder: (folder / "checkpoints" / "latest").unlink(), "no checkpoint is called 'latest'"),
        (lambda folder: (folder / "checkpoints" / "latest").write_text("x"), "the pointer file is damaged"),
    ],
)
def test_a_damaged_folder_is_named(tmp_path, damage, text):
    short = toy_preset(schedule={"heatup": "10 steps", "train": "20 steps"})
    folder = coachcore.run(short, out=tmp_path / "run").folder
    damage(folder)
    with pytest.raises(BadCheckpoint) as caught:
        coachcore.run(resume=folder)
    assert text in str(caught.value)
    assert str(folder) in str(caught.value)


def test_hooks_hear_the_run_but_pluggy_is_never_called(tmp_path):
    """Implementations are collected before the run: 1,000 steps cause not one hook call."""
    heard, calls = [], []

    class Listener:
        @hookimpl
        def coach_run_start(self, run):
            heard.append(run.preset)
            undo.append(
                current()._plugins.add_hookcall_monitoring(lambda name, *_: calls.append(name), lambda *_: None)
            )

        @hookimpl
        def coach_event(self, event):
            heard.append(event.kind)

        @hookimpl
        def coach_checkpoint(self, path):
            heard.append(path.name)

        @hookimpl
        def coach_run_end(self, outcome):
            heard.append(outcome.reason)

    undo = []
    coachcore.register(Listener(), "listener")
    try:
        long = toy_preset(schedule={"heatup": "50 steps", "train": "1_000 steps"})
        coachcore.run(long, out=tmp_path / "run")
    finally:
        coachcore.unregister("listener")
        for again in undo:
            again()
    assert heard[0] == "preset"
    assert heard.count("episode") == 100
    assert heard[-1] == "finished"
    assert "step-000000001000.json" in heard
    assert calls == []


def test_a_part_registered_while_running_is_used_by_name():
    @component("filter", "toy-doubled", acts_on="reward")
    @attrs.frozen(kw_only=True)
    class Doubled:
        """Twice the reward."""

        def space(self, before):
            return before

        def init(self, before, count):
            return None

        def __call__(self, state, values, rows):
            return state, values * 2

    class Plugin:
        @hookimpl
        def coach_filters(self):
            return (Doubled,)

    coachcore.register(Plugin(), "notebook")
    try:
        events = list(coachcore.train(toy_preset(filters={"reward": [{"use": "toy-doubled"}]})))
    finally:
        coachcore.unregister("notebook")
    assert events[-1].data["reason"] == "finished"
    with pytest.raises(PresetProblems, match="toy-doubled"):
        coachcore.load_preset(toy_preset(filters={"reward": [{"use": "toy-doubled"}]}))


def test_coach_configure_hears_the_resolved_preset(tmp_path):
    heard = []

    class Listener:
        @hookimpl
        def coach_configure(self, config):
            heard.append(config["memory"]["capacity"])

    coachcore.register(Listener(), "listener")
    try:
        coachcore.run(toy_preset(schedule={"heatup": "10 steps", "train": "20 steps"}), out=tmp_path / "run")
    finally:
        coachcore.unregister("listener")
    assert heard == [1000]


def test_a_network_that_numpy_cannot_run_acts_through_its_engine(finished, tmp_path):
    class Compiled:
        """A toy learner that offers no program."""

        def __init__(self, inner):
            self.inner = inner

        def __getattr__(self, name):
            return getattr(self.inner, name)

        def acting(self):
            return {}, self.inner.acting()[1]

    @component("engine", "toy-compiled")
    @attrs.frozen(kw_only=True)
    class Engine:
        """The toy engine, whose networks only itself can run."""

        def make(self, problem):
            return Compiled(ToyEngine().make(problem))

    class Plugin:
        @hookimpl
        def coach_engines(self):
            return (Engine,)

    coachcore.register(Plugin(), "compiled")
    try:
        outcome = coachcore.run(toy_preset(engine={"use": "toy-compiled"}), out=tmp_path / "toy")
        assert coachcore.evaluate(outcome.folder, episodes=3).returns == (10.0,) * 3
        policy = coachcore.Policy.load(outcome.folder, checkpoint="latest")
    finally:
        coachcore.unregister("compiled")
    assert (outcome.reason, outcome.best) == ("finished", 10.0)
    assert [policy.act([sign, 0.0, 0.0]) for sign in (1.0, -1.0)] == [1, 0]


def test_a_resumed_run_takes_no_other_folder_or_seed(finished, tmp_path):
    with pytest.raises(CoachError, match="drop out and seed"):
        coachcore.run(resume=finished.folder, out=tmp_path)
    with pytest.raises(CoachError, match="drop out and seed"):
        coachcore.run(resume=finished.folder, seed=3)


def test_a_frozen_run_takes_preset_and_seed_from_its_folder(finished, tmp_path):
    for given in ({"preset": toy_preset()}, {"seed": 3}, {"resume": finished.folder}):
        with pytest.raises(CoachError, match="a frozen run takes preset and seed from its folder"):
            coachcore.run(**given, frozen=finished.folder)
    again = coachcore.run(frozen=finished.folder, out=tmp_path / "again")
    assert (again.steps, again.best) == (finished.steps, finished.best)
