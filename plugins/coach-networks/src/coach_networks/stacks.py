"""Schemes: stacks of layers by name, as a list of widths, or spelled out layer by layer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from coachcore.api import BadSetting, param

SCHEMES = ("empty", "shallow", "medium", "deep")
ACTIVATIONS = ("relu", "tanh", "sigmoid", "elu", "selu", "leaky_relu", "none")
INITIALIZERS = ("glorot-uniform", "orthogonal", "he-uniform")


def scheme_param(doc: str, *, default: str = "medium") -> Any:
    """The setting `scheme`: a name, a list of widths, or a list of layers."""
    return param(
        default=default, type="str | int[] | layer[]", choices=SCHEMES, ge=1, check=check_scheme, doc=f"{doc}{_FORMS}"
    )


def initializer_param() -> Any:
    """The setting `initializer`."""
    return param(
        default="glorot-uniform",
        choices=INITIALIZERS,
        doc="how the kernels are drawn at first; orthogonal has gain sqrt 2",
    )


_FORMS = ', or a list of widths such as [64, 64], or of layers such as [{ use = "dense", units = 64 }]'


def check_scheme(_part: Any, field: Any, value: Any) -> None:
    """An attrs validator: raises `BadSetting` for what is no name, width or layer."""
    wrong = [item for item in value if not _is_layer(item)] if isinstance(value, tuple) else [value]
    if wrong and not isinstance(value, str):
        raise BadSetting(
            "a scheme is a name, a list of widths, or a list of layers such as "
            f'[{{ use = "dense", units = 64 }}]; got {wrong[0]!r}',
            where=field.name,
        )


def _is_layer(item: Any) -> bool:
    if isinstance(item, int):
        return not isinstance(item, bool)
    return getattr(getattr(item, "__coach__", None), "kind", "") == "layer"


def layer_parts(
    scheme: Any, table: Mapping[str, Sequence[Any]], activation: str, initializer: str = "glorot-uniform"
) -> tuple[Any, ...]:
    """The layer parts a scheme stands for.

    A name is looked up in `table`. Widths (and the rows of a table) become dense layers
    with `activation` and `initializer`; layers that are spelled out are taken as they are.
    """
    from coach_networks.layers.parts import Dense

    items = table[scheme] if isinstance(scheme, str) else scheme
    return tuple(
        Dense(units=item, activation=activation, initializer=initializer) if isinstance(item, int) else item
        for item in items
    )


def activation_named(name: str) -> str | None:
    """The activation as Keras calls it."""
    return None if name == "none" else name


def initializer_named(name: str, seed: int) -> Any:
    """A Keras initializer that draws from `seed`; raises `BadSetting` for an unknown name."""
    from keras import initializers

    if name == "orthogonal":
        return initializers.Orthogonal(gain=2**0.5, seed=seed)
    made = {"glorot-uniform": initializers.GlorotUniform, "he-uniform": initializers.HeUniform}
    if name not in made:
        raise BadSetting(f"there is no initializer '{name}'; known: {', '.join(INITIALIZERS)}")
    return made[name](seed=seed)


def dense(
    units: int, seed: int, activation: str = "none", name: str | None = None, *, gain: float | None = None
) -> Any:
    """The last layer of a head, bias zero; its kernel is Glorot uniform from `seed`, or orthogonal with a `gain`."""
    from keras import initializers

    from coach_networks.layers.last import Last

    kernel = initializers.GlorotUniform(seed=seed) if gain is None else initializers.Orthogonal(gain=gain, seed=seed)
    return Last(units, activation_named(activation), kernel_initializer=kernel, name=name)


def dense_or_noisy(units: int, seed: int, activation: str = "none", name: str | None = None, *, noisy: bool) -> Any:
    """A dense layer, or one whose weights are drawn anew at each call."""
    if not noisy:
        return dense(units, seed, activation, name)
    from coach_networks.layers.noisy import NoisyDense

    return NoisyDense(units, activation, seed=seed, name=name)
