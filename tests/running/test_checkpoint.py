"""Checkpoints: whole or not at all, and never trusted without looking."""

from __future__ import annotations

import errno
import io
import json
import os
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from coachcore.errors import BadCheckpoint, CoachError
from coachcore.running import checkpoint
from coachcore.running.checkpoint import FORMAT, Checkpoints

DTYPES = ["bool", "int8", "uint8", "int64", "uint64", "float16", "float32", "float64", "complex64", "<U3", ">f8"]
STATE = {
    "weights": np.arange(6, dtype=np.float32).reshape(2, 3),
    "clock": {"steps": 3},
    "pair": (1, [None, "x"]),
}


def same(one, other):
    """Equal to the bit, types included."""
    if isinstance(one, np.ndarray | np.generic):
        return type(one) is type(other) and one.dtype == other.dtype and one.shape == other.shape and (
            one.tobytes() == other.tobytes()
        )  # fmt: skip
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other or (one != one and other != other)  # NaN


@pytest.fixture
def saved(tmp_path):
    checkpoints = Checkpoints(tmp_path)
    checkpoints.save("step-1", STATE)
    return checkpoints


def parts(checkpoints):
    return sorted((checkpoints.folder / "parts").glob("*.npy"))


# Round trips


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 3), (2, 3)])
def test_arrays_of_every_sort(tmp_path, dtype, shape):
    array = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
    checkpoints = Checkpoints(tmp_path)
    checkpoints.save("step-1", {"a": array})
    loaded = checkpoints.load()["a"]
    assert same(loaded, array)
    assert loaded.flags.writeable


@pytest.mark.parametrize(
    "array",
    [
        np.arange(12).reshape(3, 4).T,
        np.arange(12)[::-2],
        np.broadcast_to(np.float32(2), (3, 2)),
        np.asfortranarray(np.eye(3)),
        np.array([np.nan, -0.0, np.inf, -np.inf]),
        np.array([0x7FF8_0000_0000_0001, 0xFFF8_0000_0000_0000], np.uint64).view(np.float64),  # NaNs with a payload
        np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")]),
    ],
    ids=["transposed", "reversed", "broadcast", "fortran", "odd numbers", "odd NaNs", "structured"],
)
def test_odd_arrays(tmp_path, array):
    checkpoints = Checkpoints(tmp_path)
    checkpoints.save("step-1", array)
    assert same(checkpoints.load(), np.ascontiguousarray(array).reshape(array.shape))


SHAPES = hnp.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=3)
STATES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**200), 2**200) | st.floats() | st.text(max_size=5)
    | hnp.arrays(st.sampled_from(["float32", "int64", "bool"]), SHAPES)
    | st.floats(width=32).map(np.float32),
    lambda inner: st.lists(inner, max_size=3) | st.lists(inner, max_size=3).map(tuple)
    | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@given(STATES)
def test_any_state_comes_back_to_the_bit(tmp_path_factory, state):
    checkpoints = Checkpoints(tmp_path_factory.mktemp("c"))
    checkpoints.save("step-1", state)
    assert same(checkpoints.load(), state)
    assert same(checkpoints.load("step-1"), state)


def test_large_arrays_are_read_as_they_are_used(tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint, "LARGE", 1_000)
    state = {"large": np.arange(300.0).reshape(100, 3), "small": np.arange(3)}
    checkpoints = Checkpoints(tmp_path)
    checkpoints.save("step-1", state)
    found = checkpoints.load()
    assert isinstance(found["large"], np.memmap)
    assert not isinstance(found["small"], np.memmap)
    assert np.array_equal(found["large"], state["large"])
    found["large"][0] = -1  # a copy of what was written
    assert np.array_equal(checkpoints.load()["large"], state["large"])


def test_equal_arrays_are_stored_once(tmp_path):
    checkpoints = Checkpoints(tmp_path)
    checkpoints.save("step-1", {"a": np.ones(3), "b": [np.ones(3)], "c": np.zeros(3)})
    assert len(parts(checkpoints)) == 2
    checkpoints.save("step-2", {"a": np.ones(3)})
    assert len(parts(checkpoints)) == 2


