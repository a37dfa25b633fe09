"""Schemes: the layers of embedders and middlewares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from coach_bridge.things import Thing, Word
from coach_bridge.work import Work, shown

_WIDTHS: Mapping[str, Mapping[str, tuple[int, ...]]] = {
    "vector": {"empty": (), "shallow": (128,), "medium": (256,), "deep": (128, 128, 128)},
    "dense": {"empty": (), "shallow": (64,), "medium": (512,), "deep": (128, 128, 128)},
}
_CONVS: Mapping[str, tuple[tuple[int, int, int], ...]] = {
    "empty": (),
    "shallow": ((32, 3, 1),),
    "medium": ((32, 8, 4), (64, 4, 2), (64, 3, 1)),
    "deep": (
        (32, 5, 2), (32, 3, 1), (64, 3, 2), (64, 3, 1), (128, 3, 2), (128, 3, 1), (256, 3, 2), (256, 3, 1),
    ),
}  # fmt: skip
_ACTIVATIONS = ("relu", "tanh", "sigmoid", "elu", "selu", "leaky_relu", "none")


@attrs.frozen
class Style:
    """What follows each layer, and whether dense layers are noisy."""

    activation: str = "relu"
    batchnorm: bool = False
    dropout: float = 0.0
    noisy: bool = False

    @property
    def plain(self) -> bool:
        return not self.batchnorm and not self.dropout

    def after(self, layer: dict[str, Any]) -> list[dict[str, Any]]:
        """A layer with its activation, batch-norm before it and dropout behind it."""
        if not self.batchnorm:
            out = [layer | {"activation": self.activation}]
        else:
            out = [layer | {"activation": "none"}, {"use": "batch-norm"}, _activation(self.activation)]
        return [*out, {"use": "dropout", "rate": self.dropout}] if self.dropout else out


def _activation(function: str) -> dict[str, Any]:
    return {"use": "activation", "function": function}


def style(work: Work, thing: Thing, usual: str, *, noisy: bool) -> Style:
    """The style that a component's parameters ask for."""
    function = thing.take("activation_function", default=usual)
    if function is None:
        function = "none"
    if function not in _ACTIVATIONS:
        line = thing.where("activation_function")
        work.lost(line, f"activation {shown(function)} is not known - use one of {', '.join(_ACTIVATIONS)}")
        function = usual
    rate = float(work.number(thing, "dropout_rate", 0.0) or 0.0)
    return Style(function, bool(thing.take("batchnorm", default=False)), rate, noisy)


def scheme(work: Work, value: Any, where: tuple[str, int], style: Style) -> Any:
    """The setting `scheme` of the part `where[0]`; `where[1]` is the line that gives it."""
    use, line = where
    name = value.last.lower() if isinstance(value, Word) else value.lower() if isinstance(value, str) else ""
    table: Mapping[str, Any] = _CONVS if use == "image" else _WIDTHS["dense" if use in ("dense", "lstm") else "vector"]
    if name in table:
        wanted = not style.plain or (style.noisy and use != "image")
        layers = [_named(use, one, style) for one in table[name]]
        return [step for layer in layers for step in style.after(layer)] if wanted and layers else name
    if isinstance(value, list | tuple):
        layers = _listed(work, value, (use, line), style)
        units = [layer.get("units") for layer in layers]
        same = all(layer.get("use") == "dense" and layer.get("activation") == style.activation for layer in layers)
        return units if same and use != "image" else layers
    work.lost(line, f"scheme {shown(value)} cannot be read - give a name or a list of layers; the old default is used")
    return "medium"


def _named(use: str, one: Any, style: Style) -> dict[str, Any]:
    if use == "image":
        return _conv(*one)
    return {"use": "noisy-dense" if style.noisy else "dense", "units": one}


def _conv(filters: int, size: int, stride: int) -> dict[str, Any]:
    return {"use": "conv", "filters": filters, "size": size, "stride": stride}


def _listed(work: Work, items: Any, where: tuple[str, int], style: Style) -> list[dict[str, Any]]:
    """Layers one by one; a BatchnormActivationDropout belongs to the layer before it."""
    out: list[dict[str, Any]] = []
    for place, item in enumerate(items):
        if not isinstance(item, Thing) or item.name not in ("Dense", "Conv2d", "NoisyNetDense", *_AFTER):
            work.lost(where[1], f"layer {shown(item)} is not known - use dense, conv or noisy-dense")
            continue
        if item.name in _AFTER:
            out += _standing(work, item, out)
            continue
        out += _spelled(work, item, where[0], style, followed=_is_after(items, place + 1))
    return out


def _is_after(items: Any, place: int) -> bool:
    return place < len(items) and isinstance(items[place], Thing) and items[place].name == "BatchnormActivationDropout"


_AFTER = ("BatchnormActivationDropout", "Flatten")


def _spelled(work: Work, item: Thing, use: str, style: Style, *, followed: bool) -> list[dict[str, Any]]:
    """A weight layer of a list; the component's style follows it, unless a layer says what does."""
    if item.name == "Conv2d":
        numbers = [work.number(item, name, 1, at) for at, name in enumerate(("num_filters", "kernel_size", "strides"))]
        layer = _conv(*numbers)
    else:
        noise = {"sigma0": item.take("sigma0")} if item.given("sigma0") else {}
        layer = {"use": "noisy-dense" if item.name == "NoisyNetDense" else "dense"}
        layer |= {"units": work.number(item, "units", 1, 0)} | noise
    own = item.take("activation_function", default=None)
    if own is not None or followed:
        return [layer | {"activation": own or "none"}]
    return style.after(layer)


def _standing(work: Work, item: Thing, before: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The layers that a BatchnormActivationDropout or a Flatten stands for."""
    if item.name == "Flatten":
        return [{"use": "flatten"}]
    norm, rate = item.take("batchnorm", 0, default=False), work.number(item, "dropout_rate", 0.0, 2)
    function = item.take("activation_function", 1) or "none"
    out: list[dict[str, Any]] = [{"use": "batch-norm"}] if norm else []
    if function != "none" and not norm and before:
        before[-1]["activation"] = function
    elif function != "none":
        out.append(_activation(function))
    return [*out, {"use": "dropout", "rate": float(rate)}] if rate else out
