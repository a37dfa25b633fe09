"""The learner against a slow twin in NumPy, and what it promises: bit-equal runs, exact restoring, honest refusals."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from toy_problems import SPACES, Toy, drawn, loss_of

from coach_networks.assembly import Network
from coachcore.acting import ActingNetwork
from coachcore.api import BadCheckpoint, BadSetting, Column, Mismatch, NetworkSpec, Sample, Update

Make = Callable[..., Any]


class SlowTwin:
    """The toy agent with a linear network, plain descent, written out in float64, row by row."""

    def __init__(self, weights: np.ndarray, *, every: int, share: float = 1.0, rate: float = 0.1, clip: float = 0.0):
        self.w, self.target = np.array(weights, np.float64), np.array(weights, np.float64)
        self.every, self.share, self.rate, self.clip, self.updates = every, share, rate, clip, 0

    @staticmethod
    def values(flat: np.ndarray, s: np.ndarray) -> list[float]:
        return [sum(s[i] * flat[2 * i + a] for i in range(3)) + flat[6 + a] for a in range(2)]

    def update(self, rows: np.ndarray, weight: np.ndarray) -> tuple[list[float], float]:
        gradient, priority, loss = np.zeros(8), [], 0.0
        for row, share in zip(rows.astype(np.float64), weight, strict=True):
            s, a = row[:3], int(row[3])
            error = self.values(self.w, s)[a] - (row[4] + row[5] * max(self.values(self.target, row[6:9])))
            priority.append(abs(error))
            loss += share * 0.5 * error * error / len(rows)
            for i in range(3):
                gradient[2 * i + a] += share * error * s[i] / len(rows)
            gradient[6 + a] += share * error / len(rows)
        if self.clip:
            gradient *= min(1.0, self.clip / np.sqrt(np.sum(gradient**2)))
        self.w -= self.rate * gradient
        self.updates += 1
        if self.updates % self.every == 0:
            self.target += self.share * (self.w - self.target)
        return priority, loss


PLAIN = {"optimizer": "sgd", "beta1": 0.0}


@pytest.mark.parametrize("executor", ["small", "twin", "conv"])
@pytest.mark.parametrize(
    ("given", "twin"),
    [
        ({}, {}),
        ({"target_rate": 0.25, "target_every": "1 updates"}, {"share": 0.25, "every": 1}),
        ({"target_rate": 0.5}, {"share": 0.5}),
        ({"gradient_clip": 0.3}, {"clip": 0.3}),
        ({"weighted": True}, {}),
    ],
)
def test_equal_to_the_slow_twin(learner: Make, executor: str, given: dict[str, Any], twin: dict[str, Any]) -> None:
    made = learner(executor=executor, **PLAIN, **given)
    slow = SlowTwin(made.acting()[1], **({"every": 3} | twin))
    for call in range(3):
        sample = drawn(4, seed=call)
        share = np.random.default_rng(call).random((4, 4)).astype(np.float32)
        if "weighted" in given:
            sample = sample._replace(weight=share)
        trained = made.train(sample, 0.1)
        rows = [
            slow.update(rows, w if "weighted" in given else np.ones(4))
            for rows, w in zip(sample.packed, share, strict=True)
        ]
        np.testing.assert_allclose(trained.priority, [priority for priority, _ in rows], rtol=1e-4, atol=1e-5)
        assert trained.metrics[0] == pytest.approx(np.mean([loss for _, loss in rows]), rel=1e-4)
        np.testing.assert_allclose(trained.weights, slow.w, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(made.state()["target"], slow.target, rtol=1e-4, atol=1e-5)
    assert made.state()["updates"] == 12


def test_a_hard_copy_is_exact_and_falls_on_every_third_update(learner: Make) -> None:
    made = learner(hidden=(8,))
    first = made.state()["target"]
    for update in range(1, 8):
        made.train(drawn(1, seed=update), 0.01)
        state = made.state()
        if update % 3 == 0:
            assert np.array_equal(state["target"], state["weights"])
            first = state["target"]
        else:
            assert np.array_equal(state["target"], first)
            assert not np.array_equal(state["target"], state["weights"])


def test_metrics_open_with_the_loss_and_are_means_over_the_call(learner: Make) -> None:
    made = learner(**PLAIN)
    assert made.metric_names == ("loss", "q")
    assert learner(gradient_clip=1.0).metric_names == ("loss", "q", "gradient_norm")
    apart = [learner(**PLAIN) for _ in range(2)][1]
    sample = drawn(3)
    together = made.train(sample, 0.1).metrics
    one_by_one = [apart.train(Sample(sample.rows[i : i + 1], sample.packed[i : i + 1]), 0.1).metrics for i in range(3)]
    np.testing.assert_allclose(together, np.mean(one_by_one, axis=0), rtol=1e-5)


def test_fused_updates_equal_single_ones(learner: Make) -> None:
    fused, single, sample = learner(hidden=(8,)), learner(hidden=(8,)), drawn(8)
    fused.train(sample, 0.01)
    for i in range(8):
        single.train(Sample(sample.rows[i : i + 1], sample.packed[i : i + 1]), 0.01)
    np.testing.assert_allclose(fused.state()["weights"], single.state()["weights"], rtol=1e-4, atol=1e-6)


def test_the_learning_rate_of_each_call_counts(learner: Make) -> None:
    made = learner(**PLAIN)
    before = made.state()["weights"]
    assert np.array_equal(made.train(drawn(1), 0.0).weights, before)
    assert not np.array_equal(made.train(drawn(1), 0.1).weights, before)


def test_what_a_call_returned_is_not_written_to_later(learner: Make) -> None:
    made = learner(hidden=(8,))
    made.train(drawn(2), 0.01)
    trained = made.train(drawn(2, seed=1), 0.01)
    kept = [np.array(part) for part in trained]
    for call in range(4):
        made.train(drawn(2, seed=call), 0.01)
    assert all(np.array_equal(a, b) for a, b in zip(trained, kept, strict=True))


def test_a_nan_reward_shows_in_the_loss(learner: Make) -> None:
    sample = drawn(2)
    sample.packed[1, 0, 4] = np.nan
    trained = learner().train(sample, 0.01)
    assert np.isinf(trained.metrics[0])
    assert np.argwhere(np.isnan(trained.priority[:1])).tolist() == []
    assert [1, 0] in np.argwhere(np.isnan(trained.priority)).tolist()


RUN = """
import sys
sys.path.insert(0, {folder!r})
from toy_problems import drawn, engine, problem
from hashlib import sha256
made = engine().make(problem(hidden=(16, 16), seed=5))
for call in range(3):
    made.train(drawn(4, seed=call), 0.01)
