"""Every filter of this distribution keeps the laws of filters."""

from __future__ import annotations

import pytest

from coach_filters.action.attention_discretization import AttentionDiscretization
from coach_filters.action.box_discretization import BoxDiscretization
from coach_filters.action.box_masking import BoxMasking
from coach_filters.action.full_discrete_map import FullDiscreteMap
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
from coachcore.api import Attention, Box, Compound, Discrete, MultiSelect
from coachcore.testing.filter import LAWS

PICTURE = Box((10, 7, 3), 0, 255, "uint8")
SMALL = Box((3,), (-1.0, 0.0, -0.25), (1.0, 0.5, 8.0))
MIXED = Compound({"turn": Discrete(2), "speed": Box((2,), (0.1, -1), (8, 1))})
CASES = {
    "clipping": (Clipping(low=-0.3, high=0.7), SMALL),
    "clipping-vector": (Clipping(low=(-0.1, 0.1, 0.0), high=0.2), SMALL),
    "clipping-below": (Clipping(low=0.0), Box((2, 3))),
    "clipping-bytes": (Clipping(low=9.5, high=100.2), Box((4, 4, 1), 0, 255, "uint8")),
    "clipping-elsewhere": (Clipping(low=20.0, high=30.0), SMALL),
    "clipping-reward": (Clipping(low=-1, high=1), Box((), -100, 100)),
    "normalization-reward": (Normalization(), Box((), -100, 100)),
    "ewma-normalization": (EwmaNormalization(alpha=0.5), Box((), -100, 100)),
    "normalization": (Normalization(), SMALL),
    "normalization-tight": (Normalization(clip=0.1), Box((2,))),
    "normalization-bytes": (Normalization(), Box((4, 4, 1), 0, 255, "uint8")),
    "rescale": (Rescale(factor=0.1), Box((), -100, 50)),
    "rescale-negative": (Rescale(factor=-2.0), Box((), -1)),
    "reduction-names": (
        ReductionBySubPartsName(keep=("c", "a")),
        Box((3,), (-1.0, 0.0, -0.25), (1.0, 0.5, 8.0), names=("a", "b", "c")),
    ),
    "reduction-places": (ReductionBySubPartsName(discard=-2), SMALL),
    "stacking": (Stacking(), SMALL),
    "stacking-one": (Stacking(size=1), PICTURE),
    "stacking-grey": (Stacking(size=3), Box((5, 4), 0, 255, "uint8")),
    "stacking-colour": (Stacking(size=2), PICTURE),
    "rgb-to-y": (RGBToY(), PICTURE),
    "rgb-to-y-numbers": (RGBToY(), Box((4, 2, 3), (-0.1, 0.0, 0.3), (0.1, 0.7, 3.3))),
    "rescale-to-size": (RescaleToSize(size=(4, 5)), PICTURE),
    "rescale-to-size-larger": (RescaleToSize(size=(13, 9)), Box((10, 7), -0.1, 0.3)),
    "rescale-to-size-colours": (RescaleToSize(size=(4, 9)), Box((10, 7, 2), -0.1, (0.3, 9.0), names=("a", "b"))),
    "rescale-size-by-factor": (RescaleSizeByFactor(factor=0.5), PICTURE),
    "rescale-size-by-factor-larger": (RescaleSizeByFactor(factor=1.7), Box((10, 7), -0.1, 0.3)),
    "to-uint8": (ToUInt8(), SMALL),
    "to-uint8-outside": (ToUInt8(low=0.0, high=1.0), Box((2, 2))),
    "crop": (Crop(low=(2, 0, 1), high=(-1, 4, 2)), PICTURE),
    "move-axis": (MoveAxis(origin=0, target=-2), PICTURE),
    "squeeze": (Squeeze(), Box((1, 4, 1), -1, 1)),
    "squeeze-axis": (Squeeze(axis=-3), Box((1, 4, 1), -1, 1)),
    "linear-box-to-box": (LinearBoxToBox(low=-1, high=1), SMALL),
    "linear-box-to-box-vector": (LinearBoxToBox(low=(-1, 0, 5), high=(1, 0.1, 6)), Box((3,), -0.3, 0.7)),
    "box-discretization": (BoxDiscretization(bins=(3, 2, 5)), SMALL),
    "box-discretization-tensor": (BoxDiscretization(bins=2), Box((2, 2), -0.3, 0.7)),
    "box-discretization-mixed": (BoxDiscretization(bins=(2, 3)), MIXED),
    "attention-discretization": (AttentionDiscretization(bins=(2, 3)), Attention(Box((2,), 0.1, (0.7, 40)))),
    "full-discrete-map": (FullDiscreteMap(), MultiSelect(4, 2)),
    "full-discrete-map-compound": (FullDiscreteMap(), Compound({"turn": Discrete(3), "keys": MultiSelect(2)})),
    "partial-discrete-map": (PartialDiscreteMap(actions=(2, 0)), Discrete(4)),
    "partial-discrete-map-box": (PartialDiscreteMap(actions=((0.1, 0.2), (0.3, 0.1))), Box((2,), 0.1, 0.3)),
    "partial-discrete-map-mixed": (PartialDiscreteMap(actions=((1, 3, 0.5), (0, 0.1, 0))), MIXED),
    "box-masking": (BoxMasking(low=0.1, high=0.3), Box((2,), 0.1, 0.3)),
    "box-masking-vector": (BoxMasking(low=(-1.0, 0.1, 0.0), high=(1.0, 0.2, 7.3)), SMALL),
}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("case", CASES)
def test_law(case, law):
    law(*CASES[case])
