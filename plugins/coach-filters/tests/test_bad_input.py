"""What each filter says of bad settings and spaces, word for word."""

from __future__ import annotations

from math import inf, nan

import pytest

from coach_filters.action.attention_discretization import AttentionDiscretization
from coach_filters.action.box_discretization import BoxDiscretization
from coach_filters.action.box_masking import BoxMasking
from coach_filters.action.linear_box_to_box import LinearBoxToBox
from coach_filters.action.partial_discrete_map import PartialDiscreteMap
from coach_filters.clipping import Clipping
from coach_filters.normalization import Normalization
from coach_filters.observation.crop import Crop
from coach_filters.observation.move_axis import MoveAxis
from coach_filters.observation.reduction import ReductionBySubPartsName
from coach_filters.observation.rescale_size_by_factor import RescaleSizeByFactor
from coach_filters.observation.rescale_to_size import RescaleToSize
from coach_filters.observation.rgb_to_y import RGBToY
from coach_filters.observation.squeeze import Squeeze
from coach_filters.observation.stacking import Stacking
from coach_filters.observation.to_uint8 import ToUInt8
from coach_filters.reward.ewma_normalization import EwmaNormalization
from coach_filters.reward.rescale import Rescale
from coachcore.api import BadSetting, Box, Discrete, Mismatch

DISCRETE, OPEN, MAP = Discrete(2), Box((1,)), Box((4, 4), 0, 1)
CART = Box((4,), names=("place", "speed", "angle", "turn"))
ORDER = "low: low must not lie above high, got low"
AS_MANY = "low: low has 2 numbers and high 3 - give as many, or one"
NOTHING = "leaves nothing to learn from - use a finite number other than 0"
EITHER = "reduction-by-sub-parts-name: give the components to keep, or those to discard, and not both"

SETTINGS = [
    (BoxDiscretization, {"bins": 1}, "bins: 1 bins leave nothing to choose from - give 2 or more"),
    (BoxDiscretization, {"bins": 0}, "bins: 0 is out of range - must be >= 1"),
    (BoxDiscretization, {"bins": (3, -2)}, "bins: -2 is out of range - must be >= 1"),
    (AttentionDiscretization, {"bins": (1, 1)}, "bins: (1, 1) bins leave nothing to choose from - give 2 or more"),
    (BoxMasking, {"low": 2, "high": 1}, f"{ORDER} 2 and high 1"),
    (BoxMasking, {"low": nan, "high": 1}, "low: a mask has finite edges, got nan"),
    (BoxMasking, {"low": 0, "high": inf}, "high: a mask has finite edges, got inf"),
    (BoxMasking, {"low": (1, 2), "high": (3, 4, 5)}, AS_MANY),
    (LinearBoxToBox, {"low": 1, "high": 0}, f"{ORDER} 1 and high 0"),
    (LinearBoxToBox, {"low": 1, "high": 1}, "low: low must lie below high and both be finite, got 1 and 1"),
    (LinearBoxToBox, {"low": nan, "high": 1}, f"{ORDER} nan and high 1"),
    (LinearBoxToBox, {"low": 0, "high": inf}, "low: low must lie below high and both be finite, got 0 and inf"),
    (LinearBoxToBox, {"low": (1, 2), "high": (3, 4, 5)}, AS_MANY),
    (
        PartialDiscreteMap,
        {"actions": ()},
        "partial-discrete-map: there is no action to choose - list one or more",
    ),
    (
        PartialDiscreteMap,
        {"actions": (0, 1), "names": ("a",)},
        "names: 1 names were given for 2 actions - give as many, or none",
    ),
    (Clipping, {}, "clipping: there is nothing to clip at - give low, high or both"),
    (Clipping, {"low": 2, "high": 1}, f"{ORDER} 2 and high 1"),
    (Clipping, {"low": nan}, f"{ORDER} nan and high inf"),
    (Clipping, {"low": (1, 2), "high": (3, 4, 5)}, AS_MANY),
    (Normalization, {"clip": 0}, "clip: 0 is out of range - must be > 0"),
    (Normalization, {"clip": nan}, "clip: nan is out of range - must be > 0"),
    (Crop, {}, "crop: there is nothing to cut off - give low, high or both"),
    (Crop, {"low": (1,), "high": (2, 3)}, "crop: low has 1 numbers and high 2 - give as many"),
    (Crop, {"low": (3,), "high": (2,)}, "crop: nothing is left from low (3,) to high (2,) - let high lie above low"),
    (Crop, {"low": (-1,)}, "low: -1 is out of range - must be >= 0"),
    (ReductionBySubPartsName, {}, EITHER),
    (ReductionBySubPartsName, {"keep": (0,), "discard": (1,)}, EITHER),
    (RescaleSizeByFactor, {"factor": 0}, "factor: 0 is out of range - must be > 0"),
    (RescaleSizeByFactor, {"factor": nan}, "factor: nan is out of range - must be > 0"),
    (RescaleSizeByFactor, {"factor": inf}, "factor: no picture has inf times its size - give a finite factor"),
    (RescaleToSize, {"size": (84,)}, "size: size is height and width, such as [84, 84], got [84]"),
    (RescaleToSize, {"size": (84, 0)}, "size: 0 is out of range - must be >= 1"),
    (Stacking, {"size": 0}, "size: 0 is out of range - must be >= 1"),
    (ToUInt8, {"low": 2, "high": 2}, "to-uint8: low must lie below high, got low 2 and high 2"),
    (ToUInt8, {"low": nan, "high": 2}, "to-uint8: low must lie below high, got low nan and high 2"),
    (EwmaNormalization, {"alpha": 0}, "alpha: 0 is out of range - must be > 0 and <= 1"),
    (EwmaNormalization, {"alpha": nan}, "alpha: nan is out of range - must be > 0 and <= 1"),
    (Rescale, {"factor": 0}, f"factor: a factor of 0 {NOTHING}"),
    (Rescale, {"factor": nan}, f"factor: a factor of nan {NOTHING}"),
    (Rescale, {"factor": inf}, f"factor: a factor of inf {NOTHING}"),
]

