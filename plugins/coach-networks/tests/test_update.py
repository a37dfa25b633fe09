"""The update rule through the engine of Keras's backend: by hand with plain descent, laws, and NumPy twins."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import attrs
import numpy as np
import pytest
from toy_problems import Toy, drawn, loss_of

from coach_networks.layers.parts import BatchNorm, Dropout, NoisyDense
from coach_networks.layers.parts import Dense as DenseLayer
from coachcore.acting import ActingNetwork
from coachcore.api import BadCheckpoint, Column, DataSpec, LossOut, NetworkSpec, Sample, Streams, Update

Make = Callable[..., Any]
PLAIN = {"optimizer": "sgd", "beta1": 0.0}
"""Plain descent: slot_0 is what was added to the weights, minus the rate times the gradient."""
Q = {"q": "action-values"}
SEED = 3


def values(flat: np.ndarray, s: np.ndarray) -> np.ndarray:
    """A linear network's action values ``[B, 2]``."""
    return s @ flat[:6].reshape(3, 2) + flat[6:8]


def per_call(sample: Sample) -> list[Sample]:
    return [Sample(sample.rows[i : i + 1], sample.packed[i : i + 1]) for i in range(len(sample.rows))]


def looking(name: str, seen: Callable[[Any, Any], Any]) -> Callable[[Any, Any], LossOut]:
    """The toy loss of `name`, whose priorities are what `seen(nets, batch)` gives."""

    def loss(nets: Any, batch: Any) -> LossOut:
        return loss_of(name, bootstrap=False)(nets, batch)._replace(priority=seen(nets, batch))

    return loss


def in_turn(every: int = 1) -> Toy:
    """A critic moves, then an actor whose metric ``seen`` is the critic's first mean value."""

    def loss(nets: Any, batch: Any) -> LossOut:
        out = loss_of("actor", bootstrap=False)(nets, batch)
        return out._replace(metrics={"seen": nets["critic"].online(batch.obs)["q"][:, 0]})

    specs = {"actor": NetworkSpec(slots=Q), "critic": NetworkSpec(slots=Q, acts=False)}
    return Toy(specs=specs, steps=(Update("critic", loss_of("critic", bootstrap=False)), Update("actor", loss, every)))


def test_the_second_network_sees_the_first_already_moved(learner: Make) -> None:
    made, sample = learner(in_turn(), **PLAIN), drawn(1)
    before = made.state()["weights"][8:]
    trained = made.train(sample, 0.1)
    after = made.state()["weights"][8:]
    seen = trained.metrics[made.metric_names.index("actor.seen")]
    assert seen == pytest.approx(values(after, sample.packed[0, :, :3])[:, 0].mean(), rel=1e-5)
    assert seen != pytest.approx(values(before, sample.packed[0, :, :3])[:, 0].mean(), rel=1e-2)


@pytest.mark.parametrize("executor", ["small", "twin", "conv"])
def test_a_network_moves_at_each_multiple_of_its_every(learner: Make, executor: str) -> None:
    fused, single = (learner(in_turn(3), executor=executor, **PLAIN) for _ in range(2))
    sample = drawn(7)
    moved, actor = [], single.state()["weights"][:8]
    for update, part in enumerate(per_call(sample), 1):
        trained = single.train(part, 0.1)
        assert np.isnan(trained.metrics[-1]) == bool(update % 3)
        if not np.array_equal(trained.weights, actor):
            moved.append(update)
        actor = trained.weights
    assert moved == [3, 6]
    np.testing.assert_allclose(fused.train(sample, 0.1).weights, actor, rtol=1e-5, atol=1e-6)
    assert fused.state()["updates"] == 7


@attrs.frozen(kw_only=True)
class Turned:
    """A toy agent whose loss is ``slope`` times the taken value, plus ``more``; both are knobs."""

    inner: Toy = attrs.field(factory=Toy)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def begin(self) -> Any:
        return None

    def knobs(self, state: Any, step: int) -> Mapping[str, float]:
        return {"slope": 1.0, "more": 0.0}


