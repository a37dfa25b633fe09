"""The loop: it learns, it repeats itself, and going on equals never having stopped."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from coachcore.clock import Duration
from coachcore.component import component, param
from coachcore.contracts.agent import DataSpec
from coachcore.contracts.experiment import Filters
from coachcore.errors import BadData
from coachcore.layout import Column
from coachcore.running.loop import collect, train
from coachcore.running.machine import Machine
from coachcore.settings import CheckpointSettings, EvaluateSettings, LearnerSettings, ScheduleSettings
from coachcore.testing.laws import differing
from coachcore.testing.toy_learning import ToyQ
from coachcore.testing.toys import ToySigns, toy_experiment


@component("filter", "toy-running-mean", acts_on="observation")
@attrs.frozen(kw_only=True)
class RunningMean:
    """Takes the running mean away: a filter with a state."""

    def space(self, before):
        return before

    def init(self, before, count):
        return {"count": 0, "total": np.zeros(before.shape)}

    def __call__(self, state, values, rows):
        after = {"count": state["count"] + len(values), "total": state["total"] + values.sum(axis=0)}
        return after, (values - after["total"] / after["count"]).astype(np.float32)


@component("filter", "toy-gain", acts_on="reward")
@attrs.frozen(kw_only=True)
class Gain:
    """Multiplies rewards."""

    factor: float = param(doc="by this much")

    def space(self, before):
        return before

    def init(self, before, count):
        return None

    def __call__(self, state, values, rows):
        return state, values * self.factor


@component("environment", "toy-uneven")
@attrs.frozen(kw_only=True)
class Uneven:
    """Signs whose episodes are cut after 3 to 9 steps, as their seeds have it, so that none end together for long."""

    def make(self, count, *, render=False):
        return UnevenGames(ToySigns().make(count), count)


class UnevenGames:
    def __init__(self, inner, count):
        self.inner, self.count, self.spaces = inner, count, inner.spaces
        self.left = np.zeros(count, np.int64)

    def reset(self, envs, seeds):
        self.left[list(envs)] = [3 + seed % 7 for seed in seeds]
        return self.inner.reset(envs, seeds)

    def step(self, actions):
        self.left -= 1
        return self.inner.step(actions)._replace(truncated=self.left <= 0)

    def render(self):
        return None

    def close(self):
        self.inner.close()


def schedule(**changes):
    given = {"heatup": "50 steps", "train": "600 steps", "report_every": "100 steps"}
    given["evaluate"] = EvaluateSettings(every="200 steps", episodes=3)
    return ScheduleSettings(**(given | changes))


def events(experiment):
    machine = Machine(experiment)
    return machine, [event for event in train(machine) if event.kind != "pause"]


def kinds(found, kind):
    return [event for event in found if event.kind == kind]


def test_it_learns_to_answer_signs():
    _, found = events(toy_experiment(schedule=schedule(train="1_500 steps")))
    first, *_, last = kinds(found, "evaluation")
    assert last.data["mean"] == 10.0  # every one of ten signs answered rightly
    assert first.data["episodes"] == 3
    assert found[-1] == ("run-end", 1500, 150, 1450, {"reason": "finished", "best": 10.0})


def test_equal_seeds_give_equal_runs_and_others_do_not():
    one, two = events(toy_experiment()), events(toy_experiment())
    assert one[1] == two[1]
    assert differing(one[0].state(), two[0].state()) == []
    assert events(toy_experiment(seed=2))[1] != one[1]


EXPERIMENTS = {
    "plain": {},
    "three environments": {"environments": 3},
    "n-step": {"agent": ToyQ(n_step=3), "environments": 2},
    "filters": {"filters": Filters(observation={"observation": (RunningMean(),)}, reward=(Gain(factor=0.5),))},
    "truncated": {"environment": ToySigns(length=12, limit=7), "environments": 2},
    "episodes of uneven length": {"environment": Uneven(), "environments": 3, "agent": ToyQ(n_step=2)},
    "several updates": {
        "learner": LearnerSettings(
            batch_size=8,
            learning_rate=0.1,
            train_every="7 steps",
            updates=5,
            updates_per_call=2,
            target_every="9 updates",
        )
    },
    "by episodes": {
        "learner": LearnerSettings(batch_size=8, learning_rate=0.1, train_every="2 episodes", updates=3),
        "schedule": schedule(evaluate=EvaluateSettings(every="11 episodes", episodes=2), train="40 episodes"),
        "checkpoint": CheckpointSettings(every="9 episodes"),
    },
}


@pytest.mark.parametrize("changes", EXPERIMENTS.values(), ids=EXPERIMENTS)
def test_going_on_equals_never_having_stopped(changes):
    experiment = toy_experiment(
        **({"schedule": schedule(), "checkpoint": CheckpointSettings(every="90 steps")} | changes)
    )
    machine, uninterrupted = Machine(experiment), []
    saved = []
    for event in train(machine):
        if event.kind == "pause":
            saved.append((len(uninterrupted), machine.state()))
        else:
            uninterrupted.append(event)
    assert len(saved) >= 3
    for heard, state in saved:
        again = Machine(experiment)
        again.restore(state)
        assert [event for event in train(again) if event.kind != "pause"] == uninterrupted[heard:]
        assert differing(machine.state(), again.state()) == []


def test_a_pause_asked_for_comes_soon_and_changes_nothing():
    machine, heard, pauses = Machine(toy_experiment()), [], 0
    for event in train(machine):
        if event.kind == "pause":
            pauses, machine.paused = pauses + 1, False
        else:
            heard.append(event)
            machine.paused = event.kind == "episode"
    plain_machine, plain = events(toy_experiment())
    assert heard == plain
    assert pauses > 10
    assert differing(machine.state(), plain_machine.state()) == []


def test_heatup_is_random_and_learns_nothing():
    _, found = events(toy_experiment(schedule=schedule(heatup="200 steps", train="200 steps")))
    assert {event.data["phase"] for event in kinds(found, "episode")} == {"heat-up"}
    assert {event.data["exploration"] for event in kinds(found, "episode")} == {1.0}
    assert found[-1].update == 0


def test_environments_open_their_episodes_one_by_one():
    """Slow twin: each episode is told when its seed says that it ends, whatever the others do."""
    experiment = toy_experiment(environment=Uneven(), environments=3, schedule=schedule())
    machine = Machine(experiment)
    opened, begin = [], machine.episodes.begin

    def noted(envs, seeds):
        opened.extend(zip(envs.tolist(), seeds.tolist(), strict=True))
        begin(envs, seeds)

    machine.episodes.begin = noted
    told = [
        (event.step, event.data["env"], event.data["length"]) for event in train(machine) if event.kind == "episode"
    ]
    wanted = []
    for env in range(3):
        rounds = 0
        for length in (3 + seed % 7 for opens, seed in opened if opens == env):
            rounds += length
            wanted.append((3 * rounds, env, length))
    assert len({step for step, *_ in told}) > 30
    assert told == sorted(one for one in wanted if one[0] <= 600)


def test_nothing_is_learned_before_there_is_a_transition():
    """Five steps are joined into one transition, so four turns find the memory empty."""
    machine, found = events(toy_experiment(agent=ToyQ(n_step=5), schedule=schedule(heatup="0 steps", train="20 steps")))
    assert (found[-1].step, machine.clock.updates) == (20, 16)


def test_updates_are_made_as_often_as_asked():
    learner = LearnerSettings(batch_size=4, learning_rate=0.1, train_every="10 steps", updates=3, updates_per_call=2)
    machine, found = events(toy_experiment(learner=learner, schedule=schedule(heatup="100 steps", train="300 steps")))
    assert found[-1].update == (300 - 100) // 10 * 3  # every ten steps after the heat-up
    assert machine.clock.train_calls == 2 * 20  # two updates, then the one left over


def test_the_run_stops_at_its_target():
    _, found = events(toy_experiment(schedule=schedule(train="5_000 steps", target=9.0)))
    assert found[-1].data["reason"] == "target reached"
    assert found[-1].step < 5_000
    assert kinds(found, "evaluation")[-1].data["mean"] >= 9.0


def test_evaluation_moves_no_filter_and_no_training_stream():
    filters = Filters(observation={"observation": (RunningMean(),)})
    often = toy_experiment(filters=filters, schedule=schedule(evaluate=EvaluateSettings(every="50 steps", episodes=4)))
    never = toy_experiment(
        filters=filters, schedule=schedule(evaluate=EvaluateSettings(every="100_000 steps", episodes=1))
    )
    one, two = events(often)[0].state(), events(never)[0].state()
    for part in ("learner", "memory", "filters", "episodes", "explorer", "clock"):
        assert differing(one[part], two[part]) == [], part


def test_rewards_are_counted_raw_and_learned_filtered():
    filters = Filters(reward=(Gain(factor=100.0),))
    machine, found = events(toy_experiment(filters=filters, learner=LearnerSettings(learning_rate=1e-6)))
    assert max(event.data["return"] for event in kinds(found, "episode")) <= 10.0
    assert machine.memory.state()["columns"]["reward"].max() == 100.0


def test_a_loss_that_is_no_number_ends_the_run_with_what_would_work():
    learner = LearnerSettings(batch_size=16, learning_rate=1e30)
    with pytest.warns(RuntimeWarning), pytest.raises(BadData, match=r"lower agent\.learner\.learning_rate"):
        events(toy_experiment(learner=learner))


def test_a_bad_loss_ends_the_run_at_once_whatever_is_reported():
    learner = LearnerSettings(batch_size=16, learning_rate=1e30)
    seldom = schedule(report_every="1_000_000 steps")
    with pytest.warns(RuntimeWarning), pytest.raises(BadData, match=r"the loss of q is no finite number at step \d+"):
        events(toy_experiment(learner=learner, schedule=seldom))


def test_rewards_that_add_up_to_no_number():
    filters = Filters()
    machine = Machine(toy_experiment(filters=filters))
    machine.open(np.arange(1))
    machine.episodes.returns[:] = np.inf
    with pytest.raises(BadData, match="the return overflowed, its last reward is"):
        collect(machine, 1)


def test_a_policy_may_hand_out_its_own_buffer():
    machine = Machine(toy_experiment())
    machine.open(np.arange(1))
    buffer = np.zeros(1, np.int64)
    for action in (0, 1, 1):
        buffer[:] = action
        machine.episodes.note(buffer, np.zeros(1))
    assert [played.tolist() for played in machine.episodes.played] == [[0], [1], [1]]


def test_bad_data_names_the_environment():
    with pytest.raises(BadData, match=r"^toy-signs, environment 0: the reward is nan after step 6"):
        events(toy_experiment(environment=ToySigns(nan_at=4), environments=2))


def test_reports_are_means_since_the_last_one():
    _, found = events(toy_experiment())
    reports = kinds(found, "report")
    assert [event.step for event in reports] == [100, 200, 300, 400, 500, 600]
    assert set(reports[0].data) == {"loss", "q", "learning_rate", "exploration"}
    assert reports[0].data["learning_rate"] == 0.1


def test_a_run_shorter_than_its_heatup_ends_on_time():
    _, found = events(toy_experiment(schedule=schedule(heatup="500 steps", train="120 steps")))
    assert found[-1].step == 120


def test_seconds_never_fall_due_inside():
    experiment = toy_experiment(checkpoint=CheckpointSettings(every=Duration(5, "seconds")))
    assert [event for event in train(Machine(experiment)) if event.kind == "pause"] == []


@component("exploration", "toy-diary")
@attrs.frozen(kw_only=True)
class Diary:
    """Does action 0 and notes, in `seen`, when episodes began and what schedules would be told."""

    seen: list = attrs.field(factory=list, init=False, eq=False)

    def init(self, space, count):
        return None

    def __call__(self, state, propose, space, count, moment):
        if not moment.evaluating:
            now = moment.step
            first = None if moment.first is None else moment.first.tolist()
            self.seen.append((int(now), now.episodes, now.updates, first))
        return state, np.zeros(count, np.int64)

    def level(self, state, step):
        return 0.0


def test_a_policy_is_told_where_episodes_begin_and_what_was_counted():
    machine = Machine(toy_experiment(exploration=(diary := Diary()), environment=Uneven(), environments=2))
    events = list(train(machine))
    ended = [(event.step, event.data["env"]) for event in events if event.kind == "episode"]
    heated = sum(event.data["phase"] == "heat-up" for event in events if event.kind == "episode")
    heatup = machine.clock.heatup_steps
    assert machine.clock.heatup_episodes == heated > 0
    for index, (step, episodes, _, first) in enumerate(diary.seen):
        begun = [any(place == heatup + step and env == one for place, one in ended) for env in range(2)]
        assert first == (begun if any(begun) else None)
        assert step == 2 * index
        assert episodes == sum(place <= heatup + step for place, _ in ended) - heated
    updates = [seen[2] for seen in diary.seen]
    assert updates == sorted(updates)
    assert updates[-1] > updates[0] == 0


def test_episode_beginnings_are_told_after_a_restore_too():
    machine, told = Machine(toy_experiment(environment=Uneven(), environments=2)), set()
    machine.paused = True
    for event in train(machine):
        if event.kind == "pause":
            again = Machine(machine.experiment)
            again.restore(machine.state())
            assert np.array_equal(again.first, machine.first)
            told.add(None if again.first is None else tuple(again.first.tolist()))
    assert {None, (True, False), (False, True)} <= told


@attrs.frozen(kw_only=True)
class Drawing(ToyQ):
    """A toy that wants two numbers drawn for each transition."""

    def data(self, spaces):
        return DataSpec(drawn=(Column("lot"), Column("lots", (2,))))


def test_numbers_are_drawn_once_for_each_transition_and_stored_with_it():
    def stored(agent, count):
        machine = Machine(toy_experiment(agent=agent, environments=2))
        machine.open(np.arange(2))
        collect(machine, count)
        return {name: values[: 2 * count] for name, values in machine.memory.state()["columns"].items()}

    columns = stored(Drawing(), 25)
    numbers = np.concatenate([columns["lot"], columns["lots"].ravel()])
    assert numbers.shape == (150,)
    assert ((numbers >= 0) & (numbers < 1)).all()
    assert len(np.unique(numbers)) > 145
    assert "lot" not in stored(ToyQ(), 3)


@component("environment", "toy-failing")
@attrs.frozen(kw_only=True)
class Failing:
    """Signs whose simulator is lost at step `at` of every episode, and says so."""

    at: int = param(default=4, doc="the step")
    evaluation = ToySigns()

    def make(self, count, *, render=False):
        return FailingSimulators(ToySigns().make(count), self.at)


class FailingSimulators:
    def __init__(self, held, at):
        self.held, self.at, self.told = held, at, []
        self.spaces, self.count, self.close = held.spaces, held.count, held.close
        self.reset, self.shown = held.reset, None

    def step(self, actions):
        after = self.held.step(actions)
        gone = self.held._done >= self.at
        self.told += [{"env": env, "cause": "made up", "lost": True} for env in np.flatnonzero(gone).tolist()]
        return after._replace(truncated=gone, lost=gone if gone.any() else None)

    def news(self):
        told, self.told = self.told, []
        return told


@pytest.mark.parametrize("n_step", [1, 3])
def test_lost_episodes_are_marked_and_what_was_lost_is_not_learned(n_step):
    _, found = events(toy_experiment(environment=Failing(), environments=2, agent=ToyQ(n_step=n_step)))
    episodes = [event.data for event in found if event.kind == "episode"]
    assert {(one["length"], one["lost"]) for one in episodes} == {(3, True)}
    simulators = [event.data for event in found if event.kind == "simulator"]
    assert len(simulators) == len(episodes)
    assert simulators[0] == {"env": 0, "cause": "made up", "lost": True}


def test_policies_are_tried_out_on_the_part_that_is_for_that():
    _, found = events(toy_experiment(environment=Failing()))
    assert {event.data["length"] for event in found if event.kind == "evaluation"} == {10.0}


def test_what_an_evaluation_tells_of_its_simulators_becomes_events_too(monkeypatch):
    monkeypatch.setattr(Failing, "evaluation", Failing(at=6))
    told = [event.kind for event in events(toy_experiment(environment=Failing(at=11)))[1]]
    assert told.count("simulator") == 5 * told.count("evaluation") > 0
    assert told[told.index("evaluation") - 1] == "simulator"
