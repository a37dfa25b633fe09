"""The recorder `video`: pictures of episodes as films."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any, Protocol

import attrs
import numpy as np

from coach_records.appending import failed
from coachcore.api import Array, BadData, BadSetting, Event, RunInfo, component, param

FOLDER = "videos"


@component("recorder", "video", needs=("PIL",))
@attrs.frozen(kw_only=True)
class Video:
    """Each episode whose pictures are sent as a film ``videos/episode-<i>.gif`` (or ``.mp4``).

    Listens to events of kind ``frame`` alone: ``data = {"frame": picture
    [H, W, 3] uint8, "episode": i}``; a film is finished when the next episode's
    first picture comes, or at the end. GIF needs nothing besides Pillow and
    holds the pictures of one episode in memory; MP4 (H.264) is written as it
    comes and needs the extra ``coach-records[mp4]``, which brings its own ffmpeg.
    """

    format: str = param(default="gif", choices=("gif", "mp4"), doc="gif plays anywhere; mp4 is smaller and better")
    fps: int = param(default=30, ge=1, le=50, unit="1/s", doc="pictures shown a second")
    every: int = param(default=1, ge=1, doc="keep one picture in this many")

    def open(self, folder: Path, info: RunInfo, mark: Any = None) -> VideoSink:
        """Films are written into `folder`/videos; raises `BadSetting` where mp4 is asked for and cannot be written."""
        if self.format == "mp4" and find_spec("imageio_ffmpeg") is None:
            raise BadSetting(
                "mp4 needs the package imageio-ffmpeg - pip install 'coach-records[mp4]', or use format = \"gif\"",
                where="video.format",
            )
        return VideoSink(folder / FOLDER, self.format, self.fps, self.every)


class VideoSink:
    """Writes one film at a time."""

    def __init__(self, folder: Path, suffix: str, fps: int, every: int) -> None:
        self._folder, self._suffix, self._fps, self._every = folder, suffix, fps, every
        self._film: Film | None = None
        self._episode: int | None = None
        self._seen = 0

    def event(self, event: Event) -> None:
        """Add a picture to its episode's film."""
        if event.kind != "frame":
            return
        episode = int(event.data["episode"])
        if episode != self._episode:
            self.close()
            self._episode, self._seen = episode, 0
            self._film = film(self._folder / f"episode-{episode}.{self._suffix}", self._fps)
        if self._seen % self._every == 0 and self._film is not None:
            self._film.add(event.data["frame"])
        self._seen += 1

    def mark(self) -> None:
        """A film begun is not part of a checkpoint."""

    def close(self) -> None:
        """Finish the film begun, if there is one."""
        begun, self._film, self._episode = self._film, None, None
        if begun is not None:
            begun.close()


class Film(Protocol):
    """A film being written; it appears under its name when closed, whole."""

    def add(self, frame: Array) -> None: ...

    def close(self) -> None: ...


def film(path: Path, fps: int) -> Film:
    """A film for `path`, which ends in .gif or .mp4; raises `BadSetting` for anything else."""
    kinds: dict[str, type[Gif | Mp4]] = {".gif": Gif, ".mp4": Mp4}
    if path.suffix not in kinds:
        raise BadSetting(f"a film cannot be written as '{path.suffix}'; use .gif or .mp4", where=str(path))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise failed(path, error) from error
    return kinds[path.suffix](path, fps)


def write_video(path: Path, frames: Iterable[Array], fps: int = 30) -> None:
    """Write `frames` (each ``[H, W, 3]`` uint8, all of one size) to `path` (.gif or .mp4) at `fps` a second."""
    written = film(path, fps)
    for frame in frames:
        written.add(frame)
    written.close()


class Gif:
    """A GIF through Pillow; a picture stays for ``round(100 / fps)`` hundredths of a second, as the format counts."""

    def __init__(self, path: Path, fps: int) -> None:
        self._path, self._stay = path, 10 * max(2, round(100 / fps))  # in milliseconds
        self._frames: list[Any] = []

    def add(self, frame: Array) -> None:
        """Keep a picture, in 256 colours."""
        from PIL import Image

        self._frames.append(Image.fromarray(_checked(frame, self._path)).quantize(256))

    def close(self) -> None:
        """Write the file; nothing where no picture came."""
        if not self._frames:
            return
        (first, *rest), self._frames = self._frames, []
        part = self._path.with_suffix(".part.gif")
        try:
            first.save(part, format="GIF", save_all=True, append_images=rest, duration=self._stay, loop=0)
            part.replace(self._path)
        except OSError as error:
            part.unlink(missing_ok=True)
            raise failed(self._path, error) from error


class Mp4:
    """H.264 in MP4 through the ffmpeg that imageio-ffmpeg brings; an odd width or height gets one more black line."""

    def __init__(self, path: Path, fps: int) -> None:
        self._path, self._fps = path, fps
        self._part = path.with_suffix(".part.mp4")
        self._ffmpeg: Popen[bytes] | None = None

    def add(self, frame: Array) -> None:
        """Send a picture to ffmpeg."""
        picture = _checked(frame, self._path)
        if self._ffmpeg is None:
            self._ffmpeg = Popen(self._command(picture), stdin=PIPE, stderr=PIPE)
        if self._ffmpeg.stdin is not None:
            try:
                self._ffmpeg.stdin.write(picture.tobytes())
            except OSError:  # it is gone: `close` says why
                self.close()

    def close(self) -> None:
        """Finish the file; nothing where no picture came."""
        ffmpeg, self._ffmpeg = self._ffmpeg, None
        if ffmpeg is None:
            return
        _, said = ffmpeg.communicate()
        if ffmpeg.returncode:
            self._part.unlink(missing_ok=True)
            words = said.decode(errors="replace").strip().splitlines() or [f"ffmpeg ended with {ffmpeg.returncode}"]
            raise failed(self._path, OSError(0, words[-1]))
        self._part.replace(self._path)

    def _command(self, picture: Array) -> list[str]:
        from imageio_ffmpeg import get_ffmpeg_exe

        taken = [
            "-f",
            "rawvideo",
            "-pix_fmt",
            "rgb24",
            "-s",
            f"{picture.shape[1]}x{picture.shape[0]}",
            "-r",
            str(self._fps),
        ]
        made = [
            "-vf",
            "pad=ceil(iw/2)*2:ceil(ih/2)*2",
            "-c:v",
            "libx264",
            "-pix_fmt",
            "yuv420p",
            "-movflags",
            "+faststart",
        ]
        return [get_ffmpeg_exe(), "-y", "-loglevel", "error", *taken, "-i", "-", *made, str(self._part)]


def _checked(frame: Array, path: Path) -> Array:
    if frame.ndim != 3 or frame.shape[2] != 3 or frame.dtype != np.uint8:
        raise BadData(f"a picture is [H, W, 3] uint8, got {list(frame.shape)} {frame.dtype}", where=str(path))
    return np.ascontiguousarray(frame)
