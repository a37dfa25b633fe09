"""Schedules for Coach: values that change with training."""
