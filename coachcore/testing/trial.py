"""What an agent is tried on: spaces, made-up batches, and networks that are linear functions in NumPy.

A loss written in `keras.ops` takes their outputs as well, so nothing here knows a backend.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any
from zlib import crc32

import attrs
import numpy as np

from coachcore.contracts.agent import NetworkSpec
from coachcore.errors import Mismatch
from coachcore.spaces import Box, Discrete, Space, Spaces
from coachcore.testing.network import ACTIONS, promised
from coachcore.types import Array, Batch, Nets, Pair

ATOMS = 5
"""K, the length of an axis that a head's own settings decide."""
SIZE = 6
"""B, the examples of a batch."""
_GROUPS = ("obs", "next_obs", "extras", "noise")


@attrs.frozen(kw_only=True)
class Trial:
    """What an agent is tried on.

    `shapes` are those of slots, without the batch axis, whose ``provides`` the
    core has fixed no shape for; an agent may tell them as ``shapes`` in @component.
    """

    spaces: Spaces
    shapes: Mapping[str, tuple[int, ...]] = attrs.field(factory=dict)


def trial(action: Space, **shapes: tuple[int, ...]) -> Trial:
    """Two observations and this action space; `shapes` by slot."""
    seen: dict[str, Space] = {"measurements": Box((2,), -1.0, 1.0), "observation": Box((4,))}
    return Trial(spaces=Spaces(observation=seen, action=action), shapes=shapes)


TRIALS = tuple(trial(action) for action in (*ACTIONS, Box((1,), -1.0, 1.0)))


def serves(agent: Any, tried: Trial) -> bool:
    """Whether the agent has networks for these spaces; False where it refuses with `Mismatch`."""
    try:
        agent.networks(tried.spaces)
    except Mismatch:
        return False
    return True


def example_batch(agent: Any, tried: Trial, size: int) -> Batch:
    """A made-up batch of `size` examples, read-only; every third example ends an episode.

    Rows of an agent that uses them once have advantages and returns instead of rewards and what followed.
    """
    rng, spaces, data = np.random.default_rng(size), tried.spaces, agent.data(tried.spaces)
    obs, after = (
        {name: space.sample(rng, size) for name, space in sorted(spaces.observation.items())} for _ in range(2)
    )
    action = spaces.action.sample(rng, size)
    reward, follows = _normal(rng, size), np.where(np.arange(size) % 3 == 2, 0.0, 0.9).astype(np.float32)
    noise = {column.name: _normal(rng, size, *column.shape) for column in data.noise}
    begin = getattr(agent, "begin", None)
    batch = Batch(
        obs,
        action.astype(np.int32 if action.ndim == 1 else np.float32),
        extras=_extras(agent, tried, obs, action, rng),
        noise=noise,
        knobs={} if begin is None else {name: np.float32(value) for name, value in agent.knobs(begin(), 0).items()},
    )
    return _sealed(batch if data.fresh else batch._replace(reward=reward, discount=follows, next_obs=after))


def _extras(
    agent: Any, tried: Trial, obs: Mapping[str, Array], action: Array, rng: np.random.Generator
) -> dict[str, Array]:
    """What the agent would have kept had it thought a little differently, and what it led to."""
    data, size = agent.data(tried.spaces), len(action)
    kept = {column.name: _normal(rng, size, *column.shape).astype(column.dtype) for column in data.keep}
    kept |= {column.name: rng.random((size, *column.shape), np.float32) for column in data.drawn}
    if hasattr(agent, "kept"):
        before = acting_outputs(agent, tried, {name: 0.95 * values for name, values in obs.items()})
        given = agent.kept(before, agent.propose(before), action)
        kept |= {name: np.asarray(values, kept[name].dtype) for name, values in given.items() if name in kept}
    return {**kept, "advantage": _normal(rng, size), "return": _normal(rng, size)} if data.fresh else kept


def acting_outputs(agent: Any, tried: Trial, obs: Mapping[str, Array]) -> Mapping[str, Array]:
    """What the network that chooses actions says of `obs`, by slot."""
    name = next(name for name, spec in agent.networks(tried.spaces).items() if spec.acts)
    return example_nets(agent, tried)[name].online(obs)


def _normal(rng: np.random.Generator, *shape: int) -> Array:
    return rng.standard_normal(shape).astype(np.float32)


