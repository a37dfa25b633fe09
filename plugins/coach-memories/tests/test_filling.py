"""Experience from elsewhere: saved memories, tables and data sets, and what is wrong with them."""

from __future__ import annotations

import csv
import json
import shutil

import numpy as np
import pytest

from coach_memories.balanced_experience_replay import BalancedExperienceReplay
from coach_memories.episodic_experience_replay import EpisodicExperienceReplay
from coach_memories.episodic_hindsight_experience_replay import EpisodicHindsightExperienceReplay
from coach_memories.experience_replay import ExperienceReplay
from coach_memories.prioritized_experience_replay import PrioritizedExperienceReplay
from coach_memories.saved import save
from coachcore.api import BadCheckpoint, BadData, Box, CoachError, Column, Discrete, Layout, Spaces
from coachcore.testing.numbered import numbered

h5py = pytest.importorskip("h5py", reason="reads HDF5")
pa = pytest.importorskip("pyarrow", reason="reads Parquet")
parquet = pytest.importorskip("pyarrow.parquet", reason="reads Parquet")

GAMMA = 0.5
LAYOUT = Layout.of(Spaces({"observation": Box((2,))}, Discrete(3)))
PICTURES = Layout.of(Spaces({"camera": Box((2, 2, 3), 0, 255, "uint8"), "speed": Box((1,))}, Box((2,), -1.0, 1.0)))
GOALS = Layout.of(Spaces({n: Box((2,)) for n in ("achieved_goal", "desired_goal", "observation")}, Discrete(3)))

TABLE = """episode_id,state_feature_0,state_feature_1,action,reward,all_action_probabilities
0,1,2,0,10,"[0.5, 0.5]"
0,3,4,1,20,"[0.5, 0.5]"
0,5,6,2,30,"[0.5, 0.5]"
1,7,8,1,40,"[0.5, 0.5]"
2,9,10,1,50,"[0.5, 0.5]"
2,11,12,0,60,"[0.5, 0.5]"
"""


def loaded(source, part=ExperienceReplay, layout=LAYOUT, count=1, **settings):
    store = part(capacity=100, load=str(source), **settings).make(layout, count)
    store.fill(GAMMA)
    return store


def told(store, layout=LAYOUT):
    """Everything held, in the order of adding, by column."""
    rows = store.ring.newest(store.ring.filled)
    packed, apart = store.ring.packed(rows), store.ring.apart(rows)
    columns = {name: packed[:, where] for name, where in layout.packed.items()}
    return {**columns, **{name: np.asarray(values) for name, values in apart.items()}}


def steps(store):
    """Observation, action, reward, discount and what follows of everything held, in plain numbers."""
    found = told(store)
    names = ("obs.observation", "action", "reward", "discount", "next_obs.observation")
    return list(zip(*(found[name].tolist() for name in names), strict=True))


@pytest.fixture
def table(tmp_path):
    def write(text, name="steps.csv"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path / name

    return write


WANTED = [
    ([1, 2], [0], [10], [GAMMA], [3, 4]),
    ([3, 4], [1], [20], [0.0], [5, 6]),
    ([9, 10], [1], [50], [0.0], [11, 12]),
]


@pytest.mark.parametrize("part", [ExperienceReplay, PrioritizedExperienceReplay, EpisodicExperienceReplay])
def test_a_table_of_the_old_system(table, part):
    """Two rows make a step, and an episode of one row is none."""
    assert steps(loaded(table(TABLE), part)) == WANTED


def test_nothing_is_loaded_unless_it_is_said():
    store = ExperienceReplay(capacity=9).make(LAYOUT, 1)
    store.fill(GAMMA)
    assert len(store) == 0


def test_episodes_are_told_apart_and_go_to_environments_in_turn(table):
    store = loaded(table(TABLE), EpisodicExperienceReplay, count=2)
    assert store.episodes.order.lanes().tolist() == [0, 0, 1]
    assert store.episodes.after(np.arange(3)).tolist() == [1, 0, 0]
    assert store.episodes.over(np.arange(3)).all()


def test_ends_that_are_told(table):
    text = "episode,observation_0,observation_1,action,reward,terminated,truncated\n"
    text += "0,1,1,0,1,0,0\n0,2,2,0,1,False,True\n0,3,3,0,1,0,0\n1,4,4,0,1,true,0\n1,5,5,0,1,0,0\n"
    found = told(loaded(table(text)))["discount"]
    assert found.ravel().tolist() == [GAMMA, GAMMA, 0.0]


def test_a_parquet_file_with_lists(tmp_path):
    columns = {
        "episode_id": [0, 0, 0, 1, 2, 2],
        "observation": [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0], [9.0, 10.0], [11.0, 12.0]],
        "action": [0, 1, 2, 1, 1, 0],
        "reward": [10.0, 20.0, 30.0, 40.0, 50.0, 60.0],
    }
    parquet.write_table(pa.table(columns), tmp_path / "steps.parquet")
    assert steps(loaded(tmp_path / "steps.parquet")) == WANTED


