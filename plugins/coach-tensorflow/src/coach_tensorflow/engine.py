"""The engine part: TensorFlow compiles and runs the whole update, one call a train call."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from coachcore.api import Problem, component, param

if TYPE_CHECKING:
    from coach_tensorflow.learner import TensorFlowLearner


@component("engine", "tensorflow", needs=("tensorflow",))
@attrs.frozen(kw_only=True)
class TensorFlow:
    """TensorFlow 2: XLA for small networks, the graph executor for wide or convolutional ones.

    TensorFlow is imported when a learner is made, not before. What is set for
    the whole process (threads, log level, Keras backend, cache) is set then, and
    only where the user has not set it.
    """

    cache: bool = param(default=True, doc="keep compiled programs in the user's cache folder for the next run")
    fast_call: bool = param(
        default=True,
        doc="call compiled functions by TensorFlow's inner path; false: by the public one, about 100 us slower",
    )

    def make(self, problem: Problem) -> TensorFlowLearner:
        """Build the networks; the update is compiled at the first `train`. Raises `Mismatch` where parts do not fit."""
        from coach_tensorflow import process

        problem = attrs.evolve(problem, executor=process.suited(problem.executor, problem.sequence))
        process.prepare(problem.executor, cache=self.cache)
        from coach_tensorflow.learner import TensorFlowLearner

        return TensorFlowLearner(problem, fast_call=self.fast_call)
