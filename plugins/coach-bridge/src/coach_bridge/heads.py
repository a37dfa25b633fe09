"""Heads of networks, their losses' weights and the gradients they send back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from coach_bridge.things import Thing
from coach_bridge.work import Work, shown

_HEADS = {
    "QHead": ("q", "q"),
    "DuelingQHead": ("q", "dueling-q"),
    "CategoricalQHead": ("q", "categorical-q"),
    "RainbowQHead": ("q", "rainbow-q"),
    "QuantileRegressionQHead": ("q", "quantile-q"),
    "VHead": ("value", "state-value"),
    "PolicyHead": ("policy", ""),
    "PPOHead": ("policy", ""),
    "DDPGActor": ("policy", "deterministic-policy"),
    "DDPGActorHead": ("policy", "deterministic-policy"),
    "DDPGVHead": ("q", "state-value"),
    "TD3VHead": ("q", "twin-q"),
    "SACPolicyHead": ("policy", "squashed-gaussian-policy"),
    "SACQHead": ("q", "twin-q"),
}
"""Old head -> slot and new head; which policy it is depends on the actions."""
_ATOMS = {"categorical-q": "atoms", "rainbow-q": "atoms", "quantile-q": "quantiles"}
"""New head -> what it calls the old algorithm's atoms."""


@attrs.define
class Heads:
    """The heads of one network of the old agent."""

    work: Work
    name: str
    thing: Thing
    defaults: Mapping[str, Any]
    noisy: bool

    def fill(self, out: dict[str, Any], hidden: list[int]) -> None:
        """Fill in the heads, and what is said of their losses and gradients."""
        given = self.thing.take("heads_parameters")
        things = [one for one in given if isinstance(one, Thing)] if isinstance(given, list) else []
        if not things:
            things = [self._came_with(given, place, name) for place, name in enumerate(self._usual())]
        for thing in things:
            name = thing.name.removesuffix("Parameters")
            if name not in _HEADS:
                self.work.lost(thing.line, f"head {shown(thing)}: there is no such head yet - use the agent's own")
                continue
            slot, use = _HEADS[name]
            use = "ensemble-q" if (use, self.work.old.use) == ("q", "bootstrapped-dqn") else use
            use = use or ("discrete-policy" if self.work.discrete is not False else "gaussian-policy")
            out["heads"][slot] = {"use": use, **self._of_head(use, thing, hidden)}
            self._factors(out, slot, thing)

    @staticmethod
    def _came_with(given: Any, place: int, name: str) -> Thing:
        """A head of the agent's own, with the fields that the preset changed."""
        thing = given.inner(f"[{place}]") if isinstance(given, Thing) else Thing()
        thing.name = name
        return thing

    def _usual(self) -> list[str]:
        use = self.work.old.use
        pairs = {
            ("ddpg", "actor"): ["DDPGActor"],
            ("ddpg", "critic"): ["DDPGVHead"],
            ("td3", "actor"): ["DDPGActor"],
            ("td3", "critic"): ["TD3VHead"],
            ("sac", "actor"): ["SACPolicyHead"],
            ("sac", "critic"): ["SACQHead"],
        }
        if (use, self.name) in pairs:
            return pairs[use, self.name]
        return ["VHead", "PPOHead"] if self.work.old and self.work.old.fresh else [self.work.old.head]

    def _of_head(self, use: str, thing: Thing, hidden: list[int]) -> dict[str, Any]:
        """A head's own settings."""
        algorithm = self.work.agent.inner("algorithm")
        usual = self.work.old.algorithm
        for name in ("activation_function", "name"):
            thing.take(name)  # of no effect: the last layer of a head has none
        out: dict[str, Any] = {}
        if use in _ATOMS:
            out[_ATOMS[use]] = self.work.number(algorithm, "atoms", usual["atoms"])
        elif use == "ensemble-q":
            out["heads"] = self._copies(thing)
        elif use == "twin-q":
            out["hidden"] = hidden if self.work.old.use == "td3" else self._sizes(thing)
        elif use == "gaussian-policy" and self.work.old.use == "a2c":
            out["deviation"] = "network"
        if self.noisy and use in ("q", "dueling-q", "categorical-q", "quantile-q", "rainbow-q"):
            out["noisy"] = True
        elif use == "rainbow-q":
            out["noisy"] = False
        return out

    def _copies(self, thing: Thing) -> int:
        """How many heads there were; what they sent into the torso together was what one sends."""
        copies = max(1, int(self.work.number(thing, "num_output_head_copies", 10)))
        scale = self.work.number(thing, "rescale_gradient_from_head_by_factor", 1 / copies)
        if abs(scale * copies - 1) > 1e-6:
            line = thing.where("rescale_gradient_from_head_by_factor")
            self.work.lost(
                line, "heads of an ensemble send 1 / heads of their gradient - set gradient_scales.q besides"
            )
        return copies

    def _sizes(self, thing: Thing) -> list[int]:
        """The widths of SAC's critics."""
        sizes = thing.take("layers_sizes", default=(256, 256))
        if isinstance(sizes, list | tuple) and all(isinstance(one, int) for one in sizes):
            return [*sizes]
        self.work.lost(
            thing.where("layers_sizes"), "layers_sizes cannot be read - give whole numbers; 256, 256 are used"
        )
        return [256, 256]

    def _factors(self, out: dict[str, Any], slot: str, thing: Thing) -> None:
        """A squared error is halved here and was not there; so its weight is doubled."""
        weight = float(self.work.number(thing, "loss_weight", self._weight(slot)))
        huber = bool(self.thing.take("replace_mse_with_huber_loss", default=self._huber()))
        if slot == "value" or (slot == "q" and self._squared(huber=huber)):
            weight *= 2
        if weight != 1.0 or slot == "value":
            out.setdefault("loss_weights", {})[slot] = weight
        if self.work.old.use == "bootstrapped-dqn":  # told with the head
            return
        if thing.given("rescale_gradient_from_head_by_factor"):
            scale = self.work.number(thing, "rescale_gradient_from_head_by_factor", 1.0)
            out.setdefault("gradient_scales", {})[slot] = float(scale)
        copies = self.work.number(thing, "num_output_head_copies", 1)
        if copies != 1:
            self.work.lost(thing.where("num_output_head_copies"), "a slot has one head - leave the copies out")

    def _weight(self, slot: str) -> float:
        return 0.5 if slot == "value" and self.work.old.use == "a2c" else 1.0

    def _huber(self) -> bool:
        return bool(self.defaults["replace_mse_with_huber_loss"])

    def _squared(self, *, huber: bool) -> bool:
        use = self.work.old.use
        return use in ("ddpg", "td3") or (use in ("dqn", "bootstrapped-dqn") and not huber)
