"""What the comparison computes: operations by hand, the table's arithmetic, and cases that fit together."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture(autouse=True)
def _beside(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parent))


@pytest.fixture
def cases():
    return import_module("peers.cases").CASES


def test_products_of_a_small_network_by_hand():
    net = import_module("peers.floor").dense((2, 3, 1))
    assert net == (9, 6)
    assert net.forward() == 18
    assert net.through() == 36
    assert net.trained() == 18 + 36 - 12  # the gradient of the input is not needed


@pytest.mark.parametrize(
    ("name", "millions"),
    [
        ("dqn-1", 2.26),  # 64 rows, 4 passes of 2 * (256 + 4096 + 128), less the first layer once
        ("dqn-zoo", 34.2),
        ("ppo", 13.4),
        ("sac-1", 545.9),
        ("pixels", 2183.0),
    ],
)
def test_operations_of_an_update(cases, name, millions):
    assert cases[name].operations / 1e6 == pytest.approx(millions, rel=0.005)


def test_td3_moves_its_actor_half_as_often(cases):
    floor = import_module("peers.floor")
    actor, critic = floor.Net(10, 1), floor.Net(100, 10)
    assert floor.td3(actor, critic, 2) == 2 * (20 + 2 * (200 + 580) + (58 + 400) / 2)
    assert floor.td3(actor, critic, 2) > floor.td3(actor, critic, 2, delay=4)


def test_cases_are_whole_cycles_and_say_what_is_asked(cases):
    for case in cases.values():
        assert case.cycle % case.every == 0, case.name
        assert (case.steps - case.warm) % case.cycle == 0, case.name
        assert case.heatup <= case.warm, case.name
        assert set(case.asked) <= {"sb3", "sbx", "dqn"}, case.name
        short = case.scaled(0.0)
        assert short.steps == case.warm + 2 * case.cycle


def test_a_rival_differs_in_its_agent_alone(cases):
    rival = import_module("peers.cases").rival(cases["c51"])
    assert (rival.algorithm, rival.atoms) == ("dqn", 1)
    assert (rival.hidden, rival.batch, rival.every) == ((64, 64), 64, 1)


def test_a_result_is_the_difference_of_two_marks():
    watch = import_module("peers.watch")
    begun, ended = watch.Mark(10.0, 100, 50, 1.0), watch.Mark(12.0, 300, 90, 1.5)
    took = watch.result("steps/s", begun, ended, ("numpy",))
    assert took["rate"] == 100.0
    assert took["us"] == pytest.approx(12_500.0)
    assert took["versions"] == {"numpy": np.__version__}
    assert watch.result("updates/s", begun, ended, ())["rate"] == 20.0
    assert watch.result("updates/s of train calls", begun, ended, ())["rate"] == 80.0


def test_bytes_are_those_of_arrays_and_views_count_once():
    held = {"ring": np.zeros(100, np.uint8)}
    held["view"] = held["ring"][10:]
    held["deeper"] = [np.zeros((2, 3), np.float32)]
    assert import_module("peers.watch").bytes_held(held) == 100 + 24


def test_a_row_has_the_median_of_the_paired_ratios(cases):
    versus = import_module("versus_sb3")
    took = [
        {
            "coach": {"rate": ours, "us": 1e6 / ours},
            "sb3": {"rate": 100.0, "us": 1e4},
            "floor": {"operations": cases["dqn-1"].operations * 1e5},
        }
        for ours in (300.0, 600.0, 400.0)
    ]
    cells = [cell.strip() for cell in versus.row(cases["dqn-1"], "sb3", took).strip("|").split("|")]
    assert cells == ["dqn-1", "sb3", "updates/s", "400", "100", "4.00 (3.00 to 6.00)", ">= 4", "2,500, 10,000", "10"]


def test_time_is_compared_where_at_most_is_asked(cases):
    versus = import_module("versus_sb3")
    took = [
        {"coach": {"rate": 50.0, "us": 150.0}, "dqn": {"rate": 60.0, "us": 100.0}, "floor": {"operations": 1e11}},
    ]
    assert "| 1.50 (1.50 to 1.50) | <= 1.6 |" in versus.row(cases["c51"], "dqn", took)


def test_pictures_move_up_by_one_frame_a_step():
    pytest.importorskip("gymnasium")
    world = import_module("peers.frames").RandomFrames()
    before, _ = world.reset(seed=3)
    assert before.shape == (84, 84, 4)
    assert np.array_equal(before[..., 0], before[..., 3])
    after, *_ = world.step(0)
    assert np.array_equal(after[..., :3], before[..., 1:])
    assert not np.array_equal(after[..., 3], before[..., 3])
