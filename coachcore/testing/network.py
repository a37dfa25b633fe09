"""What every layer, embedder, middleware and head must keep true: the layers they build, called and compared."""

from __future__ import annotations

from typing import Any

import numpy as np

from coachcore.component import spec_of
from coachcore.errors import Mismatch
from coachcore.spaces import Box, Discrete, Space
from coachcore.testing.laws import require, same, same_array, settings_are_frozen
from coachcore.types import Array

KINDS = ("layer", "embedder", "middleware", "head")
OBSERVATIONS = (Box((4,)), Box((3,), -1.0, 1.0), Box((84, 84, 4), 0, 255, "uint8"), Box(()), Discrete(3))
"""Inputs that an embedder takes or refuses."""
ACTIONS = (Discrete(3), Discrete(2), Box((2,), -1.0, 1.0))
"""Action spaces that a head, or an agent, takes or refuses."""
VALUES = (Box((7,)), Box((12, 12, 3)))
"""What a layer is given: features or pictures."""
FEATURES = 7
"""F, the width of what middlewares and heads are given."""
ROWS = 5


def promised(provides: str, action: Space) -> tuple[int | None, ...] | None:
    """The shape, without the batch axis, that a head of `provides` promises; None where the core has not fixed one.

    Inside a shape, None is an axis K whose length the head's own settings decide.
    """
    shapes: dict[str, tuple[int | None, ...]] = {"state-value": (), "critics": (None,)}
    if isinstance(action, Discrete):
        n = action.n
        shapes |= {
            "action-values": (n,),
            "return-distribution": (n, None),
            "quantiles": (n, None),
            "ensemble-values": (None, n),
            "discrete-policy": (n,),
        }
    else:
        shapes |= {"gaussian-policy": (2, *action.shape), "squashed-gaussian-policy": (2, *action.shape)}
        shapes["deterministic-policy"] = action.shape
    return shapes.get(provides)


def fits(shape: tuple[int, ...], wanted: tuple[int | None, ...]) -> bool:
    """Whether `shape` is `wanted`, whose axes of None may have any length of at least 1."""
    return len(shape) == len(wanted) and all(
        n == m or (m is None and n >= 1) for n, m in zip(shape, wanted, strict=True)
    )


def spaces_of(part: Any) -> tuple[Space, ...]:
    """What the part is tried on: inputs for an embedder or a layer, actions for a head; a middleware looks at none."""
    return {"embedder": OBSERVATIONS, "layer": VALUES}.get(spec_of(part).kind, ACTIONS)


def takes(part: Any, space: Space) -> bool:
    """Whether the part builds a layer for `space`; False where it refuses with `Mismatch`."""
    try:
        _built(part, space)
    except Mismatch:
        return False
    return True


def settings_never_change(part: Any, space: Space) -> None:
    """It is an embedder, a middleware or a head, and its settings are frozen."""
    kind = spec_of(part).kind
    require(kind in KINDS, f"a part of a network is one of {', '.join(KINDS)}, got {kind}")
    settings_are_frozen(part, kind)
    if kind == "head":
        provides = spec_of(part).facts.get("provides")
        require(bool(provides) and isinstance(provides, str), "provides in @component says what a head gives")


def a_layer_has_the_promised_shape(part: Any, space: Space) -> None:
    """``[B, F]`` of a width that does not depend on the batch; a head's is what `provides` promises."""
    layer, kind = _built(part, space), spec_of(part).kind
    wanted = promised(spec_of(part).facts.get("provides", ""), space) if kind == "head" else None
    for count in (1, ROWS):
        shape = _called(layer, _inputs(part, space, count)).shape
        require(shape[:1] == (count,), f"{count} rows come out of {count} rows, got shape {shape}")
        wanted = shape[1:] if wanted is None else wanted
        listed = ", ".join("K" if n is None else str(n) for n in wanted)
        require(fits(shape[1:], wanted), f"this {kind} gives [B, {listed}], got shape {shape}")
        wanted = shape[1:]
        require(kind in ("head", "layer") or len(shape) == 2, f"this {kind} gives features [B, F], got shape {shape}")