def written(path, episodes, *, without=""):
    """A file as Minari lays it out."""
    with h5py.File(path, "w") as file:
        for number, (observations, actions) in enumerate(episodes):
            count = len(actions)
            group = file.create_group(f"episode_{number}")
            parts = {"observations": observations, "actions": actions, "rewards": np.arange(count, dtype=float)}
            parts |= {"terminations": np.arange(count) == count - 1, "truncations": np.zeros(count, bool)}
            for name, values in parts.items():
                if isinstance(values, dict):
                    for inner, each in values.items():
                        group[f"{name}/{inner}"] = each
                elif name != without:
                    group[name] = values
    return path


def test_a_file_of_minari(tmp_path):
    rng = np.random.default_rng(0)
    episodes = []
    for length in [3] * 11:  # the eleventh comes after the second, not after the first
        seen = {"camera": rng.integers(0, 256, (length + 1, 2, 2, 3), np.uint8), "speed": rng.random((length + 1, 1))}
        episodes.append((seen, rng.random((length, 2))))
    found = told(loaded(written(tmp_path / "main_data.hdf5", episodes), layout=PICTURES), PICTURES)
    for name, cut in (("obs.", slice(None, -1)), ("next_obs.", slice(1, None))):
        for inner in ("camera", "speed"):
            wanted = np.concatenate([seen[inner][cut] for seen, _ in episodes])
            assert np.array_equal(found[name + inner], wanted.astype(found[name + inner].dtype))
    assert np.array_equal(found["action"], np.concatenate([a for _, a in episodes]).astype(np.float32))
    assert found["discount"].ravel().tolist() == [GAMMA, GAMMA, 0.0] * 11


@pytest.mark.filterwarnings("ignore:`?e[nv][va].* None:UserWarning")
def test_a_data_set_by_its_name(tmp_path, monkeypatch):
    minari = pytest.importorskip("minari")
    from gymnasium import spaces
    from minari.data_collector import EpisodeBuffer

    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    buffers = [
        EpisodeBuffer(
            id=number, seed=0, options=None,
            observations=np.arange(6.0).reshape(3, 2) + number, actions=np.array([1, 2]),
            rewards=np.array([1.0, 2.0]), terminations=np.array([False, True]), truncations=np.array([False, False]),
            infos={},
        )
        for number in range(2)
    ]  # fmt: skip
    minari.create_dataset_from_buffers(
        "test/tiny-v0", buffers, observation_space=spaces.Box(-99, 99, (2,), np.float64),
        action_space=spaces.Discrete(3), author="a", author_email="a@b", code_permalink="c", algorithm_name="d",
        description="e", data_format="hdf5",
    )  # fmt: skip
    store = loaded("minari:test/tiny-v0")
    assert steps(store)[0] == ([0, 1], [1], [1], [GAMMA], [2, 3])
    assert len(store) == 4
    inner = tmp_path / "test" / "tiny-v0" / "data" / "main_data.hdf5"
    assert steps(loaded(inner)) == steps(store)
    with pytest.raises(BadData) as caught:
        loaded("minari:test/other-v0")
    assert str(caught.value) == ("minari:test/other-v0: there is no such data set here - minari download test/other-v0")


PARTS = [ExperienceReplay, PrioritizedExperienceReplay, EpisodicExperienceReplay]


@pytest.mark.parametrize("to", PARTS)
@pytest.mark.parametrize("by", PARTS)
def test_what_one_memory_saved_another_loads(by, to, tmp_path):
    """Also a smaller one: it keeps the newest. Only what knows episodes can fill what must know them."""
    saver = by(capacity=40).make(PICTURES, 1)
    saver.add(numbered(PICTURES, 0, 66))
    save(saver, tmp_path / "memory")
    if to is EpisodicExperienceReplay and by is not to:
        with pytest.raises(BadData) as caught:
            loaded(tmp_path / "memory", to, PICTURES)
        assert str(caught.value) == (
            f"{tmp_path / 'memory'}: it was saved by a memory that did not know episodes, or joined steps - "
            "load it into experience-replay"
        )
        return
    store = loaded(tmp_path / "memory", to, PICTURES)
    wanted = numbered(PICTURES, 26, 40)
    for name, values in told(store, PICTURES).items():
        assert np.array_equal(values.reshape(wanted[name].shape), wanted[name]), name
    if by is to is EpisodicExperienceReplay:
        assert np.array_equal(store.episodes.after(np.arange(40)), np.append((-np.arange(26, 66)) % 5, [])[:40])
    small = to(capacity=7, load=str(tmp_path / "memory")).make(PICTURES, 1)
    small.fill(GAMMA)
    assert set(told(small, PICTURES)["reward"].ravel()) == set(wanted["reward"][-7:])


