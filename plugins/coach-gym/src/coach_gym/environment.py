"""The environment part `gym`: environments that never moved to Gymnasium."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import attrs

from coachcore.api import BadSetting, component, param

if TYPE_CHECKING:
    from coach_gymnasium.vector import Simulators

_OURS = {
    "render_mode": "Coach asks for pictures itself where it needs them",
    "max_episode_steps": "it is a setting of its own: environment.max_episode_steps",
    "disable_env_checker": "the checker does not work with NumPy 2 and is always off",
    "apply_api_compatibility": "environments of the old API are recognised",
}


def _options(_part: Any, _field: Any, options: Mapping[str, Any]) -> None:
    for name, why in _OURS.items():
        if name in options:
            raise BadSetting(f"'{name}' does not belong here - {why}", where="environment.options")


def _named(_part: Any, _field: Any, name: str) -> None:
    if not name.strip():
        raise BadSetting('it is empty - give the full id, such as "CartPole-v1"', where="environment.id")


@component("environment", "gym", needs=("gym",))
@attrs.frozen(kw_only=True)
class Gym:
    """Environments of OpenAI's gym 0.26 and of packages that register with it.

    `id` is the full id with its version (``CartPole-v1``), or one that a package registers
    when it is imported (``my_package:MyEnv-v0``). Observations and actions are as with
    ``gymnasium``, which is to be preferred for whatever exists there too.

    Environments of the API before 0.26 (four values a step) are recognised by a `reset`
    without a seed. They say in ``info["TimeLimit.truncated"]`` whether a limit ended
    an episode, which then is truncated; they need a method ``seed``, because an episode has to be a
    function of its seed and actions.
    """

    id: str = param(doc="full id of the environment, with its version", check=_named)
    options: Mapping[str, Any] = param(factory=dict, check=_options, doc="arguments for the environment's constructor")
    max_episode_steps: int | None = param(
        default=None, ge=1, doc="steps after which an episode is truncated, instead of the environment's own limit"
    )
    observations: tuple[str, ...] = param(
        default=(), doc="observations that the agent sees, where the environment shows several by name; left out: all"
    )

    def make(self, count: int, *, render: bool = False) -> Simulators:
        """`count` simulators in this process; gym is imported here and not before.

        Raises `UnknownName` for an id that nothing registers, `BadSetting` where the
        environment refuses to be made, `Mismatch` for spaces that no agent can use.
        """
        from coach_gym.making import made
        from coach_gymnasium.vector import Simulators

        given = (self.options, self.max_episode_steps)
        return Simulators(self.id, made(self.id, given, count, render=render), self.observations)