def test_knobs_reach_the_loss_and_may_turn_between_calls(learner: Make) -> None:
    def loss(nets: Any, batch: Any) -> LossOut:
        value = nets["main"].online(batch.obs)["q"][:, 0]
        return LossOut(batch.knobs["slope"] * value, value + batch.knobs["more"], {"slope": batch.knobs["slope"]})

    agent = Turned(inner=Toy(specs={"main": NetworkSpec(slots=Q)}, steps=(Update("main", loss),)))
    made, sample = learner(agent, **PLAIN), drawn(2)
    for slope, more in ((0.25, 8.0), (-2.0, 0.5)):
        kept = made.state()["weights"]
        trained = made.train(sample, 0.1, {"more": more, "slope": slope})
        assert trained.metrics.tolist()[1] == slope
        first = values(kept, sample.packed[0, :, :3])[:, 0]
        np.testing.assert_allclose(trained.priority[0], first + more, rtol=1e-5, atol=1e-5)
        wanted = kept[6] - 0.2 * slope  # two updates; of the bias the slope is the knob itself
        assert trained.weights[6] == pytest.approx(wanted, rel=1e-5)
        assert trained.weights[7] == kept[7]


@pytest.mark.parametrize("executor", ["small", "twin", "conv"])
@pytest.mark.parametrize("weighted", [False, True])
def test_noise_of_rows_is_a_stream_of_the_seed(learner: Make, executor: str, weighted: bool) -> None:
    steps = (Update("main", looking("main", lambda _, batch: batch.noise["b"][:, 1] + 0.0 * batch.noise["a"])),)
    agent = Toy(
        specs={"main": NetworkSpec(slots=Q)},
        steps=steps,
        given=DataSpec(noise=(Column("a"), Column("b", (2,)))),
    )
    made, stream = learner(agent, executor=executor, weighted=weighted, seed=SEED), Streams(SEED)["noise"]
    for _ in range(2):
        trained = made.train(drawn(3), 0.1)
        np.testing.assert_array_equal(trained.priority, stream.standard_normal((3, 4, 3), np.float32)[:, :, 2])


def noisy(*, every: int = 0) -> Toy:
    """A network that is called twice in a loss, whose second call's first value is the priority."""

    def second(name: str) -> Callable[[Any, Any], Any]:
        def seen(nets: Any, batch: Any) -> Any:
            nets[name].online(batch.obs)
            return nets[name].online(batch.obs)["q"][:, 0]

        return seen

    spec = NetworkSpec(slots=Q)
    steps = [Update("main", looking("main", second("main")))]
    specs = {"main": spec}
    if every:
        specs["other"] = attrs.evolve(spec, acts=False)
        out = looking("other", second("other"))
        steps.append(Update("other", lambda nets, batch: _measured(out(nets, batch)), every))
    return Toy(specs=specs, steps=tuple(steps))


def _measured(out: LossOut) -> LossOut:
    return out._replace(metrics={"second": out.priority})


def acting(made: Any) -> ActingNetwork:
    program, weights = made.acting()
    network = ActingNetwork(program)
    network.load(weights)
    return network


NOISY = (NoisyDense(units=2),)  # 3 + 2 numbers a call


@pytest.mark.parametrize("executor", ["small", "conv"])
def test_each_call_of_a_noisy_layer_draws_anew(learner: Make, executor: str) -> None:
    made = learner(noisy(), hidden=NOISY, executor=executor, seed=SEED, **PLAIN)
    stream, sample = Streams(SEED)["noise"], drawn(2)
    network = acting(made)
    calls = [network({"observation": sample.packed[0, :, :3]}, stream)["q"].copy() for _ in range(3)]
    trained = made.train(sample, 0.0)  # three calls of five numbers: of the loss and twice of what looks
    np.testing.assert_allclose(trained.priority[0], calls[2][:, 0], rtol=1e-4, atol=1e-5)
    second = [network({"observation": sample.packed[1, :, :3]}, stream)["q"].copy() for _ in range(3)]
    np.testing.assert_allclose(trained.priority[1], second[2][:, 0], rtol=1e-4, atol=1e-5)
    assert not np.allclose(calls[0], calls[2])


