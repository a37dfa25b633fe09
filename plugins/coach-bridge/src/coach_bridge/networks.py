"""Networks: embedders, middlewares and heads of each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from coach_bridge.defaults import NETWORK
from coach_bridge.heads import Heads
from coach_bridge.stacks import Style, scheme, style
from coach_bridge.things import Thing, Word, take_all
from coach_bridge.work import Work


@attrs.define
class Network:
    """One network of the old agent on its way into the new format."""

    work: Work
    name: str
    thing: Thing
    defaults: Mapping[str, Any]
    noisy: bool = False

    def table(self) -> dict[str, Any]:
        """The network's table."""
        middleware, hidden = self.middleware()
        out: dict[str, Any] = {"embedders": self.embedders(), "middleware": middleware, "heads": {}}
        if self.work.known is not None and (self.work.old.fresh):
            separate = self.work.old.torso or self.thing.take(
                "use_separate_networks_per_head", default=self.defaults["use_separate_networks_per_head"]
            )
            out["torso"] = "separate" if separate else "shared"
        if (l2 := self.work.number(self.thing, "l2_regularization", self.defaults["l2_regularization"])) != 0:
            out["l2"] = float(l2)
        merge = self.thing.take("embedding_merger_type")
        if isinstance(merge, Word) and merge.last == "Sum":
            out["merge"] = "sum"
        Heads(self.work, self.name, self.thing, self.defaults, self.noisy).fill(out, hidden)
        return out

    def embedders(self) -> dict[str, Any]:
        """A table for each input."""
        given = self.thing.take("input_embedders_parameters")
        usual = {name: Thing() for name in self.defaults["embedders"]}
        if isinstance(given, Thing):
            found = usual | {name: given.inner(name) for name in given.fields}
        else:
            found = given if isinstance(given, dict) else usual
        return {self._input(name): self.embedder(name, one) for name, one in found.items() if isinstance(one, Thing)}

    def _input(self, name: str) -> str:
        return self.work.observation if name == "observation" else str(name)

    def embedder(self, name: str, thing: Thing) -> dict[str, Any]:
        """One input's table."""
        looks = name != "action" and (self.work.looks or name in ("camera", "forward_camera", "screen", "pixels"))
        use = "image" if looks else "vector"
        how = style(self.work, thing, self.defaults["activation"], noisy=self.noisy)
        usual = Word(self.defaults["embedders"].get(name, "Medium"))
        layers = scheme(self.work, thing.take("scheme", 0, usual), (use, thing.where("scheme", 0)), how)
        out: dict[str, Any] = {"use": use, "scheme": layers}
        if how.activation != "relu":
            out["activation"] = how.activation
        for key, plain in (("input_rescaling", 255.0 if looks else 1.0), ("input_offset", 0.0)):
            value = thing.take(key)
            value = value.get(use, plain) if isinstance(value, dict) else value
            if value is not None and value != plain:
                out[key] = float(value)
        clip = thing.take("input_clipping")
        thing.take("name")
        self.work.unless(thing, "flatten", True, "features are flattened always - leave it out")
        return out | ({"input_clipping": [*clip]} if isinstance(clip, list | tuple) else {})

    def middleware(self) -> tuple[dict[str, Any], list[int]]:
        """The middleware's table, and for several critics the widths that each has for itself."""
        thing = self.thing.inner("middleware_parameters")
        use = "lstm" if thing.name.startswith("LSTM") else "dense"
        how = style(self.work, thing, self.defaults["activation"], noisy=self.noisy)
        usual = Word(self.defaults["middleware"])
        layers = scheme(self.work, thing.take("scheme", 1, usual), (use, thing.where("scheme", 1)), how)
        thing.take("name")
        thing.take("num_streams")
        if self.work.known is not None and (self.work.old.use, self.name) == ("td3", "critic"):
            return {"use": "dense", "scheme": "empty"}, self._widths(layers, how, thing)
        out: dict[str, Any] = {"use": use, "scheme": layers}
        if use == "lstm":
            out["units"] = self.work.number(thing, "number_of_lstm_cells", 256)
        return out | ({"activation": how.activation} if how.activation != "relu" else {}), []

    def _widths(self, layers: Any, how: Style, thing: Thing) -> list[int]:
        named: dict[str, list[int]] = {"empty": [], "shallow": [64], "medium": [512], "deep": [128, 128, 128]}
        found = named.get(layers) if isinstance(layers, str) else layers
        if found is None or not all(isinstance(one, int) for one in found) or how.activation != "relu":
            self.work.lost(thing.line, "critics of TD3 have plain dense layers of their own - give widths only")
            return [512]
        return found


def networks(work: Work) -> dict[str, dict[str, Any]]:
    """New network name -> its table; the only network of an agent is called ''."""
    wrappers = work.agent.inner("network_wrappers")
    noisy = _noisy(work)
    out: dict[str, dict[str, Any]] = {}
    for old, new in work.old.names.items():
        if new in out:
            _same(work, wrappers, old)
            continue
        found = Network(work, new, wrappers.inner(old), {**NETWORK, **work.old.networks[old]}, noisy)
        out[new] = found.table()
    return out


def _noisy(work: Work) -> bool:
    """Whether noisy layers explore: the policy ParameterNoise put them everywhere."""
    given = work.agent.take("exploration", default=work.old.exploration)
    name = given.name if isinstance(given, Thing) else ""
    return (name or work.old.exploration.name).startswith("ParameterNoise")


def _same(work: Work, wrappers: Thing, name: str) -> None:
    """PPO's critic: it has the shape that its actor has."""
    thing = wrappers.inner(name)
    first = wrappers.inner(next(iter(work.old.names)) if work.known else "")
    shape = [
        _shape(one.take("input_embedders_parameters"), one.take("middleware_parameters")) for one in (first, thing)
    ]
    if shape[0] != shape[1]:
        work.lost(thing.line, f"network '{name}': it has the layers of the other one here - set agent.network")


def _shape(*values: Any) -> Any:
    """Plain data for comparing; everything below counts as made use of."""
    out: list[Any] = []
    for value in values:
        if isinstance(value, Thing):
            fields = {key: _shape(given.value) for key, given in value.fields.items()}
            take_all(value)
            out.append((value.name, fields))
        elif isinstance(value, dict | list | tuple):
            items = value.values() if isinstance(value, dict) else value
            out.append([_shape(item) for item in items])
        else:
            out.append(value)
    return out
