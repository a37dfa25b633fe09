"""Schedules for Coach: values that change with training."""

from coach_schedules.constant import Constant
from coach_schedules.exponential import Exponential
from coach_schedules.linear import Linear
from coach_schedules.piecewise import Piecewise

__all__ = ["Constant", "Exponential", "Linear", "Piecewise"]
