"""Numbered actions: of buttons, windows, and choices side by side."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach_filters.action.attention_discretization import AttentionDiscretization
from coach_filters.action.box_discretization import BoxDiscretization
from coach_filters.action.box_masking import BoxMasking
from coach_filters.action.full_discrete_map import FullDiscreteMap
from coach_filters.action.linear_box_to_box import LinearBoxToBox
from coach_filters.action.partial_discrete_map import PartialDiscreteMap
from coachcore.api import Attention, BadSetting, Box, Compound, Discrete, Mismatch, MultiSelect, Rows

ROWS = Rows(np.arange(1), first=False)
BUTTONS = MultiSelect(3, 2, names=("left", "right", "fire"))
SIDE = Compound({"turn": Discrete(3), "lamp": MultiSelect(2, none=False)})
MIXED = Compound({"turn": Discrete(2), "speed": Box((2,), (0, -1), (8, 1))})
SCREEN = Attention(Box((2,), 0, 83))


def done(part, space, *actions):
    return part(part.init(space, 1), np.array(actions), ROWS)[1].tolist()


# full-discrete-map


def test_buttons_by_hand():
    names = ("no-op", "left", "right", "fire", "left + right", "left + fire", "right + fire")
    assert FullDiscreteMap().space(BUTTONS) == Discrete(7, names)
    assert done(FullDiscreteMap(), BUTTONS, 0, 3, 5) == [[0, 0, 0], [0, 0, 1], [1, 0, 1]]
    assert FullDiscreteMap().space(MultiSelect(4, 2)).n == 11
    assert done(FullDiscreteMap(), MultiSelect(2, none=False), 0, 2) == [[1, 0], [1, 1]]


def test_choices_side_by_side_by_hand():
    space = FullDiscreteMap().space(SIDE)
    assert space.names[:4] == ("turn: 0, lamp: 0", "turn: 0, lamp: 1", "turn: 0, lamp: 0 + 1", "turn: 1, lamp: 0")
    assert done(FullDiscreteMap(), SIDE, 0, 5, 8) == [[0, 1, 0], [1, 1, 1], [2, 1, 1]]


@pytest.mark.parametrize("space", [BUTTONS, SIDE, Discrete(4), Compound({"inner": SIDE, "n": Discrete(2)})])
def test_every_choice_is_there_once(space):
    part = FullDiscreteMap()
    number = part.space(space).n
    every = part(part.init(space, 1), np.arange(number), ROWS)[1]
    assert space.contains(every)
    assert len(np.unique(every, axis=0)) == number
    drawn = space.sample(np.random.default_rng(0), 100)
    assert number == len(np.unique(np.concatenate([every, drawn]), axis=0))


@pytest.mark.parametrize(
    ("space", "said"),
    [
        (
            Box((2,), 0, 1),
            (
                "full-discrete-map: the actions of Box((2,), 0 to 1, float32) cannot be counted - "
                "use 'box-discretization', or 'partial-discrete-map' and list those wanted"
            ),
        ),
        (
            SCREEN,
            (
                f"full-discrete-map: the actions of {SCREEN} cannot be counted - "
                "use 'attention-discretization', or 'partial-discrete-map' and list those wanted"
            ),
        ),
        (
            Compound({"turn": Discrete(2), "speed": Box((1,))}),
            (
                "full-discrete-map: the actions of Box((1,), -inf to inf, float32) cannot be counted - "
                "use 'box-discretization', or 'partial-discrete-map' and list those wanted"
            ),
        ),
        (
            MultiSelect(60),
            "full-discrete-map: at most 60 of 60 buttons make 1152921504606846976 actions - 100000 are the most",
        ),
        (
            Compound({"a": Discrete(1000), "b": Discrete(1000)}),
            "full-discrete-map: 1000 x 1000 choices make 1000000 actions - 100000 are the most",
        ),
    ],
)
def test_what_cannot_be_counted_is_refused(space, said):
    with pytest.raises(Mismatch, match=f"^{re.escape(said)}$"):
        FullDiscreteMap().space(space)


# partial-discrete-map


@pytest.mark.parametrize(
    ("space", "actions", "names"),
    [
        (Discrete(4, ("a", "b", "c", "d")), (3, 0), ("d", "a")),
        (Box((2,), -1, 1, names=("steer", "gas")), ((0, 1), (-1, 0.5)), ("steer 0, gas 1", "steer -1, gas 0.5")),
        (Box((), -1, 1), (0.5, -1), ("0.5", "-1")),
        (BUTTONS, ((0, 0, 0), (1, 0, 1)), ("no-op", "left + fire")),
        (SCREEN, (((0, 0), (9, 9)), ((4, 4), (8, 9))), ("0, 0 to 9, 9", "4, 4 to 8, 9")),
        (
            MIXED,
            ((1, 3, 0.5), (0, 0, 0)),
            ("turn: 1, speed: 3, 0.5", "turn: 0, speed: 0, 0"),
        ),
    ],
)
def test_any_actions_of_any_space_can_be_listed(space, actions, names):
    part = PartialDiscreteMap(actions=actions)
    assert part.space(space) == Discrete(2, names)
    state = part.init(space, 2)
    out = part(state, np.array([1, 0, 1]), ROWS)[1]
    assert out.dtype == space.dtype
    np.testing.assert_array_equal(out, np.array([actions[1], actions[0], actions[1]], out.dtype))


def test_actions_may_be_given_names():
    assert PartialDiscreteMap(actions=(0, 2), names=("stay", "go")).space(Discrete(3)).names == ("stay", "go")


@pytest.mark.parametrize(
    ("actions", "space", "said"),
    [
        ((0, 4), Discrete(4), "the action 4 is none of the environment's - it takes Discrete(n=4, names=())"),
        ((0, 1.5), Discrete(4), "the action 1.5 is none of the environment's - it takes Discrete(n=4, names=())"),
        (
            ((0, 2),),
            Box((2,), 0, 1),
            "the action (0, 2) is none of the environment's - it takes Box((2,), 0 to 1, float32)",
        ),
        (
            ((0, np.nan),),
            Box((2,), 0, 1),
            "the action (0, nan) is none of the environment's - it takes Box((2,), 0 to 1, float32)",
        ),
        (
            ((0, 0, 0),),
            Box((2,), 0, 1),
            "the action (0, 0, 0) does not have the shape (2,) of the environment's actions",
        ),
        (
            ((0, (0, 1)),),
            Box((2,), 0, 1),
            "the action (0, (0, 1)) does not have the shape (2,) of the environment's actions",
        ),
        (
            ((1, 1, 1),),
            BUTTONS,
            f"the action (1, 1, 1) is none of the environment's - it takes {BUTTONS}",
        ),
    ],
)
def test_actions_outside_of_the_space_are_refused(actions, space, said):
    with pytest.raises(Mismatch, match=f"^partial-discrete-map: {re.escape(said)}$"):
        PartialDiscreteMap(actions=actions).space(space)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"actions": ()}, "partial-discrete-map: there is no action to choose - list one or more"),
        (
            {"actions": (0, 1), "names": ("stay",)},
            "names: 1 names were given for 2 actions - give as many, or none",
        ),
    ],
)
def test_lists_that_make_no_sense(settings, said):
    with pytest.raises(BadSetting, match=f"^{said}$"):
        PartialDiscreteMap(**settings)


# attention-discretization


def test_windows_by_hand():
    part = AttentionDiscretization(bins=2)
    assert part.space(SCREEN) == Discrete(4)
    assert done(part, SCREEN, 0, 1, 2, 3) == [
        [[0, 0], [41.5, 41.5]],
        [[0, 41.5], [41.5, 83]],
        [[41.5, 0], [83, 41.5]],
        [[41.5, 41.5], [83, 83]],
    ]
    assert done(AttentionDiscretization(bins=2, whole=True), SCREEN, 1) == [[[0, 41], [41, 83]]]


def test_windows_of_any_number_of_dimensions():
    """The old filter knew two."""
    line, cube = Attention(Box((1,), 0, 9)), Attention(Box((3,), 0, (2, 4, 6)))
    assert done(AttentionDiscretization(bins=3), line, 0, 2) == [[[0], [3]], [[6], [9]]]
    part = AttentionDiscretization(bins=(1, 2, 2))
    assert part.space(cube) == Discrete(4)
    assert done(part, cube, 1) == [[[0, 0, 3], [2, 2, 6]]]


@pytest.mark.parametrize(
    ("part", "space", "said"),
    [
        (
            AttentionDiscretization(bins=2),
            Box((2,), 0, 1),
            "attention-discretization needs actions that are windows (attention), got Box((2,), 0 to 1, float32)",
        ),
        (
            AttentionDiscretization(bins=(2, 2, 2)),
            SCREEN,
            "3 numbers of bins do not fit actions of shape (2,) - give one, or one for each dimension",
        ),
        (
            AttentionDiscretization(bins=1000),
            SCREEN,
            "1000 x 1000 windows make 1000000 actions - 100000 are the most",
        ),
        (
            AttentionDiscretization(bins=2),
            Attention(Box((2,), 0, 84), 10),
            "windows of size 10 are wanted, (2, 2) bins make others",
        ),
    ],
)
def test_windows_that_do_not_fit(part, space, said):
    with pytest.raises(Mismatch, match=f"^attention-discretization: {re.escape(said)}$"):
        part.space(space)


# box-discretization


def test_boxes_among_other_choices_become_grids():
    part = BoxDiscretization(bins=(3, 2))
    assert part.space(MIXED) == Discrete(12)
    assert done(part, MIXED, 0, 1, 2, 6, 11) == [[0, 0, -1], [0, 0, 1], [0, 4, -1], [1, 0, -1], [1, 8, 1]]


@pytest.mark.parametrize("make", [BoxDiscretization, AttentionDiscretization])
@pytest.mark.parametrize(
    ("bins", "said"),
    [
        (1, "bins: 1 bins leave nothing to choose from - give 2 or more"),
        ((1, 1), "bins: (1, 1) bins leave nothing to choose from - give 2 or more"),
        (0, "bins: 0 is out of range - must be >= 1"),
        ((3, -2), "bins: -2 is out of range - must be >= 1"),
    ],
)
def test_bins_that_make_no_choice(make, bins, said):
    with pytest.raises(BadSetting, match=f"^{re.escape(said)}$"):
        make(bins=bins)


# the other way round


@pytest.mark.parametrize(
    ("part", "space"),
    [
        (FullDiscreteMap(), BUTTONS),
        (FullDiscreteMap(), SIDE),
        (PartialDiscreteMap(actions=(3, 0, 2)), Discrete(4)),
        (PartialDiscreteMap(actions=((0, 1), (1, 1))), Box((2,), 0, 1)),
        (AttentionDiscretization(bins=(2, 3)), SCREEN),
        (BoxDiscretization(bins=(3, 2)), MIXED),
        (BoxDiscretization(bins=4), Box((2,), -0.3, 0.7)),
    ],
)
def test_the_agents_action_is_found_from_what_was_done(part, space):
    state, every = part.init(space, 1), np.arange(part.space(space).n)
    np.testing.assert_array_equal(part.inverse(state, part(state, every, ROWS)[1]), every)


def test_what_lies_between_is_the_nearest():
    part, space = BoxDiscretization(bins=3), Box((1,), 0, 10)
    assert part.inverse(part.init(space, 1), np.array([[2.4], [2.6], [99.0]])).tolist() == [0, 1, 2]


@given(st.lists(st.floats(0, 1), min_size=2, max_size=2))
def test_boxes_go_back_as_they_came(shares):
    space, rows = Box((2,), (-2, 0), (2, 8)), Rows(np.arange(1), first=False)
    for part in (LinearBoxToBox(low=(0, -1), high=(1, 1)), BoxMasking(low=(-1, 2), high=(1, 4))):
        state, inner = part.init(space, 1), part.space(space)
        action = (inner.low + np.array(shares) * (inner.high - inner.low)).astype(np.float32)[None]
        back = part.inverse(state, part(state, action, rows)[1])
        assert back == pytest.approx(action, abs=1e-5)
        assert inner.contains(back)
