"""Every preset is sound as it is written."""

from __future__ import annotations

from importlib.resources import files
from importlib.util import find_spec

import pytest

import coachcore

PRESETS = sorted(path.name.removesuffix(".toml") for path in (files("acme_presets") / "presets").iterdir())


def test_there_are_some():
    assert PRESETS == ["acme-cliff", "acme-windy-cliff"]


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_sound(name):
    if name == "acme-windy-cliff" and find_spec("tensorflow") is None:
        pytest.skip("its engine needs TensorFlow")
    assert coachcore.load_preset(name).resolved["environment"]["use"] == "cliff"