def test_copies_made_in_hindsight_are_not_taken_over(tmp_path):
    rng = np.random.default_rng(0)
    columns = {c.name: rng.random((6, *c.shape)) for c in GOALS.columns}
    columns |= {"env": np.zeros(6, int), "ended": np.arange(6) % 3 == 2}
    saver = EpisodicHindsightExperienceReplay(capacity=90, hindsight=2).make(GOALS, 1)
    saver.add(columns)
    assert len(saver) == 18
    save(saver, tmp_path)
    found = told(loaded(tmp_path, EpisodicExperienceReplay, GOALS), GOALS)
    assert np.array_equal(found["reward"].ravel(), columns["reward"].astype(np.float32))


def test_joined_steps_are_transitions_for_whoever_asks_for_no_more(tmp_path):
    saver = EpisodicExperienceReplay(capacity=9).make(LAYOUT, 1, n_step=3)
    saver.add(numbered(LAYOUT, 1, 4))
    save(saver, tmp_path)
    assert len(loaded(tmp_path)) == 4
    with pytest.raises(BadData, match="or joined steps - load it into experience-replay"):
        loaded(tmp_path, EpisodicExperienceReplay)


def refused(source, kind=BadData, **given):
    """What is said; whatever it was, the memory is as it was and can be used."""
    store = ExperienceReplay(capacity=100, load=str(source)).make(given.get("layout", LAYOUT), 1)
    store.add(numbered(given.get("layout", LAYOUT), 0, 3))
    with pytest.raises(kind) as caught:
        store.fill(GAMMA)
    assert len(store) >= 3
    store.sample(np.random.default_rng(0), 1, 2, 0)
    assert "\n" not in str(caught.value)
    return str(caught.value).removeprefix(f"{source}")


def test_files_that_are_none(table, tmp_path):
    way = "name a run's folder, a saved memory, a file that ends in .csv, .parquet, .hdf5, .h5, or minari:ID"
    assert refused(tmp_path / "nothing.csv") == f": there is nothing here - {way}"
    assert refused(table("x", "steps.txt")) == f": it is no file of experience that can be read - {way}"
    assert refused(table("", "e.csv")) == ": it is empty, not even a head line is there"
    assert refused(table("x", "x.parquet")).startswith(": it is no Parquet file: ")
    assert refused(table("x", "x.hdf5")) == ": it is no HDF5 file"
    assert refused(tmp_path, BadCheckpoint) == ("/latest.json: no checkpoint is called 'latest'; there is none yet")
    (tmp_path / "b.csv").write_bytes(b"\xff\xfe\x00")
    assert refused(tmp_path / "b.csv").startswith(": it is no CSV text: ")


HEAD = "episode_id,state_feature_0,state_feature_1,action,reward\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (HEAD, ": it holds no transition"),
        (HEAD + "0,1,2,0,1\n", ": it holds no transition"),
        (HEAD + "0,1,2,0\n", ": line 2 has 4 values, the head line names 5"),
        (HEAD + "0,1,2,0,1\n0,1,x,0,1\n", ": column 'state_feature_1' holds 'x' in line 3, which is no number"),
        (HEAD + "0,1,2,0,1\n1,1,2,0,1\n0,1,2,0,1\n",
         ": the rows of an episode do not stand together - sort it by episode_id"),
        (HEAD + "0,1,2,0,1\n0,nan,2,0,1\n",
         ", episode 0: column 'next_obs.observation' is not a finite number in step 0 - leave that episode out"),
        (HEAD.replace("episode_id", "e") + "0,1,2,0,1\n",
         ": column 'episode_id' is missing; there is action, e, reward, state_feature_0, state_feature_1"),
        (HEAD.replace("reward", "r") + "0,1,2,0,1\n",
         ": column 'reward' is missing; there is action, episode_id, r, state_feature_0, state_feature_1"),
        (HEAD.replace("action", "a") + "0,1,2,0,1\n0,1,2,0,1\n",
         (", episode 0: column 'obs.observation' is missing; there is obs.a, obs.state_feature, reward"
          " - the run's agent needs it")),
        (HEAD.replace("state_feature_1", "state_feature_2").replace("2,", "2,state_feature_3,") + "0,1,2,3,0,1\n" * 2,
         (", episode 0: column 'obs.observation' has shape (1, 3), the run's is (1, 2)"
          " - give the experience of the same spaces")),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_table_is_said_in_a_line(table, text, said):
    assert refused(table(text)) == said