def what_comes_out_is_finite(part: Any, space: Space) -> None:
    """Finite float32, also for inputs of 0."""
    layer, inputs = _built(part, space), _inputs(part, space, ROWS)
    for given in (inputs, np.zeros_like(inputs)):
        out = _called(layer, given)
        require(out.dtype == np.float32, f"networks compute in float32, got {out.dtype}")
        require(bool(np.isfinite(out).all()), f"what comes out is finite, got {out}")


def the_seed_alone_draws_the_weights(part: Any, space: Space) -> None:
    """The same seed gives the same weights, whatever was drawn before; another seed gives others."""
    inputs = _inputs(part, space, ROWS)
    before = np.random.get_state(legacy=False)  # noqa: NPY002 - this is what must not move
    once, again, other = (_weights(part, space, seed, inputs) for seed in (3, 3, 4))
    require(same(before, np.random.get_state(legacy=False)), "nothing is drawn from global randomness")  # noqa: NPY002
    require(same(once, again), "the same seed gives the same weights")
    drawn = spec_of(part).kind != "layer" and bool(once)  # a layer such as batch norm begins alike with every seed
    require(not drawn or not same(once, other), "another seed gives other weights")


def equal_inputs_give_equal_outputs(part: Any, space: Space) -> None:
    """A layer draws nothing and keeps nothing between calls, and does not write to what it is given."""
    layer, inputs = _built(part, space), _inputs(part, space, ROWS)
    kept = inputs.copy()
    inputs.flags.writeable = False
    try:
        once = _called(layer, inputs).copy()
        _called(layer, _inputs(part, space, ROWS + 1))
        again = _called(layer, inputs)
    except ValueError as error:
        raise AssertionError(f"a layer never writes to its input: {error}") from error
    require(same_array(kept, inputs), "a layer never writes to its input")
    require(same_array(once, again), "the same input gives the same output")


def a_batch_is_its_rows(part: Any, space: Space) -> None:
    """Examples do not mix, to 1e-5."""
    layer, inputs = _built(part, space), _inputs(part, space, ROWS)
    batch = _called(layer, inputs)
    rows = np.concatenate([_called(layer, inputs[i : i + 1]) for i in range(ROWS)])
    require(
        np.allclose(batch, rows, rtol=1e-5, atol=1e-5), "a layer gives for a batch what it gives row by row (to 1e-5)"
    )


def a_deterministic_policy_stays_from_minus_one_to_one(part: Any, space: Space) -> None:
    """Also for features far out."""
    if spec_of(part).facts.get("provides") != "deterministic-policy":
        return
    layer, inputs = _built(part, space), _inputs(part, space, ROWS)
    for given in (inputs, 1e3 * inputs):
        out = _called(layer, given)
        require(bool(np.all(np.abs(out) <= 1.0)), f"a deterministic policy gives actions in [-1, 1], got {out}")


def what_is_remembered_ends_with_the_episode(part: Any, space: Space) -> None:
    """A recurrent layer goes on from what it carries, but not where an episode begins."""
    layer, inputs = _built(part, space), _inputs(part, space, ROWS)
    size = getattr(layer, "carry", 0)
    if not size:
        return
    rng, nothing = np.random.default_rng(1), np.zeros((ROWS, size), np.float32)
    carry, flags = rng.uniform(-1.0, 1.0, (ROWS, size)).astype(np.float32), np.ones(ROWS, np.float32)

    def called(before: Array, first: Array) -> list[Array]:
        return [np.asarray(one) for one in layer(inputs, before, first)]

    for on, off in zip(called(carry, 0.0 * flags), called(nothing, 0.0 * flags), strict=True):
        require(not np.allclose(on, off, atol=1e-5), "a recurrent layer goes on from what it carries")
    for on, off in zip(called(carry, flags), called(nothing, flags), strict=True):
        require(np.allclose(on, off, atol=1e-5), "nothing is carried into an episode that begins (first = 1)")


def a_space_it_cannot_take_is_a_mismatch(part: Any, space: Space) -> None:
    """Each usual space is taken or refused with `Mismatch`."""
    if spec_of(part).kind == "middleware":
        return  # it is not shown a space
    for other in spaces_of(part):
        try:
            takes(part, other)
        except Exception as error:  # whatever else a plugin raises breaks the rule
            raise AssertionError(
                f"{other} is taken or refused with Mismatch, got {type(error).__name__}: {error}"
            ) from error


