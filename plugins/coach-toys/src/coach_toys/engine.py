"""The engine `numpy`: gradient descent on linear networks, every derivative written out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

import attrs

from coach_toys.network import LinearValues, Plain, Straight, actions_of, refuse_unless_numbers
from coachcore.api import Array, Batch, Mismatch, Nets, NetworkPlan, Problem, component, spec_of

if TYPE_CHECKING:
    from typing import Protocol

    from coach_toys.learner import LinearLearner

    class Sloped(Protocol):
        """An agent that says its gradient, see `coach_toys.linear_q.LinearQ.slopes`."""

        def slopes(self, nets: Nets, batch: Batch) -> Mapping[str, Array]: ...


OPTIMIZERS = ("adam", "sgd")
_OTHERS = "use the engine 'tensorflow'"


@component("engine", "numpy")
@attrs.frozen(kw_only=True)
class NumPy:
    """Linear networks in plain NumPy: to learn in seconds without a backend, and to read how it is done.

    It takes no derivatives by itself: an agent tells the slope of its loss with respect to
    the network's outputs (``linear-q`` does), and the rest of the chain rule is one product.
    Networks are of the parts ``plain``, ``straight`` and ``linear-values``; optimizers are
    ``sgd`` (with momentum) and ``adam``. Everything else is refused at the door.
    """

    def make(self, problem: Problem) -> LinearLearner:
        from coach_toys.learner import LinearLearner

        agent = spec_of(problem.agent).name
        if not hasattr(problem.agent, "slopes"):
            _refuse(f"engine 'numpy' takes no derivatives, and agent '{agent}' does not tell its own", "engine.use")
        (plan,) = problem.networks.values()
        _check_parts(plan, problem)
        if problem.settings.optimizer not in OPTIMIZERS:
            what = f"engine 'numpy' knows {' and '.join(OPTIMIZERS)}, not '{problem.settings.optimizer}'"
            _refuse(what, "agent.learner.optimizer")
        if problem.settings.precision != "float32":
            _refuse(f"engine 'numpy' has no {problem.settings.precision}", "agent.learner.precision")
        return LinearLearner(problem)


def _check_parts(plan: NetworkPlan, problem: Problem) -> None:
    """Refuse parts that are not computed here, and observations that cannot be."""
    known: dict[str, tuple[Any, type]] = {f"embedders.{name}": (part, Plain) for name, part in plan.embedders.items()}
    known["middleware"] = (plan.middleware, Straight)
    known |= {f"heads.{slot}": (part, LinearValues) for slot, part in plan.heads.items()}
    for place, (part, cls) in known.items():
        if not isinstance(part, cls):
            wanted = spec_of(cls).name
            _refuse(f"engine 'numpy' computes '{wanted}' here, not '{spec_of(part).name}'", f"agent.network.{place}")
    if plan.settings.merge != "concatenate":
        _refuse("engine 'numpy' joins observations one after the other", "agent.network.merge")
    for space in problem.spaces.observation.values():
        refuse_unless_numbers(space)
    actions_of(problem.spaces.action)


def _refuse(what: str, where: str) -> NoReturn:
    raise Mismatch(f"{what} - {_OTHERS}", where=where)