def example_nets(agent: Any, tried: Trial, asked: set[str] | None = None) -> Nets:
    """Every network of the agent as a linear function; names of targets that are asked for go into `asked`.

    Where a network is free, its numbers stay what they are at first.
    """
    noted: set[str] = set() if asked is None else asked
    pairs = {}
    for name, spec in agent.networks(tried.spaces).items():
        if spec.free:
            online = target = partial(_free, spec.free)
        else:
            shapes = _shapes(agent, spec, tried)
            online, target = (partial(_linear, name, side, spec, shapes) for side in ("online", "target"))
        pairs[name] = Pair(partial(_asked, set(), name, online), partial(_asked, noted, name, target))
    return pairs


def _asked(
    noted: set[str],
    name: str,
    net: Callable[[Mapping[str, Any]], Mapping[str, Array]],
    inputs: Mapping[str, Any],
    only: int | None = None,
) -> Mapping[str, Array]:
    noted.add(name)
    outputs = net(inputs)
    return outputs if only is None else {slot: values[:, only : only + 1] for slot, values in outputs.items()}


def _shapes(agent: Any, spec: NetworkSpec, tried: Trial) -> dict[str, tuple[int, ...]]:
    shapes, told = {}, getattr(getattr(agent, "__coach__", None), "facts", {}).get("shapes", {})
    for slot, provides in spec.slots.items():
        shape = tried.shapes.get(slot, promised(provides, tried.spaces.action))
        if shape is None and slot in told:
            shape = tuple(_actions(tried.spaces.action) if n == "A" else int(n) for n in told[slot])
        if shape is None:
            hint = "give it in Trial.shapes, or as shapes in @component"
            raise AssertionError(f"slot '{slot}' needs {provides}, whose shape is not known: {hint}")
        shapes[slot] = tuple(ATOMS if n is None else n for n in shape)
    return shapes


def _actions(action: Space) -> int:
    """A: the number of discrete actions, or of a box's components."""
    return action.n if isinstance(action, Discrete) else int(np.prod(action.shape))


def _free(numbers: Mapping[str, float], _inputs: Mapping[str, Any]) -> dict[str, Array]:
    return {slot: np.asarray(value, np.float32) for slot, value in numbers.items()}


def _linear(
    name: str, side: str, spec: NetworkSpec, shapes: Mapping[str, tuple[int, ...]], inputs: Mapping[str, Any]
) -> dict[str, Array]:
    """Head outputs by slot: every input flattened, times weights that follow from the name."""
    given = [np.asarray(values, np.float32) for _, values in sorted(inputs.items())]
    flat = np.concatenate([values.reshape(len(values), -1) for values in given], axis=1)
    outputs = {}
    for slot, shape in shapes.items():
        rng = np.random.default_rng(crc32(f"{name} {side} {slot}".encode()))
        weights = rng.standard_normal((flat.shape[1], int(np.prod(shape)))).astype(np.float32)
        out = (flat @ weights).reshape(-1, *shape)
        outputs[slot] = _frozen(np.tanh(out) if spec.slots[slot] == "deterministic-policy" else out)
    return outputs


def _mapped(batch: Batch, change: Callable[[Array], Array]) -> Batch:
    """`change` done to every column there is."""
    changed: dict[str, Any] = {
        name: {key: change(values) for key, values in getattr(batch, name).items()} for name in _GROUPS
    }
    single = {name: getattr(batch, name) for name in ("action", "reward", "discount")}
    changed |= {name: change(values) for name, values in single.items() if values is not None}
    return batch._replace(**changed)


def rows_of(batch: Batch, rows: Array) -> Batch:
    """The examples of a batch at these places ``[M]``, read-only."""
    return _sealed(_mapped(batch, lambda values: values[rows]))


def copied(batch: Batch) -> Batch:
    """A batch of its own, which may be written to."""
    return _mapped(batch, np.copy)


def _sealed(batch: Batch) -> Batch:
    return _mapped(batch, _frozen)


def _frozen(values: Array) -> Array:
    values.flags.writeable = False
    return values


def close(one: Array, other: Array) -> bool:
    """Whether two arrays of one shape are equal but for rounding."""
    return one.shape == other.shape and bool(np.allclose(one, other, rtol=1e-4, atol=1e-5))
