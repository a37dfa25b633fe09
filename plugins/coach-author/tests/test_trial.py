"""What stands in the way of testing is said in one line."""

from __future__ import annotations

import pytest

from coach_author import trial
from coachcore.api import CoachError


def test_a_folder_without_a_distribution(tmp_path):
    with pytest.raises(CoachError, match="give the folder of a distribution"):
        trial.tested(tmp_path, ())


def test_without_pytest_it_says_how_to_get_it(write, monkeypatch):
    folder = write("schedule")
    monkeypatch.setattr(trial, "find_spec", lambda name: None)
    with pytest.raises(CoachError, match=r"needs pytest - python -m pip install 'coach-author\[test\]'"):
        trial.tested(folder, ())