def test_what_is_wrong_with_a_parquet_file(tmp_path):
    path = tmp_path / "steps.parquet"
    columns = {"episode_id": [0, 0], "action": [0, 1], "reward": [1.0, 2.0]}
    parquet.write_table(pa.table({**columns, "observation": [[1.0, 2.0], [3.0]]}), path)
    assert refused(path) == ": column 'observation' holds lists of several lengths - give one length"
    parquet.write_table(pa.table({**columns, "observation": ["a", "b"]}), path)
    assert refused(path) == ": column 'observation' holds <U1, not numbers"
    assert len(loaded_without_rows(tmp_path, columns)) == 0


def loaded_without_rows(tmp_path, columns):
    path = tmp_path / "none.parquet"
    parquet.write_table(pa.table({name: values[:0] for name, values in columns.items()}), path)
    assert refused(path) == ": it holds no transition"
    return []


def test_what_is_wrong_with_a_file_of_minari(tmp_path):
    path, fine = tmp_path / "main_data.hdf5", (np.ones((3, 2)), np.zeros(2))
    assert refused(written(path, [fine], without="rewards")) == (
        ": 'rewards' is missing in episode_0; there is actions, observations, terminations, truncations"
    )
    assert refused(written(path, [])) == ": there is no group episode_0, as Minari writes them"
    assert refused(written(path, [fine, (np.ones((3, 4)), np.zeros(2))])) == (
        ", episode 1: column 'obs.observation' has shape (2, 4), the run's is (2, 2)"
        " - give the experience of the same spaces"
    )
    assert refused(written(path, [(np.full((3, 2), b"x"), np.zeros(2))])) == (
        ", episode 0: column 'obs.observation' holds |S1, not numbers"
    )
    camera = {"camera": np.ones((3, 2, 2, 3)), "speed": np.ones((3, 1))}
    assert refused(written(path, [(camera, np.zeros((2, 2)))]), layout=PICTURES) == (
        ", episode 0: column 'obs.camera' holds float64, the run's holds bytes (uint8)"
    )


def test_a_column_that_the_agent_keeps_must_be_there(table):
    kept = Layout((*LAYOUT.columns, Column("mask", (2,))))
    assert refused(table(TABLE), layout=kept) == (
        ", episode 0: column 'mask' is missing; there is action, obs.observation, reward - the run's agent needs it"
    )


def test_foreign_and_damaged_folders(tmp_path):
    store = ExperienceReplay(capacity=9).make(LAYOUT, 1)
    store.add(numbered(LAYOUT, 0, 9))
    save(store, tmp_path)
    whole = tmp_path / "whole"
    shutil.copytree(tmp_path, whole)
    with pytest.raises(BadCheckpoint) as caught:
        loaded(tmp_path, layout=PICTURES)
    assert str(caught.value) == (
        f"{tmp_path}: the saved transitions have other columns - resume with the same spaces, agent and filters"
    )
    part = next((tmp_path / "parts").iterdir())
    size = part.stat().st_size
    part.write_bytes(part.read_bytes()[:-1])
    assert refused(tmp_path, BadCheckpoint) == (
        f"/parts/{part.name}: it holds {size - 1} bytes, {size} were saved: cut short"
    )
    part.write_bytes(bytes(size))
    assert refused(tmp_path, BadCheckpoint) == f"/parts/{part.name}: it was altered: its sha256 is not its name"
    manifest = json.loads((whole / "memory.json").read_text())
    for state, said in (
        ({"clock": 1}, "it is a checkpoint, but holds no memory"),
        ({"memory": {"packed": 1}}, "what it holds is no replay memory - only those can be loaded"),
    ):
        (whole / "other.json").write_text(json.dumps(manifest | {"state": state}))
        (whole / "latest").unlink(missing_ok=True)
        from hashlib import sha256

        digest = sha256((whole / "other.json").read_bytes()).hexdigest()
        (whole / "latest").write_text(json.dumps({"name": "other", "sha256": digest}))
        assert refused(whole, BadCheckpoint) == f": {said}"


@pytest.mark.parametrize(("module", "extra", "source"), [
    ("pyarrow", "parquet", "x.parquet"), ("h5py", "hdf5", "x.hdf5"), ("minari", "minari", "minari:a/b-v0"),
])  # fmt: skip
def test_what_must_be_installed_is_said(module, extra, source, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, module, None)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.parquet").touch()
    (tmp_path / "x.hdf5").touch()
    with pytest.raises(CoachError, match=rf"pip install 'coach-memories\[{extra}\]'"):
        loaded(source)


def test_a_balanced_memory_can_be_filled(tmp_path):
    with (tmp_path / "c.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["episode", "class", "action", "reward"])
        writer.writerows([[0, number % 2, 1, number] for number in range(9)])
    layout = Layout.of(Spaces({"class": Box(())}, Discrete(2)))
    store = loaded(tmp_path / "c.csv", BalancedExperienceReplay, layout)
    assert len(store) == 8
    assert store.sample(np.random.default_rng(0), 1, 8, 0).rows.shape == (1, 8)
