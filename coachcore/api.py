"""Everything a plugin author imports; a snapshot test guards this list."""

from coachcore.clock import Clock, Duration
from coachcore.component import (
    API,
    ComponentSpec,
    Fixed,
    FloatOrVector,
    IntOrVector,
    ParamSpec,
    Schedule,
    component,
    param,
    spec_of,
)
from coachcore.contracts.agent import DataSpec, NetworkPlan, NetworkSpec, Update
from coachcore.contracts.engine import Problem
from coachcore.errors import (
    BadCheckpoint,
    BadData,
    BadSetting,
    CoachError,
    Mismatch,
    StopRun,
    UnknownName,
    did_you_mean,
)
from coachcore.events import Event, RunInfo, figure
from coachcore.layout import Column, Layout
from coachcore.rng import Generator, Streams
from coachcore.settings import LearnerSettings, NetworkSettings
from coachcore.spaces import Attention, Box, Compound, Discrete, MultiSelect, Space, Spaces
from coachcore.types import (
    Array,
    Batch,
    LossOut,
    Moment,
    Nets,
    Obs,
    Pair,
    Proposal,
    Rows,
    Sample,
    State,
    Step,
    Tensor,
    Trained,
)

__all__ = [
    "API",
    "Array",
    "Attention",
    "BadCheckpoint",
    "BadData",
    "BadSetting",
    "Batch",
    "Box",
    "Clock",
    "CoachError",
    "Column",
    "ComponentSpec",
    "Compound",
    "DataSpec",
    "Discrete",
    "Duration",
    "Event",
    "Fixed",
    "FloatOrVector",
    "Generator",
    "IntOrVector",
    "Layout",
    "LearnerSettings",
    "LossOut",
    "Mismatch",
    "Moment",
    "MultiSelect",
    "Nets",
    "NetworkPlan",
    "NetworkSettings",
    "NetworkSpec",
    "Obs",
    "Pair",
    "ParamSpec",
    "Problem",
    "Proposal",
    "Rows",
    "RunInfo",
    "Sample",
    "Schedule",
    "Space",
    "Spaces",
    "State",
    "Step",
    "StopRun",
    "Streams",
    "Tensor",
    "Trained",
    "UnknownName",
    "Update",
    "component",
    "did_you_mean",
    "figure",
    "hookimpl",
    "param",
    "spec_of",
]

from coachcore.registry.hookspecs import hookimpl
