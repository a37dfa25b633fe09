"""The laws of acting pass an agent of several networks that keeps and adapts, and catch each of several broken ones."""

from __future__ import annotations

import pytest

from coachcore.spaces import Discrete
from coachcore.testing.agent import LAWS, check_agent
from coachcore.testing.trial import trial


@pytest.mark.parametrize(
    ("fault", "rule"),
    [
        ("adds up", "loss of head policy in a batch laid twice is what it was"),
        ("odd centre", "preferences are the tanh of the centre"),
        ("lonely centre", "a proposal with a centre has the deviation that belongs to it"),
        ("keeps more", r"kept\(\) gives the columns \['policy', 'value'\], got \['more', 'policy', 'value'\]"),
        ("keeps flat", r"kept 'policy' has shape \(1, 3\), got \(1,\)"),
        ("keeps infinities", "kept 'policy' is finite"),
        ("keeps a mixture", "environments do not mix in what is kept"),
        ("keeps another", "kept 'value' is what the head 'value' says"),
        ("renames", r"knobs are always \['at0', 'gain'\], at step 1 they are \['at1', 'gain'\]"),
        ("limitless", "knobs are finite numbers, at step 10000 they are"),
        ("adapts in place", "adapt hands back a new state"),
        ("adapts by chance", "adapt follows from what it is given"),
    ],
)
def test_a_fault_of_several_networks_is_caught(fault, rule, several):
    if fault in ("adapts in place", "limitless", "renames", "adapts by chance"):
        law = next(law for law in LAWS if law.__name__ == "its_knobs_keep_their_names")
    elif fault.startswith("keeps "):
        law = next(law for law in LAWS if law.__name__ == "what_is_kept_fills_its_columns")
    else:
        law = check_agent
    with pytest.raises(AssertionError, match=rule):
        law(several(fault=fault), trial(Discrete(3)))


def test_an_agent_of_several_networks_passes(several):
    check_agent(several())
