"""Returns of stretches of experience: by hand, their laws, and slow twins that walk backwards."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coach_networks.arithmetic import cut_off, gae, n_step_returns, retrace, vtrace

FEW = settings(
    deadline=None, max_examples=min(30, settings().max_examples)
)  # every new shape is compiled on some backends
DRAWS = st.tuples(st.integers(1, 13), st.integers(1, 4), st.integers(0, 999))


def plain(values: Any) -> Any:
    return np.asarray(values).tolist()


def column(*numbers: float) -> np.ndarray:
    return np.array(numbers, np.float32)[:, None]


def drawn(steps: int, rows: int, seed: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    log_ratio, reward, value, after = rng.standard_normal((4, steps, rows)).astype(np.float32)
    discount = np.where(rng.random((steps, rows)) < 0.2, 0.0, 0.9).astype(np.float32)
    last = rng.standard_normal(rows).astype(np.float32)
    return {
        "log_ratio": log_ratio,
        "reward": reward,
        "discount": discount,
        "value": value,
        "after": after,
        "last": last,
    }


def test_returns_by_hand() -> None:
    found = n_step_returns(column(1, 2, 3), column(0.5, 0.5, 0.5), np.array([8.0], np.float32))
    assert plain(found) == [[1 + 0.5 * (2 + 0.5 * 7)], [2 + 0.5 * 7], [7.0]]


def test_nothing_follows_a_terminal_step() -> None:
    found = n_step_returns(column(1, 2, 3), column(0.5, 0.0, 0.5), np.array([8.0], np.float32))
    assert plain(found) == [[2.0], [2.0], [7.0]]


def test_a_truncated_step_is_closed_by_its_own_value() -> None:
    reward, discount = cut_off(column(1, 2, 3), column(0.5, 0.5, 0.5), np.array([[0], [1], [0]]), column(9, 4, 9))
    assert plain(reward) == [[1.0], [4.0], [3.0]]
    assert plain(discount) == [[0.5], [0.0], [0.5]]
    found = n_step_returns(reward, discount, np.array([8.0], np.float32))
    assert plain(found) == [[1 + 0.5 * 4], [2 + 0.5 * 4], [7.0]]


def test_a_value_that_is_not_read_may_be_nan() -> None:
    reward, discount = cut_off(column(1), column(0.5), np.array([[False]]), column(np.nan))
    assert plain(reward) == [[1.0]]
    assert plain(discount) == [[0.5]]


def test_advantages_by_hand() -> None:
    value, last = column(1, 2), np.array([4.0], np.float32)
    found = gae(column(1, 1), column(0.5, 0.5), value, last, 0.5)
    assert plain(found) == [[1.0 + 0.5 * 0.5 * 1.0], [1.0]]  # errors 1 + 1 - 1 and 1 + 2 - 2


@FEW
@given(DRAWS)
def test_returns_equal_their_slow_twin(sizes: tuple[int, int, int]) -> None:
    data = drawn(*sizes)
    slow, follows = np.zeros(data["reward"].shape), data["last"].astype(np.float64)
    for t in reversed(range(sizes[0])):
        follows = data["reward"][t] + data["discount"][t] * follows
        slow[t] = follows
    np.testing.assert_allclose(n_step_returns(data["reward"], data["discount"], data["last"]), slow, atol=1e-4)


@FEW
@given(DRAWS, st.floats(0, 1, width=32))
def test_advantages_equal_their_slow_twin(sizes: tuple[int, int, int], decay: float) -> None:
    data = drawn(*sizes)
    values = np.concatenate([data["value"], data["last"][None]]).astype(np.float64)
    slow, follows = np.zeros(data["reward"].shape), 0.0
    for t in reversed(range(sizes[0])):
        error = data["reward"][t] + data["discount"][t] * values[t + 1] - values[t]
        follows = slow[t] = error + data["discount"][t] * decay * follows
    found = gae(data["reward"], data["discount"], data["value"], data["last"], decay)
    np.testing.assert_allclose(found, slow, atol=1e-4)


@FEW
@given(DRAWS)
def test_advantages_with_decay_one_are_returns_less_values(sizes: tuple[int, int, int]) -> None:
    data = drawn(*sizes)
    returns = np.asarray(n_step_returns(data["reward"], data["discount"], data["last"]))
    found = gae(data["reward"], data["discount"], data["value"], data["last"], 1.0)
    np.testing.assert_allclose(found, returns - data["value"], atol=1e-4)


def test_v_trace_by_hand() -> None:
    logs, value, last = np.log(column(2, 0.5)), column(1, 2), np.array([4.0], np.float32)
    targets, advantage = vtrace(logs, column(1, 1), column(0.5, 0.5), value, last)
    # rho = c = 1, 1/2; errors 1 + 1 - 1 = 1 and (1 + 2 - 2) / 2 = 1/2
    assert plain(targets) == [[pytest.approx(1 + 1 + 0.5 * 1 * 0.5)], [pytest.approx(2.5)]]
    assert plain(advantage) == [[pytest.approx(1 + 0.5 * 2.5 - 1)], [pytest.approx(0.5 * (1 + 2 - 2))]]
    wide, _ = vtrace(logs, column(1, 1), column(0.5, 0.5), value, last, (2.0, 1.0))
    assert plain(wide) == [[pytest.approx(1 + 2 * 1 + 0.5 * 1 * 0.5)], [pytest.approx(2.5)]]


@FEW
@given(DRAWS, st.floats(0.5, 4, width=32), st.floats(0.25, 1, width=32))
def test_v_trace_equals_the_sum_of_its_definition(sizes: tuple[int, int, int], rho_clip: float, c_clip: float) -> None:
    data = drawn(*sizes)
    steps, rows, _ = sizes
    targets, advantage = vtrace(
        data["log_ratio"], data["reward"], data["discount"], data["value"], data["last"], (rho_clip, c_clip)
    )
    values = np.concatenate([data["value"], data["last"][None]]).astype(np.float64)
    slow = values.copy()
    for b in range(rows):
        rho = [min(rho_clip, math.exp(x)) for x in data["log_ratio"][:, b]]
        c = [min(c_clip, math.exp(x)) for x in data["log_ratio"][:, b]]
        d, r = data["discount"][:, b], data["reward"][:, b]
        for s in range(steps):
            for t in range(s, steps):
                passed = math.prod(float(d[i]) * c[i] for i in range(s, t))
                slow[s, b] += passed * rho[t] * (r[t] + d[t] * values[t + 1, b] - values[t, b])
    np.testing.assert_allclose(targets, slow[:-1], rtol=1e-4, atol=1e-4)
    rho_all = np.minimum(rho_clip, np.exp(data["log_ratio"]))
    wanted = rho_all * (data["reward"] + data["discount"] * slow[1:] - values[:-1])
    np.testing.assert_allclose(advantage, wanted, rtol=1e-4, atol=1e-3)


@FEW
@given(DRAWS)
def test_v_trace_of_the_policy_that_acted_is_the_return(sizes: tuple[int, int, int]) -> None:
    data = drawn(*sizes)
    nought = np.zeros_like(data["log_ratio"])
    targets, advantage = vtrace(nought, data["reward"], data["discount"], data["value"], data["last"])
    returns = np.asarray(n_step_returns(data["reward"], data["discount"], data["last"]))
    np.testing.assert_allclose(targets, returns, atol=1e-4)
    np.testing.assert_allclose(advantage, returns - data["value"], atol=1e-4)


@pytest.mark.parametrize("log_ratio", [-200.0, -1e30, 200.0, 1e30])
def test_ratios_beyond_float32_leave_numbers(log_ratio: float) -> None:
    data = drawn(4, 2, 0)
    logs = np.full((4, 2), log_ratio, np.float32)
    found = (
        *vtrace(logs, data["reward"], data["discount"], data["value"], data["last"]),
        retrace(logs, data["reward"], data["discount"], data["value"], data["after"]),
    )
    assert all(np.all(np.isfinite(one)) for one in found)


def test_v_trace_of_an_action_that_is_never_taken_leaves_the_value() -> None:
    data = drawn(5, 3, 1)
    logs = np.full((5, 3), -1e30, np.float32)
    targets, advantage = vtrace(logs, data["reward"], data["discount"], data["value"], data["last"])
    assert plain(targets) == plain(data["value"])
    assert not np.any(advantage)


def test_retrace_by_hand() -> None:
    taken, after = column(1, 2), column(3, 4)
    found = retrace(np.log(column(9, 0.5)), column(1, 1), column(0.5, 0.5), taken, after)
    # the last: 1 + 4 / 2 = 3; the first: 1 + (3 + c (3 - 2)) / 2 with c = 1/2
    assert plain(found) == [[pytest.approx(2.75)], [pytest.approx(3.0)]]
    half = retrace(np.log(column(9, 0.5)), column(1, 1), column(0.5, 0.5), taken, after, 0.5)
    assert plain(half) == [[pytest.approx(1 + 0.5 * 3.25)], [pytest.approx(3.0)]]


@FEW
@given(DRAWS, st.floats(0, 1, width=32))
def test_retrace_equals_the_sum_of_its_definition(sizes: tuple[int, int, int], decay: float) -> None:
    data = drawn(*sizes)
    steps, rows, _ = sizes
    slow = data["value"].astype(np.float64)
    for b in range(rows):
        c = [decay * min(1.0, math.exp(x)) for x in data["log_ratio"][:, b]]
        d, r = data["discount"][:, b], data["reward"][:, b]
        for s in range(steps):
            for t in range(s, steps):
                passed = math.prod(float(d[i]) * c[i + 1] for i in range(s, t))
                slow[s, b] += passed * (r[t] + d[t] * data["after"][t, b] - data["value"][t, b])
    found = retrace(data["log_ratio"], data["reward"], data["discount"], data["value"], data["after"], decay)
    np.testing.assert_allclose(found, slow, rtol=1e-4, atol=1e-4)


@FEW
@given(DRAWS)
def test_retrace_of_a_greedy_walk_is_the_return(sizes: tuple[int, int, int]) -> None:
    data = drawn(*sizes)
    after = np.concatenate([data["value"][1:], data["last"][None]])  # one action only: its value is the mean
    found = retrace(np.zeros_like(after), data["reward"], data["discount"], data["value"], after)
    np.testing.assert_allclose(found, n_step_returns(data["reward"], data["discount"], data["last"]), atol=1e-4)


@FEW
@given(DRAWS)
def test_episodes_do_not_leak_into_each_other(sizes: tuple[int, int, int]) -> None:
    """What comes after a closed step changes nothing before it."""
    data = drawn(*sizes)
    steps = sizes[0]
    closed = steps // 2
    data["discount"][closed] = 0.0
    other = {name: values.copy() for name, values in data.items()}
    for values in other.values():
        values[closed + 1 :] += 7.0 if values.shape[0] == steps else 0.0
    other["last"] += 7.0

    def all_of(given_data: dict[str, np.ndarray]) -> list[np.ndarray]:
        rest = given_data["reward"], given_data["discount"]
        return [
            np.asarray(one)[: closed + 1]
            for one in (
                n_step_returns(*rest, given_data["last"]),
                gae(*rest, given_data["value"], given_data["last"], 0.9),
                *vtrace(given_data["log_ratio"], *rest, given_data["value"], given_data["last"]),
                retrace(given_data["log_ratio"], *rest, given_data["value"], given_data["after"]),
            )
        ]

    for one, two in zip(all_of(data), all_of(other), strict=True):
        np.testing.assert_allclose(one, two, atol=1e-5)


def test_a_long_stretch() -> None:
    data = drawn(1000, 2, 3)
    slow, follows = np.zeros((1000, 2)), data["last"].astype(np.float64)
    for t in reversed(range(1000)):
        follows = slow[t] = data["reward"][t] + data["discount"][t] * follows
    np.testing.assert_allclose(n_step_returns(data["reward"], data["discount"], data["last"]), slow, atol=1e-4)
