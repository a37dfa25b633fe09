"""What agents are tried on: batches that fit their spaces, and networks that are plain functions."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from coachcore.component import component
from coachcore.contracts.agent import DataSpec, NetworkSpec
from coachcore.layout import Column
from coachcore.spaces import Box, Discrete
from coachcore.testing.toy_learning import ToyQ
from coachcore.testing.trial import TRIALS, copied, example_batch, example_nets, rows_of, serves, trial


@component("agent", "odd", slots={"z": "atoms"})
@attrs.frozen(kw_only=True)
class Odd:
    """Asks for what the core knows no shape of, and keeps a column and reads the action."""

    def data(self, spaces):
        return DataSpec(keep=(Column("spread", (2,)),), noise=(Column("shake", (4,)),))

    def networks(self, spaces):
        return {"main": NetworkSpec(slots={"z": "atoms"}, inputs=("action",))}


@pytest.mark.parametrize("tried", TRIALS, ids=lambda tried: str(tried.spaces.action))
def test_a_batch_fits_its_spaces(tried):
    batch = example_batch(ToyQ(), tried, 6)
    assert {name: (v.shape, v.dtype) for name, v in batch.obs.items()} == {
        "measurements": ((6, 2), np.dtype("float32")),
        "observation": ((6, 4), np.dtype("float32")),
    }
    assert tried.spaces.action.contains(batch.action)
    assert batch.action.dtype == ("int32" if isinstance(tried.spaces.action, Discrete) else "float32")
    assert batch.discount.tolist() == np.array([0.9, 0.9, 0, 0.9, 0.9, 0], "float32").tolist()
    assert not np.array_equal(batch.obs["observation"], batch.next_obs["observation"])
    with pytest.raises(ValueError, match="read-only"):
        batch.reward[0] = 1.0


@component("agent", "fresh", slots={"v": "state-value"}, free=["price"])
@attrs.frozen(kw_only=True)
class Fresh:
    """Uses rows once, keeps what it thought, turns a knob and has a number of its own."""

    def data(self, spaces):
        return DataSpec(fresh=True, keep=(Column("value"),))

    def networks(self, spaces):
        price = NetworkSpec(free={"log": 0.5}, acts=False)
        return {"main": NetworkSpec(slots={"v": "state-value"}), "price": price}

    def propose(self, outputs):
        return None

    def kept(self, outputs, proposal, actions):
        return {"value": outputs["v"]}

    def begin(self):
        return 3.0

    def knobs(self, state, step):
        return {"gain": state}


def test_kept_columns_come_as_extras_and_drawn_ones_as_noise():
    batch = example_batch(Odd(), TRIALS[0], 3)
    assert batch.extras["spread"].shape == (3, 2)
    assert batch.noise["shake"].shape == (3, 4)
    assert batch.knobs == {}


def test_fresh_rows_have_what_was_led_to_instead_of_what_followed():
    batch = example_batch(Fresh(), TRIALS[0], 3)
    assert (batch.reward, batch.discount, dict(batch.next_obs)) == (None, None, {})
    assert {name: values.shape for name, values in batch.extras.items()} == dict.fromkeys(
        ("value", "advantage", "return"), (3,)
    )
    assert batch.knobs == {"gain": 3.0}
    thought = example_nets(Fresh(), TRIALS[0])["main"].online(batch.obs)["v"]
    np.testing.assert_allclose(batch.extras["value"], 0.95 * thought, rtol=1e-5)  # a little different from now
    turned = rows_of(batch, np.array([2, 0]))
    assert turned.reward is None
    assert turned.extras["return"].tolist() == batch.extras["return"][[2, 0]].tolist()


def test_a_free_number_is_what_it_is_at_first():
    assert example_nets(Fresh(), TRIALS[0])["price"].online({})["log"].tolist() == 0.5


def test_a_deterministic_policy_stays_in_its_box():
    spec = NetworkSpec(slots={"a": "deterministic-policy"})

    class Bold:
        def networks(self, spaces):
            return {"main": spec}

    obs = {"observation": np.full((2, 4), 9.0, np.float32)}
    out = example_nets(Bold(), trial(Box((1,), -1.0, 1.0)))["main"].online(obs)["a"]
    assert out.shape == (2, 1)
    assert np.abs(out).max() <= 1.0


def test_rows_and_copies():
    batch = example_batch(ToyQ(), TRIALS[0], 3)
    turned = rows_of(batch, np.array([2, 0]))
    assert turned.reward.tolist() == [batch.reward[2], batch.reward[0]]
    assert turned.obs["observation"].tolist() == batch.obs["observation"][[2, 0]].tolist()
    mine = copied(batch)
    mine.reward[0] = 7.0
    assert batch.reward[0] != 7.0


def test_a_network_is_linear_and_its_target_is_another():
    pair = example_nets(ToyQ(), TRIALS[0])["main"]
    batch = example_batch(ToyQ(), TRIALS[0], 4)
    doubled = {name: 2 * values for name, values in batch.obs.items()}
    once, twice = pair.online(batch.obs)["q"], pair.online(doubled)["q"]
    assert once.shape == (4, 3)
    np.testing.assert_allclose(twice, 2 * once, rtol=1e-6)
    assert not np.allclose(once, pair.target(batch.obs)["q"])


@component("agent", "telling", slots={"z": "atoms"}, shapes={"z": [2, "A"]})
@attrs.frozen(kw_only=True)
class Telling:
    """As `Odd`, but tells the shape."""

    def data(self, spaces):
        return DataSpec()

    def networks(self, spaces):
        return {"main": NetworkSpec(slots={"z": "atoms"})}


@pytest.mark.parametrize(("action", "shape"), [(Discrete(3), (4, 2, 3)), (Box((5,)), (4, 2, 5))])
def test_an_agent_tells_the_shape_of_what_only_its_head_provides(action, shape):
    tried = trial(action)
    batch = example_batch(Telling(), tried, 4)
    assert example_nets(Telling(), tried)["main"].online(batch.obs)["z"].shape == shape
    given = trial(action, z=(7,))
    assert example_nets(Telling(), given)["main"].online(batch.obs)["z"].shape == (4, 7)


def test_a_shape_that_is_not_known_must_be_given():
    with pytest.raises(
        AssertionError, match=r"slot 'z' needs atoms, whose shape is not known: give it in Trial.shapes"
    ):
        example_nets(Odd(), TRIALS[0])
    tried = trial(Discrete(3), z=(3, 5))
    batch = example_batch(Odd(), tried, 4)
    assert example_nets(Odd(), tried)["main"].online({**batch.obs, "action": batch.action})["z"].shape == (4, 3, 5)


def test_asking_for_a_target_is_noted():
    asked: set[str] = set()
    pair, batch = example_nets(ToyQ(), TRIALS[0], asked)["main"], example_batch(ToyQ(), TRIALS[0], 1)
    pair.online(batch.obs)
    assert asked == set()
    pair.target(batch.obs)
    assert asked == {"main"}


def test_who_serves_what():
    assert serves(ToyQ(), trial(Discrete(9)))
    assert not serves(ToyQ(), trial(Box((1,))))
