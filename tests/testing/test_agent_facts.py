"""The laws of what an agent declares pass a sound declaration and catch each of several broken ones."""

from __future__ import annotations

import pytest

from coachcore.spaces import Discrete
from coachcore.testing import agent_facts
from coachcore.testing.trial import trial

NAMES = (
    "settings_never_change",
    "its_networks_fill_the_slots_it_declares",
    "what_it_says_of_itself_is_sound",
    "its_data_is_what_it_declares",
    "its_updates_move_its_networks",
    "a_space_it_cannot_serve_is_a_mismatch",
)


def check(agent):
    for name in NAMES:
        getattr(agent_facts, name)(agent, trial(Discrete(3)))


@pytest.mark.parametrize(
    ("fault", "rule"),
    [
        ("forgets", r"a fresh agent keeps 'value', from which advantages follow; it keeps \['shake'\]"),
        ("two of a name", "columns that are kept or drawn have names of their own"),
        ("no price", r"slots in @component are .*, networks\(\) names .*'value': 'critics'"),
        ("not free", r"free in @component names \['price'\], networks\(\) makes \[\] free"),
        ("shows nothing", r"inputs in @component of 'critic' are \('action',\), networks\(\) says \(\)"),
        ("picky", r"actions in @component are \('discrete',\), but Discrete\(n=2.*\) is refused"),
    ],
)
def test_a_fault_of_several_networks_is_caught(fault, rule, several):
    with pytest.raises(AssertionError, match=rule):
        check(several(fault=fault))


@pytest.mark.parametrize(
    ("facts", "rule"),
    [
        ({"executor": "fast"}, "executor in @component is one of small, twin, conv"),
        ({"actions": "boxes"}, r"actions in @component are of discrete, box, unit-box, got \('boxes',\)"),
        ({"defaults": {"critics": {}}}, "default tables are of networks of the agent, got 'critics'"),
        ({"defaults": {"actor": {"heads": {"q": {}}}}}, r"the default heads fill slots of the agent, got \['q'\]"),
        ({"defaults": {"actor": {"torsos": 2}}}, r"holds parts and settings of a network, got \['torsos'\]"),
    ],
)
def test_an_unsound_declaration_is_caught(facts, rule, several):
    spec = several.__coach__

    class Declared(several):
        __coach__ = spec._replace(facts={**spec.facts, **facts})

    with pytest.raises(AssertionError, match=rule):
        agent_facts.what_it_says_of_itself_is_sound(Declared(), trial(Discrete(3)))


def test_a_sound_declaration_passes(several):
    check(several())