print(sha256(made.state()["weights"].tobytes()).hexdigest())
"""


def test_equal_runs_give_equal_bits_in_one_process_and_in_two(learner: Make) -> None:
    digests = []
    for _ in range(2):
        made = learner(hidden=(16, 16), seed=5)
        for call in range(3):
            made.train(drawn(4, seed=call), 0.01)
        digests.append(sha256(made.state()["weights"].tobytes()).hexdigest())
    code = RUN.format(folder=str(Path(__file__).parent))
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300)
    assert digests == [other.stdout.strip()] * 2


def test_another_seed_gives_other_weights(learner: Make) -> None:
    assert not np.array_equal(learner(seed=1).acting()[1], learner(seed=2).acting()[1])


def test_a_restored_learner_goes_on_bit_for_bit(learner: Make) -> None:
    first, second = learner(hidden=(8,), seed=1), learner(hidden=(8,), seed=2)
    first.train(drawn(2), 0.01)
    kept = first.state()
    second.train(drawn(2, seed=9), 0.01)
    second.restore(kept)
    for call in range(3):
        mine, theirs = first.train(drawn(2, seed=call), 0.01), second.train(drawn(2, seed=call), 0.01)
        assert all(np.array_equal(a, b) for a, b in zip(mine, theirs, strict=True))
    assert kept["updates"] == 2
    assert first.state()["updates"] == 8


@pytest.mark.parametrize(
    "change", [{"weights": np.zeros(3, np.float32)}, {"slot_0": None}, {"target": np.zeros((8, 1))}]
)
def test_a_state_that_does_not_fit_is_a_bad_checkpoint(learner: Make, change: dict[str, Any]) -> None:
    made = learner()
    before = made.state()
    with pytest.raises(BadCheckpoint, match="should be 8 numbers"):
        made.restore(before | change)
    assert np.array_equal(made.state()["weights"], before["weights"])


def test_a_state_without_its_counter_is_a_bad_checkpoint(learner: Make) -> None:
    made = learner()
    with pytest.raises(BadCheckpoint, match="whole number, got None"):
        made.restore({name: value for name, value in made.state().items() if name != "updates"})


def test_the_acting_program_equals_the_compiled_network(learner: Make) -> None:
    made = learner(hidden=(16,))
    trained = made.train(drawn(2), 0.01)
    program, weights = made.acting()
    assert np.array_equal(weights, trained.weights)
    acting = ActingNetwork(program)
    acting.load(trained.weights)
    for count in (1, 5):
        obs = {"observation": np.random.default_rng(count).standard_normal((count, 3))}
        np.testing.assert_allclose(acting(obs)["q"], made.forward(obs)["q"], rtol=1e-5, atol=1e-5)


def test_a_network_without_acting_form_acts_through_forward(learner: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Network, "program", lambda _: None)
    made = learner()
    assert made.acting()[0] == {}
    assert made.forward({"observation": np.ones((2, 3), np.float32)})["q"].shape == (2, 2)


def two_networks(every: int) -> Toy:
    spec = NetworkSpec(slots={"q": "action-values"})
    specs = {"actor": spec, "critic": NetworkSpec(slots=spec.slots, target=True, acts=False)}
    steps = (Update("critic", loss_of("critic")), Update("actor", loss_of("actor", bootstrap=False), every))
    return Toy(specs=specs, steps=steps)


@pytest.mark.parametrize("executor", ["small", "twin", "conv"])
def test_each_network_moves_when_its_turn_comes(learner: Make, executor: str) -> None:
    made = learner(two_networks(2), executor=executor, **PLAIN)
    assert made.metric_names == ("loss", "q", "actor.loss", "actor.q")
    actor, critic = slice(0, 8), slice(8, 16)
    start = made.state()["weights"]
    first = made.train(drawn(1), 0.1)
    after = made.state()["weights"]
    assert np.array_equal(after[actor], start[actor])
    assert not np.array_equal(after[critic], start[critic])
    assert np.isnan(first.metrics[2:]).all()
    assert np.isfinite(first.metrics[:2]).all()
    second = made.train(drawn(1), 0.1)
    assert not np.array_equal(second.weights, start[actor])
    assert np.array_equal(second.weights, made.state()["weights"][actor])
    assert made.state()["target"].shape == (8,)


def test_a_metric_of_every_second_update_is_a_mean_over_those(learner: Make) -> None:
    together, apart, sample = learner(two_networks(2), **PLAIN), learner(two_networks(2), **PLAIN), drawn(4)
    fused = together.train(sample, 0.1).metrics
    single = [apart.train(Sample(sample.rows[i : i + 1], sample.packed[i : i + 1]), 0.1).metrics for i in range(4)]
    np.testing.assert_allclose(fused, np.nanmean(single, axis=0), rtol=1e-5)


def test_bias_correction_counts_the_networks_own_steps(learner: Make) -> None:
    # Adam's first step has the size of the learning rate, whichever update it comes in
    made = learner(two_networks(3), epsilon=1e-12)
    start = made.state()["weights"][:8]
    made.train(drawn(3), 0.01)
    moved = np.abs(made.state()["weights"][:8] - start)
    np.testing.assert_allclose(moved, 0.01, rtol=1e-3)


def test_further_columns_reach_the_loss(learner: Make) -> None:
    seen: dict[str, Any] = {}

    def loss(nets: Any, batch: Any) -> Any:
        seen.update({name: tuple(value.shape) for name, value in batch.extras.items()})
        out = loss_of("main")(nets, batch)
        return out._replace(priority=batch.extras["noise"][:, 1])

    agent = Toy(steps=(Update("main", loss),))
    made = learner(agent, keep=(Column("noise", (2,)),))
    sample = drawn(2, width=11)
    assert np.array_equal(made.train(sample, 0.1).priority, sample.packed[:, :, 10])
    assert seen == {"noise": (4, 2)}


@pytest.mark.parametrize("executor", ["small", "conv"])
def test_bytes_travel_apart(learner: Make, executor: str) -> None:
    def loss(nets: Any, batch: Any) -> Any:
        from keras import ops

        out = loss_of("main")(nets, batch)
        return out._replace(priority=ops.sum(ops.cast(batch.extras["image"], "float32"), axis=(1, 2)))

    made = learner(Toy(steps=(Update("main", loss),)), keep=(Column("image", (2, 2), "uint8"),), executor=executor)
    image = np.random.default_rng(0).integers(0, 256, (3, 4, 2, 2), np.uint8)
    trained = made.train(drawn(3)._replace(apart={"image": image}), 0.1)
    assert np.array_equal(trained.priority, image.sum((2, 3)).astype(np.float32))


def test_it_says_how_long_compiling_took_and_what_it_is(learner: Make) -> None:
    made = learner()
    traced = made.compile_seconds
    made.train(drawn(1), 0.1)
    compiled = made.compile_seconds
    made.train(drawn(1), 0.1)
    assert 0 < traced < compiled == made.compile_seconds
    assert "head_q" in made.summary()


@pytest.mark.parametrize(
    ("agent", "given", "error", "words"),
    [
        (None, {"target_every": "100 steps"}, BadSetting, "use one of updates"),
        (None, {"target_every": "0 updates"}, BadSetting, "must be >= 1"),
        (Toy(steps=(Update("main", loss_of("main"), 2),)), {}, Mismatch, "the first one every time"),
        (Toy(steps=(Update("main", loss_of("main")),) * 2), {}, Mismatch, "network of their own"),
        (Toy(steps=(Update("other", loss_of("main")),)), {}, Mismatch, "moves network 'other'"),
        (Toy(specs={"main": NetworkSpec(slots={"q": "action-values"})}), {}, Mismatch, "set it to True"),
        (
            Toy(specs={"main": NetworkSpec(slots={"q": "action-values"}, acts=False)}),
            {},
            Mismatch,
            "exactly one network",
        ),
    ],
)
def test_parts_that_do_not_fit_are_refused(learner: Make, agent: Any, given: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        learner(agent, **given)


def test_weights_that_nobody_announced_are_refused(learner: Make) -> None:
    sample = drawn(1)._replace(weight=np.ones((1, 4), np.float32))
    with pytest.raises(Mismatch, match="weighted = False"):
        learner().train(sample, 0.1)


def test_an_executor_that_does_not_exist_is_refused(learner: Make) -> None:
    with pytest.raises(Mismatch, match="no executor 'huge'; an agent may declare small, twin, conv"):
        learner(executor="huge")


@pytest.mark.parametrize("width", [8, 10])
def test_rows_of_another_width_are_refused(learner: Make, width: int) -> None:
    with pytest.raises(Mismatch, match=r"\[K, B, 9\]"):
        learner().train(drawn(1, width=width), 0.1)


def test_the_spaces_of_these_tests_are_what_the_twin_assumes() -> None:
    assert SPACES.observation["observation"].shape == (3,)


MOVED = (
    np.arange(16, dtype=np.float32) / 8 - 1,  # weights: the actor's eight, then the critic's
    np.arange(8, dtype=np.float32) / 4,  # target, the critic's alone
    np.full(16, 0.125, np.float32),
    np.full(16, 0.25, np.float32),
)


def test_a_state_means_the_same_to_every_engine(learner: Make) -> None:
    """Plain SGD twins, row by row, from a state written by hand; who lies where is the same on every engine."""
    made = learner(two_networks(2), optimizer="sgd", beta1=0.5)
    assert {name: np.shape(value) for name, value in made.state().items() if name not in ("updates", "noise")} == {
        "weights": (16,), "target": (8,), "slot_0": (16,)
    }  # fmt: skip
    weights, target, velocity, _ = MOVED
    noise = made.state()["noise"]
    made.restore({"weights": weights, "target": target, "slot_0": velocity, "updates": 2, "noise": noise})
    sample = drawn(1)
    made.train(sample, 0.1)  # the third update: the actor's turn has not come, and targets are copied
    twin = SlowTwin(weights[8:], every=1)
    twin.target = np.array(target, np.float64)
    twin.update(sample.packed[0], np.ones(4))
    state = made.state()
    assert np.array_equal(state["weights"][:8], weights[:8])
    np.testing.assert_allclose(state["weights"][8:], twin.w + 0.5 * velocity[8:], rtol=1e-4, atol=1e-5)
    assert np.array_equal(state["target"], state["weights"][8:])
    assert np.array_equal(state["slot_0"][:8], velocity[:8])
    assert state["updates"] == 3
    assert state["noise"] == noise


def test_adams_memory_means_the_same_to_every_engine(learner: Make) -> None:
    made = learner(two_networks(3), beta1=0.5, beta2=0.75, epsilon=1e-7)
    assert set(made.state()) == {"weights", "target", "slot_0", "slot_1", "updates", "noise"}
    weights, target, m, v = MOVED
    noise = made.state()["noise"]
    made.restore({"weights": weights, "target": target, "slot_0": m, "slot_1": v, "updates": 2, "noise": noise})
    sample = drawn(1)
    sample.packed[:, :, :3] = 0.0  # no kernel has a gradient: m halves, v keeps three quarters
    made.train(sample, 0.1)
    state = made.state()
    np.testing.assert_allclose(state["slot_0"][8:14], 0.0625, rtol=1e-6)
    np.testing.assert_allclose(state["slot_1"][:6], 0.1875, rtol=1e-6)
    # the actor's first step, the critic's third: rate sqrt(1 - beta2^t) / (1 - beta1^t) m / sqrt(v)
    first, third = (0.1 * np.sqrt(1 - 0.75**t) / (1 - 0.5**t) * 0.0625 / np.sqrt(0.1875) for t in (1, 3))
    np.testing.assert_allclose(state["weights"][:6], weights[:6] - first, rtol=1e-5)
    np.testing.assert_allclose(state["weights"][8:14], weights[8:14] - third, rtol=1e-5)
