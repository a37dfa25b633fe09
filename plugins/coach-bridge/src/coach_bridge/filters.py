"""Input, output and pre-network filters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from coach_bridge.things import Thing, take_all
from coach_bridge.work import Work, shown


def filters(work: Work) -> dict[str, list[dict[str, Any]]]:
    """The tables [[filters...]]: observation by observation, then reward and action."""
    out: dict[str, list[dict[str, Any]]] = {}
    given = work.agent.take("input_filter")
    named = given.name if isinstance(given, Thing) else ""
    if not named or named.endswith(("AtariInputFilter", "DoomInputFilter")):
        for key, chain in ({} if work.world is None else work.world.filters).items():
            out[work.observation if key == "observation" else key] = [dict(one) for one in chain]
    if isinstance(given, Thing):
        _input(work, given, out)
    _before_network(work, out)
    actions = work.agent.take("output_filter")
    if isinstance(actions, Thing):
        out["action"] = [table for one in _listed(actions, "action") for table in _one(work, one)]
        work.discretised = any(table["use"] in _DISCRETE for table in out["action"])
    return {key: chain for key, chain in out.items() if chain}


def _before_network(work: Work, out: dict[str, list[dict[str, Any]]]) -> None:
    """What only the network saw: observations normalised are not stored so, what other filters make is."""
    source = work.agent.take("pre_network_filter")
    late: dict[str, list[dict[str, Any]]] = {}
    if isinstance(source, Thing):
        _input(work, source, late)
    for name, chain in late.items():
        for table in chain:
            late_too = name != "reward" and table["use"] == "normalization"
            out.setdefault(name, []).append({**table, "stored": False} if late_too else table)
            if not late_too:
                work.note(source.line, f"{table['use']} was done before the network only; now what it makes is stored")


def _input(work: Work, source: Thing, out: dict[str, list[dict[str, Any]]]) -> None:
    for one in _listed(source, "reward"):
        out.setdefault("reward", []).extend(_one(work, one))
    chains = source.take("observation_filters", 0, {})
    for name, chain in chains.items() if isinstance(chains, dict) else ():
        for one in chain.values() if isinstance(chain, dict) else ():
            out.setdefault(_called(work, name), []).extend(_one(work, one))
    for call in source.calls("add_observation_filter"):
        name = _called(work, call.take("observation_name", 0))
        call.take("filter_name", 1)
        chain = out.setdefault(name, [])
        place = 0 if call.take("add_as_the_first_filter", 3, default=False) else len(chain)
        chain[place:place] = _one(work, call.take("filter", 2))
    source.take("is_a_reference_filter")
    source.take("name")


def _called(work: Work, name: Any) -> str:
    return work.observation if name == "observation" else str(name)


def _listed(source: Thing, kind: str) -> Iterator[Any]:
    """The reward or action filters of a container, in order."""
    given = source.take(f"{kind}_filters", 0 if kind == "action" else 1, {})
    yield from given.values() if isinstance(given, dict) else ()
    for call in source.calls(f"add_{kind}_filter"):
        call.take(f"{kind}_filter_name", 0)
        call.take("filter_name", 0)
        yield call.take("filter", 1)


def _one(work: Work, thing: Any) -> list[dict[str, Any]]:
    """The table of one filter; nothing where it has no successor, which is said."""
    name = thing.name.removesuffix("Filter") if isinstance(thing, Thing) else ""
    if name not in _KNOWN:
        take_all(thing)
        line = thing.line if isinstance(thing, Thing) else work.agent.where("input_filter")
        work.lost(line, f"{shown(thing)}: there is no such filter - write one, or do without")
        return []
    found = _KNOWN[name](work, thing)
    return [] if found is None else [{key: value for key, value in found.items() if value is not None}]


def _finite(value: Any) -> Any:
    return None if value in (None, float("inf"), float("-inf")) else value


def _clipping(work: Work, thing: Thing) -> dict[str, Any]:
    low, high = thing.take("clipping_low", 0), thing.take("clipping_high", 1)
    return {"use": "clipping", "low": _finite(low), "high": _finite(high)}


def _normalization(work: Work, thing: Thing) -> dict[str, Any]:
    low, high = work.number(thing, "clip_min", -5.0, 0), work.number(thing, "clip_max", 5.0, 1)
    thing.take("name", 2)
    if low != -high:
        work.lost(thing.line, f"normalisation clipped to {low} and {high}: it is even on both sides - {high} is used")
    return {"use": "normalization", "clip": float(high)}


def _rescale(work: Work, thing: Thing) -> dict[str, Any] | None:
    factor = work.number(thing, "rescale_factor", None, 0)
    return None if factor is None else {"use": "rescale", "factor": float(factor)}


def _crop(_work: Work, thing: Thing) -> dict[str, Any]:
    return {"use": "crop", "low": thing.take("crop_low", 0), "high": thing.take("crop_high", 1)}


def _to_size(work: Work, thing: Thing) -> dict[str, Any] | None:
    space = thing.take("output_observation_space", 0)
    shape = space.take("shape", 0) if isinstance(space, Thing) else None
    take_all(space)
    if not isinstance(shape, list | tuple) or len(shape) < 2:
        work.lost(thing.line, "the size to rescale to cannot be read - add the filter rescale-to-size")
        return None
    return {"use": "rescale-to-size", "size": [*shape[:2]]}


def _stacking(work: Work, thing: Thing) -> dict[str, Any]:
    work.unless(thing, "stacking_axis", -1, "observations are stacked along the last axis - move it there first")
    return {"use": "stacking", "size": thing.take("stack_size", 0, 4)}


def _reduction(_work: Work, thing: Thing) -> dict[str, Any]:
    names, method = thing.take("part_names", 0, []), thing.take("reduction_method", 1)
    return {"use": "reduction-by-sub-parts-name", "discard" if shown(method).endswith("Discard") else "keep": names}


def _discretization(_work: Work, thing: Thing) -> dict[str, Any]:
    whole = bool(thing.take("force_int_bins", 1, default=False))
    return {"use": "box-discretization", "bins": thing.take("num_bins_per_dimension", 0), "whole": whole or None}


def _attention(_work: Work, thing: Thing) -> dict[str, Any]:
    return _discretization(_work, thing) | {"use": "attention-discretization"}


def _partial(work: Work, thing: Thing) -> dict[str, Any] | None:
    targets, names = thing.take("target_actions", 0), thing.take("descriptions", 1)
    if not _numbers(targets):
        work.lost(thing.line, "the actions to choose from cannot be read - add the filter partial-discrete-map")
        return None
    if isinstance(names, dict):
        names = [str(names.get(place, place)) for place in range(len(targets))]
    named = isinstance(names, list | tuple) and len(names) == len(targets)
    return {"use": "partial-discrete-map", "actions": targets, "names": [*map(str, names)] if named else None}


def _numbers(value: Any) -> bool:
    """Whether `value` is a list of numbers, or of lists of these."""
    if isinstance(value, list | tuple):
        return bool(value) and all(isinstance(one, int | float) or _numbers(one) for one in value)
    return False


def _plain(use: str, *names: tuple[str, str]) -> Callable[[Work, Thing], dict[str, Any]]:
    """A filter whose parameters keep their meaning: pairs of old and new name, in the order of the arguments."""
    return lambda _work, thing: (
        {"use": use} | {new: _finite(thing.take(old, place)) for place, (old, new) in enumerate(names)}
    )


_DISCRETE = ("box-discretization", "attention-discretization", "partial-discrete-map", "full-discrete-map")

_KNOWN: Mapping[str, Callable[[Work, Thing], dict[str, Any] | None]] = {
    "RewardClipping": _clipping,
    "ObservationClipping": _clipping,
    "RewardRescale": _rescale,
    "RewardNormalization": _normalization,
    "RewardEwmaNormalization": _plain("ewma-normalization", ("alpha", "alpha")),
    "ObservationNormalization": _normalization,
    "ObservationCrop": _crop,
    "ObservationRescaleToSize": _to_size,
    "ObservationRescaleSizeByFactor": _plain("rescale-size-by-factor", ("rescale_factor", "factor")),
    "ObservationStacking": _stacking,
    "ObservationReductionBySubPartsName": _reduction,
    "ObservationRGBToY": _plain("rgb-to-y"),
    "ObservationToUInt8": _plain("to-uint8", ("input_low", "low"), ("input_high", "high")),
    "ObservationSqueeze": _plain("squeeze", ("axis", "axis")),
    "ObservationMoveAxis": _plain("move-axis", ("axis_origin", "origin"), ("axis_target", "target")),
    "BoxDiscretization": _discretization,
    "AttentionDiscretization": _attention,
    "PartialDiscreteActionSpaceMap": _partial,
    "FullDiscreteActionSpaceMap": _plain("full-discrete-map"),
    "BoxMasking": _plain("box-masking", ("masked_target_space_low", "low"), ("masked_target_space_high", "high")),
    "LinearBoxToBoxMap": _plain("linear-box-to-box", ("input_space_low", "low"), ("input_space_high", "high")),
}
