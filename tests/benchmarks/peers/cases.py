"""The cases: one setting each, the same on every side, and what is asked of the ratio.

Only the standard library: the other sides read this in environments of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from peers import floor

CARTPOLE, PENDULUM, FRAMES = "CartPole-v1", "Pendulum-v1", "peers.frames:RandomFrames"
INPUTS = {CARTPOLE: (4, 2), PENDULUM: (3, 1)}  # numbers of an observation; actions, or numbers of an action
PICTURE_ACTIONS = 6


@dataclass(frozen=True, kw_only=True)
class Case:
    """What both sides run; steps, `warm` and `heatup` are environment steps."""

    name: str
    about: str
    algorithm: str  # dqn, c51, qr-dqn, ppo, sac, td3 or pixel-dqn
    environment: str
    batch: int
    rate: float  # learning rate
    steps: int
    warm: int  # the clock starts here: heat-up and compilation are over
    cycle: int  # steps of Coach between two looks at the clock; a multiple of `every`
    asked: Mapping[str, float | None]  # other side -> the ratio that issue 3 asks for
    hidden: tuple[int, ...] = (256, 256)
    every: int = 1  # steps between two turns of updates
    updates: int = 1  # updates a turn
    heatup: int = 1024
    discount: float = 0.99
    atoms: int = 1  # atoms or quantiles an action
    cores: int = 1
    measure: str = "updates/s"  # of a whole run; steps/s; or updates/s of train calls alone
    at_most: bool = False  # `asked` limits our time an update over theirs, instead of our rate over theirs
    precision: str = "float32"
    more: Mapping[str, float] = field(default_factory=dict)  # numbers that only this algorithm has

    def scaled(self, share: float) -> Case:
        """A shorter run: `share` of the measured steps, whole cycles, two at least."""
        cycles = max(2, round(share * (self.steps - self.warm) / self.cycle))
        return replace(self, steps=self.warm + cycles * self.cycle)

    @property
    def operations(self) -> float:
        """Floating-point operations of one update that cannot be left out."""
        if self.algorithm == "pixel-dqn":
            return floor.q_learning(floor.nature(PICTURE_ACTIONS), self.batch)
        seen, does = INPUTS[self.environment]
        if self.algorithm == "ppo":
            actor, critic = floor.dense((seen, *self.hidden, does)), floor.dense((seen, *self.hidden, 1))
            return floor.ppo(actor, critic, self.batch)
        critic = floor.dense((seen + does, *self.hidden, 1))
        if self.algorithm == "sac":
            return floor.sac(floor.dense((seen, *self.hidden, 2 * does)), critic, self.batch)
        if self.algorithm == "td3":
            return floor.td3(floor.dense((seen, *self.hidden, does)), critic, self.batch)
        return floor.q_learning(floor.dense((seen, *self.hidden, does * self.atoms)), self.batch)


def _q(name: str, about: str, asked: Mapping[str, float | None], **given: object) -> Case:
    settings = {"algorithm": "dqn", "hidden": (64, 64), "steps": 12_288} | given
    fixed = {"environment": CARTPOLE, "batch": 64, "warm": 2_048, "cycle": 1_024}
    return Case(name=name, about=about, asked=asked, **({"rate": 1e-3} | fixed | settings))


def _control(algorithm: str, cores: int, asked: float, **given: object) -> Case:
    words = "one core" if cores == 1 else "two cores"
    fixed = {"environment": PENDULUM, "batch": 256, "rate": 1e-3, "steps": 1_536, "warm": 512, "cycle": 128}
    return Case(
        name=f"{algorithm}-{cores}",
        about=f"{algorithm.upper()} 256-256, batch 256, 1 update a step, {words}",
        algorithm=algorithm,
        cores=cores,
        asked={"sb3": asked, "sbx": None},
        **(fixed | {"heatup": 256} | given),
    )


def _pictures(name: str, precision: str, asked: float) -> Case:
    """The others have no bfloat16: against it they run float32, and the floor is that of float32."""
    ours = precision if precision == "float32" else f"{precision} on our side alone"
    return Case(
        name=name,
        about=f"pixel DQN update, 84x84x4, batch 32, two cores, {ours}",
        algorithm="pixel-dqn",
        environment=FRAMES,
        batch=32,
        rate=1e-4,
        heatup=4_096,  # and room in the memory
        warm=4_096 + 32,
        steps=4_096 + 32 + 256,
        cycle=16,
        cores=2,
        measure="updates/s of train calls",
        precision=precision,
        asked={"sb3": asked},
    )


_ALL = (
    Case(
        name="ppo",
        about="PPO 64-64 twice, 8 environments x 32 steps, 20 epochs, batch 256",
        algorithm="ppo",
        environment=CARTPOLE,
        hidden=(64, 64),
        batch=256,
        rate=1e-3,
        steps=65_536,
        warm=8_192,
        cycle=1_024,
        every=256,
        updates=20,
        heatup=0,
        discount=0.98,
        measure="steps/s",
        asked={"sb3": 6.0, "sbx": 4.0},
        more={"environments": 8, "gae_lambda": 0.8, "clip": 0.2, "epochs": 20},
    ),
    _q("dqn-1", "DQN 64-64, 1 update every step", {"sb3": 4.0, "sbx": 5.0}),
    _q(
        "dqn-16", "DQN 64-64, 16 updates every 16 steps", {"sb3": 12.0, "sbx": None}, every=16, updates=16, steps=30_720
    ),
    _q(
        "dqn-zoo",
        "DQN 256-256, 128 updates every 256 steps",
        {"sb3": 3.5, "sbx": 1.5},
        hidden=(256, 256),
        every=256,
        updates=128,
        rate=2.3e-3,
    ),
    _q(
        "c51",
        "C51 64-64, 51 atoms, 1 update every step: time an update over our DQN's",
        {"dqn": 1.6},
        algorithm="c51",
        atoms=51,
        measure="updates/s of train calls",
        at_most=True,
    ),
    _q("qr-dqn", "QR-DQN 64-64, 50 quantiles, 1 update every step", {"sb3": 4.0}, algorithm="qr-dqn", atoms=50),
    _control("sac", 1, 1.9),
    _control("sac", 2, 2.3),
    _control("td3", 1, 1.5, discount=0.98),
    _control("td3", 2, 2.5, discount=0.98),
    _pictures("pixels", "float32", 1.0),
    _pictures("pixels-bf16", "bfloat16", 1.4),
)
CASES = {case.name: case for case in _ALL}


def rival(case: Case) -> Case:
    """Our own DQN in the place of an agent that is measured against it."""
    return replace(case, algorithm="dqn", atoms=1)
