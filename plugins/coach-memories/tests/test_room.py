"""Memories on a disk are as those in the machine's memory, and say when it is full."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from coach_memories import room as module
from coach_memories.episodic_experience_replay import EpisodicExperienceReplay
from coach_memories.experience_replay import ExperienceReplay
from coach_memories.prioritized_experience_replay import PrioritizedExperienceReplay
from coach_memories.ring import Ring
from coach_memories.room import Room, length, put
from coachcore.api import BadSetting, Column, Layout
from coachcore.testing.laws import saved
from coachcore.testing.memory import LAWS
from coachcore.testing.numbered import numbered

LAYOUT = Layout(
    (
        Column("obs.camera", (3, 2, 4), "uint8"),
        Column("obs.mask", (5,), "uint8"),
        Column("action"),
        Column("reward"),
        Column("discount"),
        Column("next_obs.camera", (3, 2, 4), "uint8"),
    )
)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("part", [ExperienceReplay, PrioritizedExperienceReplay, EpisodicExperienceReplay])
def test_a_memory_on_a_disk_keeps_the_laws(part, law, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "PIECE", 100)  # so that states come in several pieces
    law(part(capacity=50, disk=str(tmp_path)), LAYOUT)
    assert not list(tmp_path.iterdir())  # files have no name


def test_what_is_saved_fits_a_memory_elsewhere(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "PIECE", 100)
    disk, ram = Ring(LAYOUT, 60, 1, Room(str(tmp_path))), Ring(LAYOUT, 60)
    disk.add(numbered(LAYOUT, 0, 70))
    state = disk.state()
    assert len(state["packed"]) > 1
    ram.restore(saved(state))
    other = Ring(LAYOUT, 60, 1, Room(str(tmp_path)))
    other.restore(saved(ram.state()))
    rows = np.arange(60)
    for ring in (ram, other):
        assert np.array_equal(ring.packed(rows), disk.packed(rows))
        for name, values in ring.apart(rows).items():
            assert np.array_equal(values, disk.apart(rows)[name])


def test_growing_keeps_what_is_there(tmp_path):
    for room in (Room(), Room(str(tmp_path))):
        array = room.empty((3, 5), np.uint8)
        array[:] = np.arange(15).reshape(3, 5)
        array = room.grown(array, 9)
        assert array.shape == (9, 5)
        assert array[:3].ravel().tolist() == list(range(15))
        array[8] = 7


def test_nothing_is_mapped_of_nothing(tmp_path):
    assert Room(str(tmp_path)).empty((4, 0), np.float32).shape == (4, 0)


def test_pieces():
    place = np.zeros((5, 2))
    pieces = [np.ones((2, 2)), np.full((1, 2), 3.0)]
    assert length(pieces) == 3
    put(place, pieces)
    assert place[:, 0].tolist() == [1, 1, 3, 0, 0]
    put(place, np.full((1, 2), 9.0))
    assert place[:, 0].tolist() == [9, 1, 3, 0, 0]


def test_a_folder_that_is_not_there():
    with pytest.raises(BadSetting) as caught:
        ExperienceReplay(capacity=9, disk="no/such/folder").make(LAYOUT, 1)
    assert str(caught.value) == (
        "memory.disk: no file can be made in 'no/such/folder': No such file or directory - "
        "name a folder that can be written to"
    )


def test_a_disk_that_is_too_small(tmp_path):
    free = shutil.disk_usage(tmp_path).free
    with pytest.raises(BadSetting) as caught:
        Room(str(tmp_path)).empty((2 * free // 1000 + 1, 1000), np.uint8)
    said = str(caught.value)
    assert said.startswith(f"memory.disk: {2 * free / 1e9:.1f} GB do not fit into '{tmp_path}', which has ")
    assert said.endswith("GB left - lower memory.capacity or name another folder")


def test_where_the_system_cannot_reserve(tmp_path, monkeypatch):
    monkeypatch.delattr(module.os, "posix_fallocate", raising=False)
    array = Room(str(tmp_path)).empty((10, 10), np.uint8)
    array[:] = 3
    assert array.sum() == 300
    free = shutil.disk_usage(tmp_path).free
    with pytest.raises(BadSetting, match=r"memory\.disk: "):
        Room(str(tmp_path)).empty((2 * free // 1000 + 1, 1000), np.uint8)