def test_what_lies_on_the_disk(saved):
    names = sorted(str(path.relative_to(saved.folder)) for path in saved.folder.rglob("*") if path.is_file())
    (part,) = parts(saved)
    assert names == ["latest", f"parts/{part.name}", "step-1.json"]
    assert sha256(part.read_bytes()).hexdigest() == part.stem
    assert np.array_equal(np.load(part, allow_pickle=False), STATE["weights"])
    manifest = (saved.folder / "step-1.json").read_bytes()
    assert json.loads((saved.folder / "latest").read_bytes()) == {
        "name": "step-1",
        "sha256": sha256(manifest).hexdigest(),
    }
    assert json.loads(manifest)["parts"] == {part.stem: part.stat().st_size}


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ({"a": object()}, "a state may hold numbers, text and arrays only, got object"),
        ({"a": {1, 2}}, "got set"),
        ({"a": b"x"}, "got bytes"),
        ({"a": np.array([None])}, "arrays of plain numbers or text only, got dtype object"),
        ({"a": np.zeros(2, "V2")}, r"arrays of plain numbers or text only, got dtype \|V2"),
        ({1: 2}, "a state's keys are text other than .*, got 1"),
        ({"$array": 2}, r"a state's keys are text other than .*, got '\$array'"),
        ({"a": {"$tuple": 2}}, r"got '\$tuple'"),
        ({"a": {"$scalar": 2}}, r"got '\$scalar'"),
    ],
)
def test_what_a_state_may_not_hold(saved, state, words):
    with pytest.raises(CoachError, match=words):
        saved.save("step-2", state)
    assert same(saved.load(), STATE)


# Interrupted


class Interrupted(Exception):
    """Stands for the process being killed."""


def touching(monkeypatch, stop_at, problem):
    """Count every call that changes the disk, and raise `problem` at call number `stop_at`."""
    done = []
    real = {name: getattr(os, name) for name in ("fsync", "replace", "unlink")}
    real_open, path_replace, path_unlink = Path.open, Path.replace, Path.unlink

    def counted(function):
        def call(*args, **kwargs):
            done.append(function.__name__)
            if len(done) == stop_at:
                raise problem
            return function(*args, **kwargs)

        return call

    def opened(self, mode="r", *args, **kwargs):
        return (counted(real_open) if "w" in mode else real_open)(self, mode, *args, **kwargs)

    monkeypatch.setattr(os, "fsync", counted(real["fsync"]))
    monkeypatch.setattr(Path, "open", opened)
    monkeypatch.setattr(Path, "replace", counted(path_replace))
    monkeypatch.setattr(Path, "unlink", counted(path_unlink))
    return done


def _saves(checkpoints):
    """A series as a session makes it: full ones, the best ones, and one of the same name with another state."""
    yield "step-1", {"n": 1, "a": np.ones(2), "b": np.arange(3)}, "latest"
    yield "best", {"n": 1.5, "a": np.ones(2)}, "best"
    yield "step-2", {"n": 2, "a": np.full(2, 2.0), "b": np.arange(3)}, "latest"
    yield "best", {"n": 2.5, "a": np.full(2, 2.0)}, "best"
    yield "step-3", {"n": 3, "a": np.full(2, 3.0), "b": np.arange(3)}, "latest"
    yield "step-3", {"n": 3.5, "a": np.full(2, 4.0), "b": np.arange(3)}, "latest"


def _calls(folder):
    with pytest.MonkeyPatch.context() as patch:
        done = touching(patch, 0, Interrupted())
        checkpoints = Checkpoints(folder, keep_last=1)
        for name, state, pointer in _saves(checkpoints):
            checkpoints.save(name, state, pointer=pointer)
    return len(done)


@pytest.mark.parametrize("problem", [OSError(errno.EIO, "Input/output error"), Interrupted()], ids=["error", "killed"])
def test_interrupted_at_every_step_the_last_whole_one_loads(tmp_path, problem):
    total = _calls(tmp_path / "count")
    assert total > 40
    for stop_at in range(1, total + 1):
        folder = tmp_path / f"{stop_at}"
        checkpoints, whole = Checkpoints(folder, keep_last=1), {}
        with pytest.MonkeyPatch.context() as patch:
            touching(patch, stop_at, problem)
            for name, state, pointer in _saves(checkpoints):
                try:
                    checkpoints.save(name, state, pointer=pointer)
                except (CoachError, Interrupted):
                    break
                whole[pointer] = state
        assert whole.keys() | {pointer} <= {"latest", "best"}
        for each in ("latest", "best"):
            allowed = [whole.get(each), *([state] if each == pointer else [])]
            loaded = checkpoints.load(each) if checkpoints.pointed(each) else None
            assert any(same(loaded, one) for one in allowed), f"{each} is lost when call {stop_at} of {total} fails"
        for name, state, pointer in _saves(checkpoints):  # and whoever comes next can save, and leaves nothing behind
            checkpoints.save(name, state, pointer=pointer)
        assert same(checkpoints.load(), state)
        assert not list(folder.rglob(".*.tmp"))
        assert len(list((folder / "parts").iterdir())) == 3


