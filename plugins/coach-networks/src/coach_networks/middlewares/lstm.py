"""Middleware that remembers: dense layers, then an LSTM."""

from __future__ import annotations

from typing import Any

import attrs

from coach_networks.middlewares.dense import WIDTHS
from coach_networks.stacks import ACTIVATIONS, initializer_param, layer_parts, scheme_param
from coachcore.api import component, param


@component("middleware", "lstm", aliases=("LSTMMiddleware", "LSTMMiddlewareParameters"), recurrent=True)
@attrs.frozen(kw_only=True)
class Lstm:
    """Dense layers, then long short-term memory over the steps of an episode.

    Its state is handed in and out at every call: the old system kept it inside the network,
    where a second prediction of the same step spoilt it, and took the rows of a batch for steps.
    Hochreiter & Schmidhuber, Neural Computation 9 (1997) 1735; forget gate: Gers et al. (2000).
    """

    units: int = param(default=256, ge=1, doc="numbers that come out; as many again are remembered")
    scheme: Any = scheme_param("layers before the LSTM: empty, shallow, medium, deep")
    activation: str = param(default="relu", choices=ACTIVATIONS, doc="what follows each dense layer")
    initializer: str = initializer_param()

    @property
    def carry(self) -> int:
        """How many numbers are remembered from step to step: h and c, 2 U."""
        return 2 * self.units

    def build(self, seed: int) -> Any:
        """A layer (features ``[B, F]``, carry ``[B, 2 U]``, first ``[B]``) -> (``[B, U]``, carry ``[B, 2 U]``)."""
        from coach_networks.layers.memory import Memory

        return Memory(self.units, layer_parts(self.scheme, WIDTHS, self.activation, self.initializer), seed)
