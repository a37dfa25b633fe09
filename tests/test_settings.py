"""The settings of a run: sound where nothing is said, described, and held to their bounds."""

from __future__ import annotations

import attrs
import pytest

from coachcore.clock import Duration
from coachcore.component import Fixed, complaint, params_of, plain
from coachcore.errors import BadSetting
from coachcore.settings import (
    SECTIONS,
    CheckpointSettings,
    EvaluateSettings,
    LearnerSettings,
    ScheduleSettings,
    ValidationSettings,
)

PARAMS = [(section, spec) for section, cls in SECTIONS.items() for spec in params_of(cls)]
NAMES = [f"{section}.{spec.name}" for section, spec in PARAMS]


def test_defaults_by_hand():
    learner = LearnerSettings()
    assert (learner.batch_size, learner.learning_rate, learner.optimizer) == (32, Fixed(2.5e-4), "adam")
    assert (learner.train_every, learner.target_every) == (Duration(1, "steps"), Duration(100, "updates"))
    schedule = ScheduleSettings()
    assert (schedule.heatup, schedule.train) == (Duration(1_000, "steps"), Duration(50_000, "steps"))
    assert schedule.evaluate == EvaluateSettings(every="10_000 steps", episodes=10)
    assert schedule.target is None
    assert CheckpointSettings() == CheckpointSettings(every="10_000 steps", keep_last=2, keep_best=True)


@pytest.mark.parametrize(("section", "spec"), PARAMS, ids=NAMES)
def test_every_setting_is_described_and_its_default_fits(section, spec):
    assert spec.doc
    assert not spec.doc.endswith(".")
    default = Duration.parse(spec.default) if spec.type == "duration" and not spec.required else spec.default
    assert spec.required or complaint(default, spec._asdict()) == ""


@pytest.mark.parametrize("cls", [cls for cls in SECTIONS.values() if cls is not ValidationSettings])
def test_a_section_is_made_again_from_its_plain_form(cls):
    settings = {name: value for name, value in plain(cls()).items() if value is not None and name != "evaluate"}
    assert cls(**settings) == cls()


@pytest.mark.parametrize(
    ("cls", "given", "words"),
    [
        (LearnerSettings, {"batch_size": 0}, "batch_size: 0 is out of range - must be >= 1"),
        (LearnerSettings, {"learning_rate": -1}, "learning_rate: -1.0 is out of range - must be >= 0"),
        (LearnerSettings, {"beta1": 1.0}, "beta1: 1.0 is out of range - must be >= 0 and < 1"),
        (LearnerSettings, {"target_rate": 1.01}, "target_rate: 1.01 is out of range - must be > 0 and <= 1"),
        (LearnerSettings, {"optimizer": "adm"}, ("optimizer: 'adm' is not a choice here - did you mean 'adam'? "
                                                 "known: adam, lbfgs, rmsprop, sgd")),
        (CheckpointSettings, {"keep_last": 0}, "keep_last: 0 is out of range - must be >= 1"),
        (EvaluateSettings, {"episodes": 0}, "episodes: 0 is out of range - must be >= 1"),
    ],
)  # fmt: skip
def test_what_is_refused(cls, given, words):
    with pytest.raises(BadSetting) as refused:
        cls(**given)
    assert str(refused.value) == words


def test_a_validation_says_all_it_promises():
    with pytest.raises(TypeError, match="reward"):
        ValidationSettings(within="1 steps")
    assert ValidationSettings(reward=475, within="50_000 steps").within == Duration(50_000, "steps")


@pytest.mark.parametrize("cls", SECTIONS.values())
def test_sections_are_frozen_and_by_keyword(cls):
    assert attrs.fields(cls)[0].kw_only
    with pytest.raises(TypeError):
        cls(1)
    some = cls(reward=1.0, within="1 steps") if cls is ValidationSettings else cls()
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        setattr(some, attrs.fields(cls)[0].name, 1)


def test_durations_have_the_units_that_can_be_counted_there():
    with pytest.raises(BadSetting, match="heatup: 'seconds' cannot be counted here; use one of steps, episodes"):
        ScheduleSettings(heatup="5 seconds")
    assert CheckpointSettings(every="5 seconds").every.unit == "seconds"


def test_a_duration_of_nothing_is_none():
    with pytest.raises(BadSetting, match="train: 0 is out of range - must be >= 1"):
        ScheduleSettings(train="0 steps")
    assert ScheduleSettings(heatup="0 steps").heatup.amount == 0
