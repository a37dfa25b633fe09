"""Dense, noisy, recurrent and normalizing layers: by hand, against slow twins, and what is refused."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coachcore.acting import ActingNetwork
from coachcore.errors import BadCheckpoint

NOISY = {"kernel": 0, "bias": 1, "kernel_sigma": 2, "bias_sigma": 3}
LSTM = {"kernel": 0, "recurrent": 1, "bias": 2}
NORMAL = {"gamma": 0, "beta": 1, "mean": 2, "variance": 3, "epsilon": 0.001}


class Told:
    """A generator that gives the numbers it was told."""

    def __init__(self, *numbers: float) -> None:
        self.numbers, self.calls = numbers, 0

    def standard_normal(self, *, out, dtype) -> None:
        self.calls += 1
        assert out.dtype == dtype == np.float32
        out[:] = self.numbers


def dense(single, shape=(2,), **facts):
    return single("dense", [list(shape)], [[2, 2], [2]], **{"kernel": 0, "bias": 1} | facts)


def noisy(single, shape=(2,), units=2, total=None, **facts):
    width = shape[-1]
    weights = [[width, units], [units], [width, units], [units]]
    program = single("noisy-dense", [list(shape)], weights, noise=total or width + units, **NOISY)
    program["ops"][0] |= {"noise": 0} | facts
    return program


def test_dense_multiplies_adds_and_rectifies(single, act) -> None:
    flat, x = [1, 2, 3, 4, 0.5, -10], [[1, 1], [2, 0]]
    assert act(dense(single), flat, x).tolist() == [[4.5, -4], [2.5, -6]]
    assert act(dense(single, activation="relu"), flat, x).tolist() == [[4.5, 0], [2.5, 0]]
    assert act(dense(single, bias=None), flat, x).tolist() == [[4, 6], [2, 4]]


def test_dense_works_along_the_last_axis(single, act) -> None:
    program = dense(single, (3, 2), activation="relu")
    out = act(program, [1, 2, 3, 4, 0.5, -10], [[[1, 1], [2, 0], [0, 3]]])
    assert out.tolist() == [[[4.5, 0], [2.5, 0], [9.5, 2]]]


def test_noise_multiplies_the_deviations(single, act) -> None:
    """e_in = f(4, -9) = (2, -3), e_out = f(1, -16) = (1, -4)."""
    flat = [1, 2, 3, 4, 0.5, -10, 1, 0, 0, 2, 0.25, 0.5]
    told = Told(4, -9, 1, -16)
    out = act(noisy(single), flat, [[1, 1], [2, 0]], rng=told)
    # row 1: (4.5, -4) + ((2, -6) + (0.25, 0.5)) * (1, -4); row 2: (2.5, -6) + ((4, 0) + (0.25, 0.5)) * (1, -4)
    assert out.tolist() == [[6.75, 18], [6.75, -8]]
    assert told.calls == 1
    assert act(noisy(single, activation="relu"), flat, [[2, 0]], rng=told).tolist() == [[6.75, 0]]


def test_without_noise_it_is_the_dense_layer_of_its_means(single, act) -> None:
    rng = np.random.default_rng(0)
    flat, x = rng.standard_normal(12).astype(np.float32), rng.standard_normal((3, 2))
    for activation in ("linear", "relu", "tanh"):
        means = act(dense(single, activation=activation), flat[:6], x)
        assert act(noisy(single, activation=activation), flat, x).tolist() == means.tolist()


def test_two_layers_read_noise_of_their_own(single, act) -> None:
    program = noisy(single, (1,), 1, total=4)
    program["ops"][0]["output"] = "between"
    program["ops"].append(program["ops"][0] | {"inputs": ["between"], "output": "y", "noise": 2})
    # y = x (1 + 1 e_in e_out) twice: 3 * (1 + 2 * 3) = 21, then 21 * (1 + 1 * 4)
    assert act(program, [1, 0, 1, 0], [[3]], rng=Told(4, 9, 1, 16)).tolist() == [[105]]


def test_a_network_without_noise_draws_nothing(single, act) -> None:
    told = Told()
    assert act(dense(single), [1, 0, 0, 1, 0, 0], [[1, 2]], rng=told).tolist() == [[1, 2]]
    assert told.calls == 0


def test_the_same_stream_gives_the_same_noise_and_means_come_back(single) -> None:
    network, rng = ActingNetwork(noisy(single)), np.random.default_rng(3)
    network.load(np.ones(12, np.float32))
    obs = {"x0": np.ones((4, 2), np.float32)}
    first, second = network(obs, rng)["out"].copy(), network(obs, rng)["out"].copy()
    assert (first != second).all()
    assert (first == first[0]).all()  # one noise for all rows
    assert network(obs)["out"].tolist() == [[3, 3]] * 4
    assert network(obs, np.random.default_rng(3))["out"].tolist() == first.tolist()


@given(
    count=st.integers(1, 8), widths=st.lists(st.integers(1, 6), min_size=2, max_size=4), seed=st.integers(0, 999),
    rows=st.integers(0, 3),
)  # fmt: skip
def test_noisy_layers_equal_their_slow_twin(single, count, widths, seed, rows) -> None:
    """The twin builds each outer product; `rows` is an axis between the batch and the features."""
    program, flat = single("sum", [([rows] if rows else []) + widths[:1]]), []
    rng, ops, name, noise = np.random.default_rng(seed), [], "x0", 0
    x = slow = rng.standard_normal((count, *program["inputs"]["x0"]))
    drawn = np.random.default_rng(seed).standard_normal(sum(a + b for a, b in pairwise(widths)), np.float32)
    for i, (before, after) in enumerate(pairwise(widths)):
        parts = [rng.standard_normal(shape) for shape in [(before, after), (after,)] * 2]
        for part in parts:
            at = sum(map(np.size, flat))
            program["weights"].append({"name": f"w{len(flat)}", "shape": list(part.shape), "offset": at})
            flat.append(part)
        places = {key: 4 * i + place for key, place in NOISY.items()}
        ops.append({"op": "noisy-dense", "inputs": [name], "output": f"t{i}", "noise": noise, **places})
        e = np.sign(drawn) * np.sqrt(np.abs(drawn))
        e_in, e_out = e[noise : noise + before], e[noise + before : noise + before + after]
        kernel, bias, kernel_sigma, bias_sigma = parts
        slow = slow @ (kernel + kernel_sigma * np.outer(e_in, e_out)) + bias + bias_sigma * e_out
        name, noise = f"t{i}", noise + before + after
    program |= {"ops": ops, "outputs": {"out": name}, "size": sum(map(np.size, flat)), "noise": noise}
    network = ActingNetwork(program)
    network.load(np.concatenate([part.ravel() for part in flat]).astype(np.float32))
    np.testing.assert_allclose(network({"x0": x}, np.random.default_rng(seed))["out"], slow, rtol=1e-3, atol=1e-3)


def lstm(single, features=1, units=1, **facts):
    weights = [[features, 4 * units], [units, 4 * units], [4 * units]]
    return single("lstm", [[features], [2 * units]], weights, **LSTM | facts)


def test_an_lstm_cell_by_hand(single, act) -> None:
    """Gates i, f, g, o of x + 2h + b: 1 + 1 - 1, 1, -1 and 2."""
    flat = [1, 0, -1, 0, 2, 2, 0, 4, -1, 0, 0, 0]
    cell = 1 / (1 + math.exp(-1)) * 3 + 1 / (1 + math.exp(-1)) * math.tanh(-1)
    hidden = 1 / (1 + math.exp(-2)) * math.tanh(cell)
    assert act(lstm(single), flat, [[1]], [[0.5, 3]])[0].tolist() == pytest.approx([hidden, cell], abs=1e-6)


def test_the_carry_it_gave_may_be_handed_back(single) -> None:
    network, rng = ActingNetwork(lstm(single, 2, 3)), np.random.default_rng(1)
    flat, xs = rng.standard_normal(72).astype(np.float32), rng.standard_normal((5, 2, 2))
    network.load(flat)
    carry = slow = np.zeros((2, 6), np.float32)
    for x in xs:
        carry = network({"x0": x, "x1": carry})["out"]  # its own buffer
        slow = _lstm_slowly(x, slow, flat[:24].reshape(2, 12), flat[24:60].reshape(3, 12), flat[60:])
        np.testing.assert_allclose(carry, slow, rtol=1e-4, atol=1e-5)


@given(st.integers(1, 8), st.integers(1, 5), st.integers(1, 5), st.integers(0, 999))
def test_an_lstm_cell_equals_its_slow_twin(single, act, count, features, units, seed) -> None:
    rng = np.random.default_rng(seed)
    kernel, recurrent, bias, x, carry = (
        rng.standard_normal(shape)
        for shape in [(features, 4 * units), (units, 4 * units), (4 * units,), (count, features), (count, 2 * units)]
    )
    out = act(lstm(single, features, units), [kernel, recurrent, bias], x, carry)
    np.testing.assert_allclose(out, _lstm_slowly(x, carry, kernel, recurrent, bias), rtol=1e-4, atol=1e-5)


def _lstm_slowly(x, carry, kernel, recurrent, bias):
    """One row, one unit at a time."""
    units, rows = len(recurrent), []
    for entry, before in zip(x, carry, strict=True):
        hidden, cell = [], []
        for u in range(units):
            gates = [
                sum(entry[j] * kernel[j, gate * units + u] for j in range(len(entry)))
                + sum(before[j] * recurrent[j, gate * units + u] for j in range(units))
                + bias[gate * units + u]
                for gate in range(4)
            ]
            enter, forget, leave = (1 / (1 + math.exp(-gates[gate])) for gate in (0, 1, 3))
            cell.append(forget * before[units + u] + enter * math.tanh(gates[2]))
            hidden.append(leave * math.tanh(cell[-1]))
        rows.append(hidden + cell)
    return rows


def normalize(single, shape=(2,), **facts):
    return single("normalize", [list(shape)], [[2]] * 4, **NORMAL | facts)


def layer_norm(single, shape=(2,), **facts):
    width = list(shape[-1:])
    return single("layer-norm", [list(shape)], [width, width], **{"gamma": 0, "beta": 1, "epsilon": 0.001} | facts)


def test_normalize_moves_to_what_it_was_told(single, act) -> None:
    flat = [2, 1, 0.5, -1, 1, 3, 8.999, 0.249]  # deviations 3 and 0.5
    assert act(normalize(single), flat, [[4, 2], [1, 3]]) == pytest.approx(np.array([[2.5, -3], [0.5, -1]]))
    image = act(normalize(single, (2, 1, 2)), flat, [[[[4, 2]], [[1, 3]]]])
    assert image == pytest.approx(np.array([[[[2.5, -3]], [[0.5, -1]]]]))


def test_layer_norm_by_hand(single, act) -> None:
    """(1, 3) has mean 2 and variance 1."""
    by = 1 / math.sqrt(1.001)
    assert act(layer_norm(single), [2, 1, 0.5, -1], [[1, 3]])[0].tolist() == pytest.approx(
        [0.5 - 2 * by, -1 + by], abs=1e-6
    )
    assert act(layer_norm(single), [2, 1, 0.5, -1], [[7, 7]]).tolist() == [[0.5, -1]]


@given(st.integers(1, 8), st.integers(0, 3), st.integers(2, 9), st.floats(-100, 100), st.integers(0, 99))
def test_layer_norm_leaves_mean_0_and_variance_1(single, act, count, rows, width, shift, seed) -> None:
    shape = ([rows] if rows else []) + [width]
    x = np.random.default_rng(seed).standard_normal((count, *shape)) * 10 + shift
    out = act(layer_norm(single, shape, epsilon=1e-6), [*[1] * width, *[0] * width], x)
    slow = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-6)
    np.testing.assert_allclose(out.mean(-1), 0, atol=1e-3)
    np.testing.assert_allclose(out, slow, rtol=1e-2, atol=1e-3)


PROGRAMS = {"dense": dense, "noisy": noisy, "lstm": lstm, "normalize": normalize, "layer-norm": layer_norm}


@pytest.mark.parametrize(
    ("name", "facts"),
    [
        ("dense", {"kernel": 7}),
        ("dense", {"kernel": -2}),
        ("dense", {"kernel": "0"}),
        ("dense", {"kernel": 1}),
        ("dense", {"bias": 0}),
        ("dense", {"bias": -1}),
        ("dense", {"activation": "swoosh"}),
        ("dense", {"inputs": []}),
        ("noisy", {"bias": None}),
        ("noisy", {"bias_sigma": 0}),
        ("noisy", {"bias_sigma": None}),
        ("noisy", {"kernel_sigma": 1}),
        ("noisy", {"kernel_sigma": -2}),
        ("noisy", {"noise": -1}),
        ("noisy", {"noise": 1}),
        ("noisy", {"noise": 0.0}),
        ("noisy", {"noise": None}),
        ("noisy", {"inputs": []}),
        ("lstm", {"inputs": ["x0"]}),
        ("lstm", {"inputs": ["x1", "x0"]}),
        ("lstm", {"kernel": 2}),
        ("lstm", {"recurrent": 2}),
        ("lstm", {"recurrent": -2}),
        ("lstm", {"bias": None}),
        ("lstm", {"bias": 0}),
        ("normalize", {"mean": 4}),
        ("normalize", {"variance": -1}),
        ("normalize", {"gamma": None}),
        ("normalize", {"epsilon": 0}),
        ("normalize", {"epsilon": -0.1}),
        ("normalize", {"epsilon": math.nan}),
        ("normalize", {"epsilon": math.inf}),
        ("layer-norm", {"beta": 2}),
        ("layer-norm", {"epsilon": 0.0}),
        ("layer-norm", {"epsilon": "small"}),
    ],
)
def test_odd_facts_are_a_bad_checkpoint(single, name, facts) -> None:
    PROGRAMS[name](single)  # sound before the change
    with pytest.raises(BadCheckpoint):
        ActingNetwork(PROGRAMS[name](single, **facts))


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_an_input_that_does_not_fit_is_a_bad_checkpoint(single, name) -> None:
    for shape in ([], [3], [2, 3]):
        program = PROGRAMS[name](single)
        program["inputs"]["x0"] = shape
        with pytest.raises(BadCheckpoint):
            ActingNetwork(program)


@pytest.mark.parametrize("noise", [0, 3, 5, -4, 4.0, None])
def test_noise_of_another_size_than_the_layers_need_is_a_bad_checkpoint(single, noise) -> None:
    program = noisy(single)
    ActingNetwork(program | {"noise": 4})
    program["noise"] = noise
    with pytest.raises(BadCheckpoint, match=r"draws|TypeError"):
        ActingNetwork(program)
