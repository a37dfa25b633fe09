"""Filters that do not fit together, or an observation that is not there."""

from __future__ import annotations

import pytest

from coach_filters.normalization import Normalization
from coach_filters.observation.crop import Crop
from coach_filters.observation.move_axis import MoveAxis
from coach_filters.observation.rescale_to_size import RescaleToSize
from coach_filters.observation.rgb_to_y import RGBToY
from coach_filters.observation.stacking import Stacking
from coachcore.contracts.experiment import Filters
from coachcore.errors import Mismatch
from coachcore.running.pipeline import Pipelines
from coachcore.spaces import Box, Discrete, Spaces

CAMERA = Spaces({"camera": Box((8, 8, 1), dtype="uint8")}, Discrete(2))


@pytest.mark.parametrize(
    ("after", "name"),
    [
        (MoveAxis(origin=2, target=0), "move-axis"),
        (RGBToY(), "rgb-to-y"),
        (Normalization(), "normalization"),
        (Crop(low=(0, 0, 1)), "crop"),
    ],
    ids=lambda one: type(one).__name__,
)
def test_after_stacking_frames_could_not_be_stored_once(after, name):
    with pytest.raises(Mismatch) as caught:
        Pipelines.of(Filters(observation={"camera": (Stacking(size=3), after)}), CAMERA)
    assert str(caught.value) == (
        f"{name}: behind 'stacking' memory would have to keep every frame again for each stack - put it before"
    )


def test_after_stacking_frames_may_be_resized_one_by_one():
    made = Pipelines.of(Filters(observation={"camera": (Stacking(size=3), RescaleToSize(size=(4, 4)))}), CAMERA)
    assert made.spaces.observation["camera"] == Box((4, 4, 3), dtype="uint8")


def test_an_observation_that_is_not_there():
    with pytest.raises(Mismatch) as caught:
        Pipelines.of(Filters(observation={"kamera": (RGBToY(),)}), CAMERA)
    assert str(caught.value) == "filters: no observation is called 'kamera'; there is camera"
