"""`coach evaluate`: greedy episodes of a trained policy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--episodes", default=20, show_default=True, type=click.IntRange(min=1), help="Episodes to play.")
@click.option(
    "--checkpoint", default="best", show_default=True, metavar="NAME", help="best, latest, or a checkpoint's name."
)
@click.option("--seed", type=click.IntRange(min=0), help="Picks the episodes (default: the run's seed).")
@click.option("--video", is_flag=True, help="Also write the first episodes to DIR/videos.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def evaluate(folder: Path, episodes: int, checkpoint: str, seed: int | None, video: bool, as_json: bool) -> None:
    """Play greedy episodes with the policy trained in DIR and report their returns.

    The episodes are fresh: training and its evaluations never saw their seeds.
    """
    from coachcore.door import chosen
    from coachcore.door import evaluate as play
    from coachcore.events import figure

    film = _Film(_video_sink(folder)) if video else None
    try:
        score = play(folder, episodes=episodes, checkpoint=checkpoint, seed=seed, on_frame=film)
    finally:
        if film:
            film.sink.close()
    if as_json:
        import json

        click.echo(json.dumps(score.summary() | {"returns": list(score.returns)}))
        return
    told = score.summary()
    spread = ", ".join(f"{name} {figure(told[name])}" for name in ("std", "min", "max"))
    click.echo(
        f"{chosen(folder, checkpoint)} checkpoint, {episodes} episodes: mean return {figure(told['mean'])} "
        f"({spread}), mean length {told['length']:.1f}"
    )
    if film:
        click.echo(f"videos: {folder / 'videos'}" if film.pictures else "no videos: the environment shows no pictures")


_FILMED = 3  # episodes; more would fill a disk before they taught anything


def _video_sink(folder: Path) -> Any:
    from coachcore.events import RunInfo
    from coachcore.registry.registry import current

    part = current().load("recorder", "video")()
    return part.open(folder, RunInfo(preset=folder.name, seed=0, environment="", agent="", total=0))


class _Film:
    """Hands the pictures of the first episodes to a recorder, and counts them."""

    def __init__(self, sink: Any) -> None:
        self.sink, self.pictures = sink, 0

    def __call__(self, episode: int, picture: Any) -> None:
        from coachcore.events import Event

        if episode < _FILMED:
            self.sink.event(Event("frame", 0, episode, 0, {"frame": picture, "episode": episode}))
            self.pictures += 1
