"""A network that acts, as data: a list of operations over one flat vector, run by NumPy alone.

A program is plain JSON data, so that a checkpoint can act without the backend that trained it::

    {"inputs": {"observation": [4]},
     "size": 16,
     "weights": [{"name": "q.kernel", "shape": [4, 3], "offset": 0},
                 {"name": "q.bias", "shape": [3], "offset": 12}],
     "noise": 0,
     "ops": [{"op": "dense", "inputs": ["observation"], "output": "t0",
              "kernel": 0, "bias": 1, "activation": "linear"}],
     "outputs": {"q": "t0"}}

Shapes lack the batch axis N; ``kernel``, ``bias``, ``gamma`` and the like are positions in
``weights``; offsets and ``size`` count numbers; ``noise`` (0 where it is missing) is how many
standard normal numbers a call draws. `OPERATIONS` lists every operation with its arithmetic.
"""

from __future__ import annotations

from coachcore.acting.activations import ACTIVATIONS
from coachcore.acting.network import OPERATIONS, ActingNetwork

__all__ = ["ACTIVATIONS", "OPERATIONS", "ActingNetwork"]