def test_noise_is_counted_once_and_split_between_the_steps(learner: Make) -> None:
    made = learner(noisy(every=2), hidden=NOISY, seed=SEED, **PLAIN)
    assert made._rule.noise_size == 30
    made.train(drawn(1), 0.1)
    made.train(drawn(2), 0.1)
    made.train(drawn(2, batch=4), 0.1)
    assert made._rule.noise_size == 30
    stream = Streams(SEED)["noise"]
    stream.standard_normal((5, 30), np.float32)
    again = Streams(SEED)
    again.restore(made.state()["noise"])
    assert np.array_equal(again["noise"].standard_normal(3), stream.standard_normal(3))


def test_the_second_networks_noise_follows_the_firsts(learner: Make) -> None:
    made = learner(noisy(every=1), hidden=NOISY, seed=SEED, **PLAIN)
    numbers = Streams(SEED)["noise"].standard_normal((1, 30), np.float32)[0, 25:]  # the sixth call
    sample, flat = drawn(1), made.state()["weights"][len(made.acting()[1]) :]
    trained = made.train(sample, 0.0)
    rooted = np.sign(numbers) * np.sqrt(np.abs(numbers))
    program = made.acting()[0]
    held = {w["name"]: flat[w["offset"] :][: int(np.prod(w["shape"]))].reshape(w["shape"]) for w in program["weights"]}
    layer, head = "embedder_observation/noisy_dense_0", "head_q"
    kernel = held[f"{layer}/kernel"] + held[f"{layer}/kernel_sigma"] * np.outer(rooted[:3], rooted[3:])
    bias = held[f"{layer}/bias"] + held[f"{layer}/bias_sigma"] * rooted[3:]
    between = np.maximum(sample.packed[0, :, :3] @ kernel + bias, 0.0)
    wanted = between @ held[f"{head}/kernel"] + held[f"{head}/bias"]
    seen = trained.metrics[made.metric_names.index("other.second")]
    assert seen == pytest.approx(wanted[:, 0].mean(), rel=1e-4, abs=1e-6)


def test_a_network_without_noise_draws_none(learner: Make) -> None:
    made = learner()
    kept = made.state()["noise"]
    made.train(drawn(2), 0.1)
    assert made._rule.noise_size == 0
    assert made.state()["noise"] == kept


def test_dropout_falls_in_training_only(learner: Make) -> None:
    steps = (Update("main", looking("main", lambda nets, batch: nets["main"].online(batch.obs)["q"][:, 0])),)
    agent = Toy(specs={"main": NetworkSpec(slots=Q)}, steps=steps)
    made, sample = learner(agent, hidden=(Dropout(rate=0.5),), **PLAIN), drawn(1)
    assert made._rule.noise_size == 24  # two calls of four rows of three
    still = made.forward({"observation": sample.packed[0, :, :3]})["q"]
    np.testing.assert_allclose(still, values(made.acting()[1], sample.packed[0, :, :3]), rtol=1e-5, atol=1e-6)
    assert not np.allclose(made.train(sample, 0.0).priority[0], still[:, 0])


def test_noise_goes_on_from_a_state_that_was_saved_before_any_was_drawn(learner: Make) -> None:
    first, second = learner(noisy(), hidden=NOISY, seed=1), learner(noisy(), hidden=NOISY, seed=2)
    second.restore(first.state())
    mine, theirs = first.train(drawn(2), 0.01), second.train(drawn(2), 0.01)
    assert all(np.array_equal(a, b) for a, b in zip(mine, theirs, strict=True))


@pytest.mark.parametrize("noise", [None, {"noise": {}}, {"noise": 3}, 7])
def test_a_state_whose_noise_is_damaged_is_a_bad_checkpoint(learner: Make, noise: Any) -> None:
    made = learner()
    with pytest.raises(BadCheckpoint, match="noise should say where a stream stands"):
        made.restore(made.state() | {"noise": noise})


BOTH = {"q": "action-values", "v": "state-value"}


def in_parts(nets: Any, batch: Any) -> LossOut:
    from keras import ops

    outputs = nets["main"].online(batch.obs)
    parts = {"q": ops.square(outputs["q"][:, 0] - batch.reward), "v": ops.square(outputs["v"] - batch.reward)}
    return LossOut(parts, ops.abs(batch.reward), {"far": batch.reward})