def test_a_full_disk_is_said_in_one_line(saved, monkeypatch):
    def full(_descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(CoachError) as refused:
        saved.save("step-2", {"a": np.zeros(9)})
    said = f"{saved.folder}: cannot save a checkpoint: No space left on device - the last whole checkpoint is 'step-1'"
    assert str(refused.value) == said
    assert same(saved.load(), STATE)
    with pytest.raises(CoachError, match="No space left on device - nothing had been saved before"):
        Checkpoints(saved.folder / "other").save("step-1", STATE)


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(CoachError, match="cannot save a checkpoint: "):
        Checkpoints(tmp_path / "file").save("step-1", STATE)


# Damaged


def test_nothing_saved_yet(tmp_path):
    with pytest.raises(BadCheckpoint, match="no checkpoint is called 'latest'; there is none yet"):
        Checkpoints(tmp_path).load()


def test_a_missing_pointer_leaves_the_names(saved):
    (saved.folder / "latest").unlink()
    with pytest.raises(BadCheckpoint, match="no checkpoint is called 'latest'; there is step-1"):
        saved.load()
    assert same(saved.load("step-1"), STATE)
    assert saved.pointed("latest") == ""


@pytest.mark.parametrize(
    "pointer",
    [b"", b"{", b"\xff\xfe", b"[]", b"3", b'"x"', b"{}", b'{"name": "step-1"}', b'{"name": 3, "sha256": "x"}',
     b'{"name": "../step-1", "sha256": "x"}', b'{"name": "a/b", "sha256": "x"}', b"[" * 100_000],
    ids=range(12),
)  # fmt: skip
def test_a_garbage_pointer(saved, pointer):
    (saved.folder / "latest").write_bytes(pointer)
    with pytest.raises(BadCheckpoint, match="latest: the pointer file is damaged - give the name of a checkpoint inst"):
        saved.load()


def test_a_manifest_that_is_gone(saved):
    (saved.folder / "step-1.json").unlink()
    with pytest.raises(BadCheckpoint, match="no checkpoint is called 'latest'; there is none yet"):
        saved.load()


@pytest.mark.parametrize("change", [lambda data: data[:-1], lambda data: data.replace(b"3", b"4"), lambda data: b""])
def test_an_altered_manifest(saved, change):
    path = saved.folder / "step-1.json"
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(BadCheckpoint, match=r"step-1\.json: it was altered or cut short: its sha256 is not what 'lat"):
        saved.load()


def test_a_part_that_is_gone(saved):
    parts(saved)[0].unlink()
    with pytest.raises(BadCheckpoint, match=r"\.npy: a part of the checkpoint is missing"):
        saved.load()


def test_a_part_that_is_a_folder(saved):
    parts(saved)[0].unlink()
    (saved.folder / "parts" / f"{sha256(b'').hexdigest()}.npy").mkdir()
    hostile(saved, {"$array": sha256(b"").hexdigest()})
    with pytest.raises(BadCheckpoint, match="it cannot be read: Is a directory"):
        saved.load("hostile")


def test_a_part_cut_short(saved):
    (part,) = parts(saved)
    size = part.stat().st_size
    part.write_bytes(part.read_bytes()[:-1])
    with pytest.raises(BadCheckpoint, match=rf"\.npy: it holds {size - 1} bytes, {size} were saved: cut short"):
        saved.load()


def test_an_altered_part(saved):
    (part,) = parts(saved)
    data = bytearray(part.read_bytes())
    data[-1] ^= 1
    part.write_bytes(data)
    with pytest.raises(BadCheckpoint, match=r"\.npy: it was altered: its sha256 is not its name"):
        saved.load()


def test_a_part_cut_short_is_written_anew(saved):
    (part,) = parts(saved)
    part.write_bytes(part.read_bytes()[:-1])
    saved.save("step-2", STATE)
    assert same(saved.load(), STATE)


# Hostile


def hostile(checkpoints, tree, sizes=None, **more):
    manifest = {"format": FORMAT, "state": tree, "parts": sizes if sizes is not None else {}} | more
    (checkpoints.folder / "hostile.json").write_text(json.dumps(manifest))


def planted(checkpoints, data):
    digest = sha256(data).hexdigest()
    (checkpoints.folder / "parts" / f"{digest}.npy").write_bytes(data)
    return digest


@pytest.mark.parametrize("found", [0, 2, "1", None, [FORMAT]])
def test_another_format_is_named(saved, found):
    hostile(saved, {}, format=found)
    with pytest.raises(BadCheckpoint, match=rf"it has format .*, this version of Coach reads {FORMAT}"):
        saved.load("hostile")


@pytest.mark.parametrize(
    "manifest",
    [b"", b"{", b"\xff", b"[]", b"7", b"{}", b'{"format": 1}', b'{"format": 1, "state": {}}', b"[" * 100_000,
     b'{"format": 1, "state": {"$tuple": 3}, "parts": {}}', b'{"format": 1, "state": {"$array": 3}, "parts": {}}',
     b'{"format": 1, "state": {"$array": {"a": 1}}, "parts": {}}',
     b'{"format": 1, "state": ' + b"[" * 900 + b"]" * 900 + b', "parts": {}}x'],
    ids=range(13),
)  # fmt: skip
def test_what_is_no_manifest(saved, manifest):
    (saved.folder / "hostile.json").write_bytes(manifest)
    with pytest.raises(BadCheckpoint, match=r"hostile\.json: it is not a checkpoint manifest"):
        saved.load("hostile")


@pytest.mark.parametrize("sizes", [[], "text", 3, None])
def test_sizes_that_are_no_table(saved, sizes):
    (part,) = parts(saved)
    manifest = {"format": FORMAT, "state": {"$array": part.stem}, "parts": sizes}
    (saved.folder / "hostile.json").write_text(json.dumps(manifest))
    with pytest.raises(BadCheckpoint, match="it is not a checkpoint manifest"):
        saved.load("hostile")


@pytest.mark.parametrize(
    "name", ["../../secret", "/etc/hostname", "..", "", "A" * 64, "é" * 64, "0" * 63, "0" * 64 + "/x"]
)
def test_a_part_may_not_lead_out_of_the_folder(saved, name):
    hostile(saved, {"$array": name}, {name: 1})
    with pytest.raises(BadCheckpoint, match="which is not a sha256"):
        saved.load("hostile")


def test_nothing_is_unpickled(saved, tmp_path):
    mark = tmp_path / "mark"

    class Trap:
        def __reduce__(self):
            return (Path.touch, (mark,))

    buffer = io.BytesIO()
    np.save(buffer, np.array([Trap()], dtype=object), allow_pickle=True)
    digest = planted(saved, buffer.getvalue())
    hostile(saved, {"$array": digest}, {digest: len(buffer.getvalue())})
    with pytest.raises(BadCheckpoint, match=r"\.npy: it is not an array of plain numbers"):
        saved.load("hostile")
    assert not mark.exists()


@pytest.mark.parametrize("cut", [0, 5, 60, -1])
def test_a_part_that_is_no_array(saved, cut):
    buffer = io.BytesIO()
    np.save(buffer, np.arange(5))
    data = buffer.getvalue()[:cut]
    digest = planted(saved, data)
    hostile(saved, {"$array": digest}, {digest: len(data)})
    with pytest.raises(BadCheckpoint, match=r"\.npy: it is not an array of plain numbers"):
        saved.load("hostile")


def test_an_array_that_claims_to_be_huge(saved):
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(buffer, {"descr": "<f8", "fortran_order": False, "shape": (2**55,)})
    digest = planted(saved, buffer.getvalue())
    hostile(saved, {"$array": digest}, {digest: len(buffer.getvalue())})
    with pytest.raises(BadCheckpoint, match="it is not an array of plain numbers"):
        saved.load("hostile")


# Kept and forgotten


def test_the_newest_are_kept(tmp_path):
    checkpoints = Checkpoints(tmp_path, keep_last=2)
    for step in range(1, 5):
        checkpoints.save(f"step-{step:012d}", {"step": step, "a": np.full(3, step)})
    assert checkpoints.names() == ["step-000000000003", "step-000000000004"]
    assert checkpoints.load("step-000000000003")["step"] == 3
    assert len(parts(checkpoints)) == 2


def test_the_best_is_kept_apart(tmp_path):
    checkpoints = Checkpoints(tmp_path, keep_last=1)
    checkpoints.save("step-1", {"a": np.ones(1)})
    checkpoints.save("best", {"b": np.full(2, 7.0)}, pointer="best")
    for step in (2, 3):
        checkpoints.save(f"step-{step}", {"a": np.full(1, step)})
    assert checkpoints.names() == ["best", "step-3"]
    assert checkpoints.load("best")["b"].tolist() == [7, 7]


def test_a_full_checkpoint_that_is_the_best_is_kept(tmp_path):
    checkpoints = Checkpoints(tmp_path, keep_last=1)
    checkpoints.save("step-1", {"a": 1}, pointer="best")
    for step in (2, 3):
        checkpoints.save(f"step-{step}", {"a": step})
    assert checkpoints.names() == ["step-1", "step-3"]


def test_shared_parts_stay_while_anyone_names_them(tmp_path):
    checkpoints = Checkpoints(tmp_path, keep_last=1)
    checkpoints.save("step-1", {"a": np.ones(3), "b": np.zeros(3)})
    checkpoints.save("step-2", {"a": np.ones(3)})
    assert np.array_equal(checkpoints.load()["a"], np.ones(3))
    assert len(parts(checkpoints)) == 1


def test_a_manifest_that_a_pointer_stands_for_is_not_written_over(tmp_path):
    checkpoints = Checkpoints(tmp_path)
    paths = [checkpoints.save("best", {"n": n}, pointer="best").name for n in (1, 1, 2, 3)]
    assert paths == ["best.json", "best.json", "best+1.json", "best.json"]
    assert checkpoints.names() == ["best"]
    assert checkpoints.load("best") == {"n": 3}


@pytest.mark.parametrize("damage", ["{", "[]", "{}", '{"parts": 3}'])
def test_a_damaged_manifest_costs_no_part(saved, damage):
    """What it needs is not known, so nothing is removed; once it is gone, the sweeping goes on."""
    (saved.folder / "other.json").write_text(damage)
    for step in (2, 3, 4):
        saved.save(f"step-{step}", {"a": np.full(1, step)})
    assert saved.names() == ["other", "step-3", "step-4"]
    assert len(parts(saved)) == 4
    (saved.folder / "other.json").unlink()
    saved.save("step-4", {"a": np.full(1, 4)})
    assert len(parts(saved)) == 2


def test_what_a_killed_process_left_is_swept_up(saved):
    for path in (saved.folder / ".step-9.json.1.tmp", saved.folder / "parts" / ".x.npy.1.tmp"):
        path.write_bytes(b"half")
    saved.save("step-2", STATE)
    assert not list(saved.folder.rglob("*.tmp"))


def test_a_part_that_rotted_is_mended_by_the_next_save(tmp_path):
    Checkpoints(tmp_path).save("step-1", {"a": np.arange(5.0)})
    (part,) = parts(Checkpoints(tmp_path))
    rotten = bytearray(part.read_bytes())
    rotten[-1] ^= 1
    part.write_bytes(rotten)
    with pytest.raises(BadCheckpoint, match="it was altered"):
        Checkpoints(tmp_path).load()
    Checkpoints(tmp_path).save("step-2", {"a": np.arange(5.0)})
    assert Checkpoints(tmp_path).load()["a"].tolist() == [0, 1, 2, 3, 4]


def test_a_reader_beside_a_writer_follows_the_pointer(tmp_path, monkeypatch):
    """What `latest` stood for goes while it is being read: the reader reads what it stands for now."""
    writer, reader = Checkpoints(tmp_path, keep_last=1), Checkpoints(tmp_path)
    writer.save("step-1", {"a": np.arange(2.0)})
    loaded = reader._loaded

    def overtaken(name, pointed):
        if pointed["name"] == "step-1":
            writer.save("step-2", {"a": np.arange(3.0)})
        return loaded(name, pointed)

    monkeypatch.setattr(reader, "_loaded", overtaken)
    assert reader.load()["a"].tolist() == [0, 1, 2]