REAL = f"a space of real numbers (a box), got {DISCRETE}"
FINITE = "an action space of real numbers with finite bounds, got"
EACH = "give one number, or one for each component"
NAMED = "reduction-by-sub-parts-name"
PARTS = f"{NAMED}: only components of vectors and pictures can be chosen from, got"

SPACES = [
    (BoxDiscretization(bins=2), DISCRETE, f"box-discretization: box-discretization needs {FINITE} {DISCRETE}"),
    (BoxDiscretization(bins=2), OPEN, f"box-discretization: box-discretization needs {FINITE} {OPEN}"),
    (
        BoxDiscretization(bins=(2, 2, 2)),
        Box((2,), 0, 1),
        (
            "box-discretization: 3 numbers of bins do not fit actions of shape (2,) - "
            "give one, or one for each dimension"
        ),
    ),
    (
        BoxDiscretization(bins=11),
        Box((5,), 0, 1),
        "box-discretization: 11 x 11 x 11 x 11 x 11 bins make 161051 actions - 100000 are the most",
    ),
    (BoxMasking(low=0, high=1), DISCRETE, f"box-masking: box-masking needs {REAL}"),
    (
        BoxMasking(low=4, high=10),
        Box((2,), 5, 30),
        "box-masking: the mask 4 to 10 must lie within the action space, 5 to 30",
    ),
    (
        BoxMasking(low=(5, 5, 5), high=30),
        Box((2,), 5, 30),
        f"box-masking: 3 bounds do not fit values of shape (2,) - {EACH}",
    ),
    (LinearBoxToBox(low=0, high=1), DISCRETE, f"linear-box-to-box: linear-box-to-box needs {FINITE} {DISCRETE}"),
    (LinearBoxToBox(low=0, high=1), OPEN, f"linear-box-to-box: linear-box-to-box needs {FINITE} {OPEN}"),
    (
        LinearBoxToBox(low=(0, 0), high=1),
        Box((3,), 0, 1),
        f"linear-box-to-box: 2 bounds do not fit values of shape (3,) - {EACH}",
    ),
    (
        PartialDiscreteMap(actions=(0, 4)),
        Discrete(4),
        "partial-discrete-map: the action 4 is none of the environment's - it takes Discrete(n=4, names=())",
    ),
    (
        PartialDiscreteMap(actions=((0, 1),)),
        Discrete(4),
        "partial-discrete-map: the action (0, 1) does not have the shape () of the environment's actions",
    ),
    (Clipping(low=1), DISCRETE, f"clipping: clipping needs {REAL}"),
    (Clipping(low=(1, 2)), Box((3,)), f"clipping: 2 bounds do not fit values of shape (3,) - {EACH}"),
    (Clipping(low=(1, 2)), Box(()), f"clipping: 2 bounds do not fit values of shape () - {EACH}"),
    (Normalization(), DISCRETE, f"normalization: only real numbers (a box) have a mean, got {DISCRETE}"),
    (Crop(low=(1,)), DISCRETE, f"crop: crop needs {REAL}"),
    (Crop(high=(2,)), MAP, "crop: 1 edges do not fit values of shape (4, 4) - give one for each axis"),
    (Crop(high=(5, 4)), MAP, "crop: the window () to (5, 4) does not lie within (4, 4)"),
    (Crop(low=(4, 0)), MAP, "crop: the window (4, 0) to () does not lie within (4, 4)"),
    (MoveAxis(origin=0, target=1), DISCRETE, f"move-axis: move-axis needs {REAL}"),
    (
        MoveAxis(origin=0, target=3),
        Box((2, 3, 4)),
        "move-axis: there is no axis 3 in values of shape (2, 3, 4) - axes go from -3 to 2",
    ),
    (
        ReductionBySubPartsName(keep="sped"),
        CART,
        f"{NAMED}: no component is called 'sped' - did you mean 'speed'? known: angle, place, speed, turn",
    ),
    (
        ReductionBySubPartsName(keep="speed"),
        Box((4,)),
        f"{NAMED}: no component is called 'speed' - they have no names here, give places such as 0",
    ),
    (ReductionBySubPartsName(keep=4), CART, f"{NAMED}: there is no component 4 - places go from 0 to 3"),
    (ReductionBySubPartsName(discard=-5), CART, f"{NAMED}: there is no component -5 - places go from 0 to 3"),
    (
        ReductionBySubPartsName(discard=(0, 1, 2, 3)),
        CART,
        f"{NAMED}: nothing is left when [0, 1, 2, 3] go - leave one or more",
    ),
    (ReductionBySubPartsName(keep=0), Box(()), f"{PARTS} {Box(())}"),
    (ReductionBySubPartsName(keep=0), DISCRETE, f"{PARTS} {DISCRETE}"),
    (RescaleSizeByFactor(factor=0.5), DISCRETE, f"rescale-size-by-factor: rescale-size-by-factor needs {REAL}"),
    (
        RescaleSizeByFactor(factor=0.1),
        Box((4, 30)),
        "rescale-size-by-factor: nothing is left of 4 x 30 pixels times 0.1 - use a larger one",
    ),
    (
        RescaleToSize(size=(2, 2)),
        Box((3, 10, 20), dtype="uint8"),
        (
            "rescale-to-size: values of shape (3, 10, 20) seem to have their channels first - "
            "put 'move-axis' before this filter"
        ),
    ),
    (
        RescaleToSize(size=(2, 2)),
        OPEN,
        "rescale-to-size: only pictures [H, W] or [H, W, C] can be rescaled, got (1,)",
    ),
    (
        RGBToY(),
        Box((3, 8, 8), dtype="uint8"),
        "rgb-to-y: rgb-to-y needs pictures [H, W, 3], got values of shape (3, 8, 8)",
    ),
    (RGBToY(), DISCRETE, f"rgb-to-y: rgb-to-y needs {REAL}"),
    (Squeeze(axis=0), DISCRETE, f"squeeze: squeeze needs {REAL}"),
    (Squeeze(axis=-2), OPEN, "squeeze: there is no axis -2 in values of shape (1,) - axes go from -1 to 0"),
    (Squeeze(axis=0), Box((2, 1)), "squeeze: axis 0 has length 2; only one of length 1 can go"),
    (Stacking(size=2), DISCRETE, f"stacking: vectors and pictures (boxes) can be stacked, got {DISCRETE}"),
    (Stacking(size=2), Box(()), f"stacking: vectors and pictures (boxes) can be stacked, got {Box(())}"),
    (ToUInt8(), DISCRETE, f"to-uint8: to-uint8 needs {REAL}"),
    (ToUInt8(), OPEN, "to-uint8: to-uint8 needs a finite range, got -inf to inf - give low and high"),
    (ToUInt8(low=0, high=inf), OPEN, "to-uint8: to-uint8 needs a finite range, got 0 to inf - give low and high"),
    (
        EwmaNormalization(),
        DISCRETE,
        f"ewma-normalization: only real numbers (a box) have an average, got {DISCRETE}",
    ),
    (Rescale(factor=2), DISCRETE, f"rescale: only real numbers (a box) can be rescaled, got {DISCRETE}"),
]


@pytest.mark.parametrize(("part", "given", "said"), SETTINGS, ids=lambda one: getattr(one, "__name__", None))
def test_settings(part, given, said):
    with pytest.raises(BadSetting) as caught:
        part(**given)
    assert str(caught.value) == said


@pytest.mark.parametrize(("part", "space", "said"), SPACES, ids=lambda one: type(one).__name__)
def test_spaces(part, space, said):
    with pytest.raises(Mismatch) as caught:
        part.space(space)
    assert str(caught.value) == said