LAWS = (
    settings_never_change,
    a_layer_has_the_promised_shape,
    what_comes_out_is_finite,
    the_seed_alone_draws_the_weights,
    equal_inputs_give_equal_outputs,
    a_batch_is_its_rows,
    a_deterministic_policy_stays_from_minus_one_to_one,
    what_is_remembered_ends_with_the_episode,
    a_space_it_cannot_take_is_a_mismatch,
)


def check_network_part(part: Any, space: Space = OBSERVATIONS[0]) -> None:
    """Every law above; raises `AssertionError` with the broken rule.

    `space` is an embedder's input or a head's action space; a middleware has none.
    """
    for law in LAWS:
        law(part, space)


def check_embedder(part: Any, space: Space = OBSERVATIONS[0]) -> None:
    """Every law for an embedder of `space`."""
    check_network_part(part, space)


def check_layer(part: Any, values: Space = VALUES[0]) -> None:
    """Every law for a layer over rows of `values`."""
    check_network_part(part, values)


def check_middleware(part: Any) -> None:
    """Every law for a middleware."""
    check_network_part(part)


def check_head(part: Any, action: Space = ACTIONS[0]) -> None:
    """Every law for a head over the actions of `action`."""
    check_network_part(part, action)


def _built(part: Any, space: Space, seed: int = 3) -> Any:
    kind = spec_of(part).kind
    if kind == "middleware":
        return part.build(seed)
    return part.build(space.shape if kind == "layer" else space, seed)


def _inputs(part: Any, space: Space, count: int) -> Array:
    """`count` rows of what the layer is given: draws from the space, or features."""
    rng = np.random.default_rng(count)
    if spec_of(part).kind in ("embedder", "layer"):
        return space.sample(rng, count)
    return rng.standard_normal((count, FEATURES)).astype(np.float32)


def _called(layer: Any, inputs: Array) -> Array:
    """What comes out; of a recurrent layer that remembers nothing, the features."""
    size = getattr(layer, "carry", 0)
    if not size:
        return np.asarray(layer(inputs))
    features, carry = layer(inputs, np.zeros((len(inputs), size), np.float32), np.zeros(len(inputs), np.float32))
    require(np.shape(carry) == (len(inputs), size), f"a recurrent layer gives a carry [B, {size}]")
    return np.asarray(features)


def _weights(part: Any, space: Space, seed: int, inputs: Array) -> list[Array]:
    """The initial weights; a layer draws them when it is first called."""
    layer = _built(part, space, seed)
    _called(layer, inputs)
    return [np.asarray(weight).copy() for weight in layer.weights]


class NetworkPartConformance:
    """The laws as tests: subclass it as ``TestMine``, give `make` and the `space` it is tried on."""

    space: Space = OBSERVATIONS[0]

    def make(self) -> Any:
        """The embedder, middleware or head to test."""
        raise NotImplementedError

    def test_settings_never_change(self) -> None:
        settings_never_change(self.make(), self.space)

    def test_a_layer_has_the_promised_shape(self) -> None:
        a_layer_has_the_promised_shape(self.make(), self.space)

    def test_what_comes_out_is_finite(self) -> None:
        what_comes_out_is_finite(self.make(), self.space)

    def test_the_seed_alone_draws_the_weights(self) -> None:
        the_seed_alone_draws_the_weights(self.make(), self.space)

    def test_equal_inputs_give_equal_outputs(self) -> None:
        equal_inputs_give_equal_outputs(self.make(), self.space)

    def test_a_batch_is_its_rows(self) -> None:
        a_batch_is_its_rows(self.make(), self.space)

    def test_a_deterministic_policy_stays_from_minus_one_to_one(self) -> None:
        a_deterministic_policy_stays_from_minus_one_to_one(self.make(), self.space)

    def test_what_is_remembered_ends_with_the_episode(self) -> None:
        what_is_remembered_ends_with_the_episode(self.make(), self.space)

    def test_a_space_it_cannot_take_is_a_mismatch(self) -> None:
        a_space_it_cannot_take_is_a_mismatch(self.make(), self.space)
