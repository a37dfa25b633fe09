"""The environment part `gymnasium`: any environment of the gymnasium registry, stepped in a plain loop."""

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
    "disable_env_checker": "Coach does its own checking",
}


def _options(_part: Any, _field: Any, options: Mapping[str, Any]) -> None:
    for name, why in _OURS.items():
        if name in options:
            raise BadSetting(f"'{name}' does not belong here - {why}", where="environment.options")


def _named(_part: Any, _field: Any, name: str) -> None:
    if not name.strip():
        raise BadSetting(
            'it is empty - give the full id of an environment, such as "CartPole-v1"', where="environment.id"
        )


@component(
    "environment",
    "gymnasium",
    aliases=("GymVectorEnvironment", "GymEnvironment", "GymEnvironmentParameters"),
    needs=("gymnasium",),
)
@attrs.frozen(kw_only=True)
class Gymnasium:
    """Environments of Gymnasium and of packages that register with it.

    `id` is the full id with its version (``CartPole-v1``), an id that a package
    registers when it is imported (``ale_py:ALE/Pong-v5``,
    ``minigrid:MiniGrid-Empty-5x5-v0``), or an environment class
    (``my_package.my_module:MyEnv``). `wrappers` are Gymnasium's, put around it in
    this order, such as ``minigrid.wrappers:RGBImgPartialObsWrapper``.

    Observations: a box of numbers is one observation called ``observation``, a
    Dict gives one by name each and a Tuple one by number (``observation-0``), or
    those that `observations` names. Bytes (uint8) stay bytes, all other numbers
    become float32. A Discrete observation with n values becomes a one-hot vector
    ``[n]``, a MultiDiscrete one several of them in a row, and a Text one for each
    of its places.

    Actions: Discrete (whatever number it starts at, the agent counts from 0), a
    Box of floats, or a Dict or Tuple of such boxes, which is one longer box. What
    else an environment takes needs an action filter before an agent knows it:
    MultiBinary (buttons), MultiDiscrete, a Box of whole numbers, and Dicts and
    Tuples of anything (choices side by side). An episode counts as success from
    the reward threshold that the environment was registered with.

    A cheap environment runs fastest in the process, one after another: an
    asynchronous vector environment costs 89 us a step, the loop about 1.

    The old adaptor seeded Python's and NumPy's global generators, passed no
    options to registered environments and merged `truncated` into `done`; none
    of that is so here.
    """

    id: str = param(doc="full id of the environment, with its version", check=_named)
    options: Mapping[str, Any] = param(factory=dict, check=_options, doc="arguments for the environment's constructor")
    max_episode_steps: int | None = param(
        default=None, ge=1, doc="steps after which an episode is truncated, instead of the environment's own limit"
    )

    observations: tuple[str, ...] = param(
        default=(), doc="observations that the agent sees, where the environment shows several by name; left out: all"
    )
    wrappers: tuple[str, ...] = param(
        default=(), doc="gymnasium wrappers put around the environment, each module:Class, the innermost first"
    )

    def make(self, count: int, *, render: bool = False) -> Simulators:
        """`count` simulators in this process; Gymnasium is imported here and not before.

        Raises `UnknownName` for an id that nothing registers, `BadSetting` for
        options it refuses and packages it lacks, `Mismatch` for spaces that no
        agent can use and observations that are not there.
        """
        from coach_gymnasium.making import made
        from coach_gymnasium.vector import Simulators

        given = (self.options, self.max_episode_steps, self.wrappers)
        return Simulators(self.id, made(self.id, given, count, render=render), self.observations)