def two_heads() -> Toy:
    return Toy(specs={"main": NetworkSpec(slots=BOTH)}, steps=(Update("main", in_parts),))


def test_a_loss_in_parts_is_their_weighted_sum(learner: Make) -> None:
    made = learner(two_heads(), network={"loss_weights": {"v": 0.5}}, **PLAIN)
    assert made.metric_names == ("loss", "q_loss", "v_loss", "far")
    sample = drawn(1)
    s, r = sample.packed[0, :, :3], sample.packed[0, :, 4]
    flat = made.acting()[1]  # head q: kernel [3, 2], bias [2]; head v: kernel [3, 1], bias [1]
    q, v = np.mean((values(flat, s)[:, 0] - r) ** 2), np.mean((s @ flat[8:11] + flat[11] - r) ** 2)
    metrics = made.train(sample, 0.1).metrics
    np.testing.assert_allclose(metrics, [q + 0.5 * v, q, v, r.mean()], rtol=1e-5)


def test_a_loss_weight_scales_its_heads_gradient(learner: Make) -> None:
    moved = [
        learner(two_heads(), network={"loss_weights": weights}, **PLAIN) for weights in ({}, {"v": 0.25}, {"q": 0.0})
    ]
    for made in moved:
        made.train(drawn(1), 0.1)
    plain, quarter, none = (made.state()["slot_0"] for made in moved)
    np.testing.assert_allclose(quarter, np.where(np.arange(12) < 8, plain, 0.25 * plain), rtol=1e-5)
    assert not none[:8].any()
    np.testing.assert_allclose(none[8:], plain[8:], rtol=1e-5)


def test_a_gradient_scale_changes_what_flows_into_the_torso_and_nothing_else(learner: Make) -> None:
    hidden = (DenseLayer(units=4, activation="tanh"),)
    plain, scaled = (
        learner(two_heads(), hidden=hidden, network={"gradient_scales": scales}, **PLAIN)
        for scales in ({}, {"q": 0.25, "v": 0.25})
    )
    obs = {"observation": drawn(1).packed[0, :, :3]}
    for slot, value in plain.forward(obs).items():
        assert np.array_equal(scaled.forward(obs)[slot], value)
    for made in (plain, scaled):
        made.train(drawn(1), 0.1)
    one, other = plain.state()["slot_0"], scaled.state()["slot_0"]
    np.testing.assert_allclose(other[:16], 0.25 * one[:16], rtol=1e-6)  # 3 x 4 kernel and 4 biases
    np.testing.assert_allclose(other[16:], one[16:], rtol=1e-6)
    assert one[:16].all()


def test_gradient_scales_are_of_a_head_each(learner: Make) -> None:
    hidden, found = (DenseLayer(units=4, activation="tanh"),), {}
    for name, weights, scales in (
        ("q", {"v": 0.0}, {}),
        ("v", {"q": 0.0}, {}),
        ("scaled", {}, {"q": 0.0, "v": 2.0}),
    ):
        made = learner(
            two_heads(), hidden=hidden, network={"loss_weights": weights, "gradient_scales": scales}, **PLAIN
        )
        made.train(drawn(1), 0.1)
        found[name] = made.state()["slot_0"][:16]
    np.testing.assert_allclose(found["scaled"], 2.0 * found["v"], rtol=1e-5, atol=1e-7)
    assert found["q"].any()


def test_l2_shrinks_kernels_and_no_bias(learner: Make) -> None:
    def nothing(nets: Any, batch: Any) -> LossOut:
        return LossOut(0.0 * nets["main"].online(batch.obs)["q"][:, 0], batch.reward, {})

    agent = Toy(specs={"main": NetworkSpec(slots=Q)}, steps=(Update("main", nothing),))
    made = learner(agent, network={"l2": 0.5}, **PLAIN)
    made.restore(made.state() | {"weights": np.arange(1.0, 9.0, dtype=np.float32)})
    trained = made.train(drawn(1), 0.25)
    np.testing.assert_allclose(trained.weights, [*(0.875 * np.arange(1.0, 7.0)), 7.0, 8.0], rtol=1e-6)
    assert trained.metrics[0] == 0.0  # what is reported is the agent's loss


