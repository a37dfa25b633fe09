"""Films: what is written can be read back, picture by picture."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coach_records import video
from coach_records.video import Video, write_video
from coachcore.api import BadData, BadSetting, CoachError, Event, RunInfo

INFO = RunInfo(preset="toy", seed=1, environment="toy", agent="toy", total=40)
COLOURS = [(250, 0, 0), (0, 250, 0), (0, 0, 250), (250, 250, 0)]


def pictures(count: int, size: tuple[int, int] = (20, 30)) -> list[Any]:
    return [np.full((*size, 3), COLOURS[number % 4], np.uint8) for number in range(count)]


def frames(episode: int, count: int) -> list[Event]:
    return [Event("frame", 0, 0, 0, {"frame": picture, "episode": episode}) for picture in pictures(count)]


def film(path: Path) -> list[tuple[tuple[int, ...], int]]:
    """Colour of the middle and milliseconds of each picture of a GIF."""
    from PIL import Image

    with Image.open(path) as image:
        found = []
        for number in range(image.n_frames):
            image.seek(number)
            found.append((image.convert("RGB").getpixel((15, 10)), image.info["duration"]))
    return found


def test_one_gif_an_episode(tmp_path: Path) -> None:
    sink = Video(fps=25).open(tmp_path, INFO)
    for event in [*frames(0, 4), Event("evaluation", 1, 1, 1, {}), *frames(1, 2)]:
        sink.event(event)
    assert [path.name for path in (tmp_path / "videos").iterdir()] == ["episode-0.gif"]
    sink.close()
    sink.close()
    assert sorted(path.name for path in (tmp_path / "videos").iterdir()) == ["episode-0.gif", "episode-1.gif"]
    assert film(tmp_path / "videos" / "episode-0.gif") == [(colour, 40) for colour in COLOURS]
    assert film(tmp_path / "videos" / "episode-1.gif") == [(colour, 40) for colour in COLOURS[:2]]


def test_every_second_picture(tmp_path: Path) -> None:
    sink = Video(every=2).open(tmp_path, INFO)
    for event in frames(7, 4):
        sink.event(event)
    sink.close()
    assert [colour for colour, _ in film(tmp_path / "videos" / "episode-7.gif")] == [COLOURS[0], COLOURS[2]]


def test_no_pictures_no_file(tmp_path: Path) -> None:
    Video().open(tmp_path, INFO).close()
    write_video(tmp_path / "none.gif", [])
    write_video(tmp_path / "none.mp4", [])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("size", [(20, 30), (21, 31)])
def test_mp4(tmp_path: Path, size: tuple[int, int]) -> None:
    ffmpeg = pytest.importorskip("imageio_ffmpeg").get_ffmpeg_exe()
    write_video(tmp_path / "a.mp4", pictures(4, size), fps=10)
    command = [ffmpeg, "-loglevel", "error", "-i", str(tmp_path / "a.mp4"), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    raw = np.frombuffer(subprocess.run(command, capture_output=True, check=True).stdout, np.uint8)
    height, width = size[0] + size[0] % 2, size[1] + size[1] % 2
    seen = raw.reshape(4, height, width, 3)[:, 10, 15].astype(int)
    assert np.abs(seen - COLOURS).max() < 60
    assert [path.name for path in tmp_path.iterdir()] == ["a.mp4"]


def test_mp4_that_ffmpeg_cannot_write(tmp_path: Path) -> None:
    pytest.importorskip("imageio_ffmpeg")
    film = video.film(tmp_path / "gone" / "a.mp4", 10)
    (tmp_path / "gone").rmdir()
    film.add(pictures(1)[0])
    with pytest.raises(CoachError, match=r"a\.mp4: cannot write: .*No such file or directory"):
        film.close()


def test_mp4_without_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(video, "find_spec", lambda _: None)
    with pytest.raises(BadSetting) as caught:
        Video(format="mp4").open(tmp_path, INFO)
    assert str(caught.value) == (
        "video.format: mp4 needs the package imageio-ffmpeg - pip install 'coach-records[mp4]', or use format = \"gif\""
    )


@pytest.mark.parametrize("frame", [np.zeros((4, 4), np.uint8), np.zeros((4, 4, 3)), np.zeros((4, 4, 4), np.uint8)])
def test_odd_pictures(tmp_path: Path, frame: Any) -> None:
    with pytest.raises(BadData, match=r"odd\.gif: a picture is \[H, W, 3\] uint8, got \[4, 4"):
        write_video(tmp_path / "odd.gif", [frame])


def test_odd_endings(tmp_path: Path) -> None:
    with pytest.raises(BadSetting, match=r"a film cannot be written as '\.avi'; use \.gif or \.mp4"):
        write_video(tmp_path / "a.avi", pictures(1))


def test_a_full_disk_leaves_no_half_film(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from PIL import Image

    def save(_image: Any, path: Path, **_: Any) -> None:
        Path(path).write_bytes(b"GIF8")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Image.Image, "save", save)
    with pytest.raises(CoachError, match=r"a\.gif: cannot write: No space left on device"):
        write_video(tmp_path / "a.gif", pictures(2))
    assert list(tmp_path.iterdir()) == []


def test_a_file_where_the_films_should_be_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "videos").write_text("in the way")
    sink = Video().open(tmp_path, INFO)
    with pytest.raises(CoachError, match=r"episode-0\.gif: cannot write: "):
        sink.event(frames(0, 1)[0])


def test_an_ffmpeg_that_dies_says_why_at_the_next_picture(tmp_path: Path) -> None:
    pytest.importorskip("imageio_ffmpeg")
    film = video.film(tmp_path / "gone" / "a.mp4", 10)
    (tmp_path / "gone").rmdir()
    many = [np.zeros((600, 800, 3), np.uint8)] * 50  # far more than a pipe holds
    with pytest.raises(CoachError, match=r"a\.mp4: cannot write: .*No such file or directory"):
        list(map(film.add, many))