def test_a_learning_rate_factor_is_a_networks_own(learner: Make) -> None:
    plain, faster = (learner(network={"learning_rate_factor": factor}, **PLAIN) for factor in (1.0, 4.0))
    for made in (plain, faster):
        made.train(drawn(1), 0.125)
    np.testing.assert_allclose(faster.state()["slot_0"], 4.0 * plain.state()["slot_0"], rtol=1e-6)


def tempered(every: int = 1) -> Toy:
    """Beside the toy network a free number x, moved down the slope of 3 x + y x with y = 0."""

    def loss(nets: Any, batch: Any) -> LossOut:
        from keras import ops

        free = nets["temperature"].online({})
        return LossOut((3.0 * free["x"] + 0.0 * free["y"]) * ops.ones_like(batch.reward), batch.reward, free)

    specs = {
        "main": NetworkSpec(slots=Q),
        "temperature": NetworkSpec(free={"x": 0.5, "y": -1.0}, acts=False),
    }
    first = Update("main", loss_of("main", bootstrap=False))
    return Toy(specs=specs, steps=(first, Update("temperature", loss, every)))


@pytest.mark.parametrize("executor", ["small", "twin", "conv"])
def test_free_numbers_move_down_their_slope(learner: Make, executor: str) -> None:
    made = learner(tempered(), executor=executor, **PLAIN)
    assert made.state()["weights"][8:].tolist() == [0.5, -1.0]
    metrics = made.train(drawn(2), 0.1).metrics
    np.testing.assert_allclose(made.state()["weights"][8:], [-0.1, -1.0], rtol=1e-5)
    np.testing.assert_allclose(metrics[made.metric_names.index("temperature.x")], (0.5 + 0.2) / 2, rtol=1e-5)
    assert "free number: x, at first 0.5" in made.summary()


def test_one_free_number_is_a_network(learner: Make) -> None:
    def loss(nets: Any, batch: Any) -> LossOut:
        from keras import ops

        x = nets["temperature"].online({})["x"]
        return LossOut(x * x * ops.ones_like(batch.reward), batch.reward, {})

    specs = {"main": NetworkSpec(slots=Q), "temperature": NetworkSpec(free={"x": 2.0}, acts=False)}
    made = learner(
        Toy(specs=specs, steps=(Update("main", loss_of("main", bootstrap=False)), Update("temperature", loss))), **PLAIN
    )
    made.train(drawn(1), 0.25)
    assert made.state()["weights"][8:] == pytest.approx([1.0])


NORMED = (BatchNorm(momentum=0.75),)


@pytest.mark.parametrize("executor", ["small", "twin", "conv"])
@pytest.mark.parametrize("optimizer", ["adam", "sgd"])
def test_batch_norms_statistics_move_by_the_batch_and_not_by_the_optimizer(
    learner: Make, executor: str, optimizer: str
) -> None:
    agent = Toy(specs={"main": NetworkSpec(slots=Q)}, steps=(Update("main", loss_of("main", bootstrap=False)),))
    made = learner(agent, hidden=NORMED, executor=executor, optimizer=optimizer, network={"l2": 0.1})
    sample, mean, variance = drawn(3), np.zeros(3), np.ones(3)
    trained = made.train(sample, 0.01)
    for rows in sample.packed[:, :, :3]:
        mean = 0.75 * mean + 0.25 * rows.mean(axis=0)
        variance = 0.75 * variance + 0.25 * rows.var(axis=0)
    places = {
        w["name"].rpartition("/")[2]: w["offset"] for w in made.acting()[0]["weights"] if "batch_norm" in w["name"]
    }
    np.testing.assert_allclose(trained.weights[places["mean"] :][:3], mean, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(trained.weights[places["variance"] :][:3], variance, rtol=1e-4, atol=1e-6)
    state = made.state()
    for name in (name for name in state if name.startswith("slot_")):
        assert not state[name][places["mean"] :][:6].any()
        assert state[name][places["gamma"] :][:3].any()
    obs = {"observation": sample.packed[0, :, :3]}
    np.testing.assert_allclose(acting(made)(obs)["q"], made.forward(obs)["q"], rtol=1e-4, atol=1e-5)


def test_a_network_that_is_only_looked_at_keeps_its_statistics(learner: Make) -> None:
    made = learner(in_turn(2), hidden=NORMED, **PLAIN)
    start = made.state()["weights"]
    half = len(start) // 2
    made.train(drawn(1), 0.1)
    assert np.array_equal(made.state()["weights"][:half], start[:half])  # the actor's turn has not come
    assert not np.array_equal(made.state()["weights"][-6:], start[-6:])


@pytest.mark.parametrize("by", ["global-norm", "norm", "value"])
def test_gradients_are_held_as_the_settings_say(learner: Make, by: str) -> None:
    agent = Toy(specs={"main": NetworkSpec(slots=Q)}, steps=(Update("main", loss_of("main", bootstrap=False)),))
    plain, held = learner(agent, **PLAIN), learner(agent, gradient_clip=0.125, gradient_clip_by=by, **PLAIN)
    for made in (plain, held):
        trained = made.train(drawn(1), 1.0)
    g, norm = plain.state()["slot_0"], float(np.linalg.norm(plain.state()["slot_0"]))
    wanted = {
        "global-norm": g * min(1.0, 0.125 / norm),
        "norm": np.concatenate([part * min(1.0, 0.125 / np.linalg.norm(part)) for part in (g[:6], g[6:])]),
        "value": np.clip(g, -0.125, 0.125),
    }[by]
    np.testing.assert_allclose(held.state()["slot_0"], wanted, rtol=1e-5, atol=1e-7)
    assert trained.metrics[held.metric_names.index("gradient_norm")] == pytest.approx(norm, rel=1e-5)


def test_what_was_not_measured_is_nan_and_what_is_no_number_infinite(learner: Make) -> None:
    def loss(nets: Any, batch: Any) -> LossOut:
        return loss_of("main", bootstrap=False)(nets, batch)._replace(metrics={"r": batch.reward, "d": batch.discount})

    agent = Toy(specs={"main": NetworkSpec(slots=Q)}, steps=(Update("main", loss),))
    for spoiled in (np.nan, np.inf, -np.inf):
        made, sample = learner(agent, **PLAIN), drawn(2)
        sample.packed[1, 2, 4] = spoiled
        trained = made.train(sample, 0.0)
        assert np.isposinf(trained.metrics[:2]).all()
        assert trained.metrics[2] == pytest.approx(sample.packed[:, :, 5].mean())
        assert np.argwhere(np.isnan(trained.priority)).tolist() == [[1, 2]]


@pytest.mark.parametrize("share", [1.0, 0.25])
def test_targets_follow_hard_and_soft(learner: Make, share: float) -> None:
    made = learner(target_rate=share, target_every="2 updates", **PLAIN)
    target = made.state()["target"]
    assert np.array_equal(target, made.state()["weights"])
    for update in range(1, 6):
        weights = made.train(drawn(1, seed=update), 0.1).weights
        if update % 2 == 0:
            target = target + np.float32(share) * (weights - target)
        np.testing.assert_allclose(made.state()["target"], target, rtol=1e-5, atol=1e-6)


def test_bfloat16_multiplies_roughly_and_keeps_weights_whole(learner: Make) -> None:
    hidden = (DenseLayer(units=32, activation="tanh"),)
    plain, rough = (learner(hidden=hidden, precision=precision, **PLAIN) for precision in ("float32", "bfloat16"))
    assert np.array_equal(plain.acting()[1], rough.acting()[1])
    obs = {"observation": drawn(1).packed[0, :, :3]}
    one, other = plain.forward(obs)["q"], rough.forward(obs)["q"]
    assert other.dtype == np.float32
    assert not np.array_equal(one, other)
    np.testing.assert_allclose(one, other, rtol=0.05, atol=0.02)
    exact, trained = (made.train(drawn(4), 0.05) for made in (plain, rough))
    assert trained.weights.dtype == np.float32
    assert trained.metrics[0] == pytest.approx(exact.metrics[0], rel=0.05)
    np.testing.assert_allclose(trained.weights, exact.weights, rtol=0.05, atol=0.01)
    assert not np.array_equal(trained.weights, np.float32(trained.weights.view(np.uint32) & 0xFFFF0000))
