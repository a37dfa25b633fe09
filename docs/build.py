"""Writes docs/reference from manifests, settings, hook specs and the command line's own help.

    python docs/build.py            write what has changed
    python docs/build.py --check    write nothing; exit 1 when a page is out of date

Manifests are read from the tree (plugins/*/src/*/coach_plugin.json), so the
pages do not depend on what is installed, and no plugin is imported.
"""  # noqa: INP001 - a script of the documentation

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from inspect import cleandoc
from itertools import groupby
from pathlib import Path
from typing import Any

import click

from coachcore.cli.describe import PLACES, _example
from coachcore.cli.main import coach
from coachcore.cli.output import toml
from coachcore.component import params_of, range_text
from coachcore.presets.places import COUNT, HEAD
from coachcore.registry import hookspecs, manifest
from coachcore.registry.entry import Entry
from coachcore.settings import SECTIONS
from coachcore.specs import KINDS, ComponentSpec, ParamSpec

ROOT = Path(__file__).resolve().parent.parent
HERE = ROOT / "docs" / "reference"
CORE = ROOT / "coachcore"

PLURALS = {
    "memory": "Memories",
    "exploration": "Exploration policies",
}
PLAIN_PLACES = {
    "filter": "`[[filters.NAME]]` for the observation NAME, `[[filters.reward]]` or `[[filters.action]]`",
    "layer": "an item of a setting of type `layer[]`, such as the `scheme` of an embedder or a middleware",
    "schedule": "wherever a setting of type `schedule` stands",
}
SECTION_PLACES = {"learner": "agent.learner", "network": "agent.network", "evaluate": "schedule.evaluate"}
NETWORK = {"layer": "LayerPart", "embedder": "Embedder", "middleware": "Middleware", "head": "Head"}
"""Kinds whose contracts stand together, and what these are called."""
NOTE = "<!-- Written by docs/build.py; do not edit. -->"


def pages() -> dict[str, str]:
    """Every page of the reference by its file's name."""
    entries = [*_entries()]
    made = {f"{kind}.md": "\n".join(_kind(kind, [e for e in entries if e.spec.kind == kind])) for kind in KINDS}
    others = {"settings": _settings, "hooks": _hooks, "commands": _commands, "python": _python, "presets": _presets}
    made |= {f"{name}.md": "\n".join(lines()) for name, lines in others.items()}
    made["index.md"] = "\n".join(_index(entries))
    return {name: text.rstrip("\n") + "\n" for name, text in made.items()}


def stale() -> list[str]:
    """The pages that differ from what would be written, or should not be there."""
    made = pages()
    there = {path.name for path in HERE.glob("*.md")}
    differing = [name for name, text in made.items() if name in there and _text(HERE / name) != text]
    return sorted([*differing, *(set(made) ^ there)])


def write() -> list[str]:
    """Write what is out of date; the names of those pages."""
    HERE.mkdir(parents=True, exist_ok=True)
    made, old = pages(), stale()
    for name in old:
        if name in made:
            (HERE / name).write_text(made[name], encoding="utf-8")
        else:
            (HERE / name).unlink()
    return old


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _entries() -> Iterator[Entry]:
    """Every part of the workspace, by kind and name."""
    for project in sorted(ROOT.glob("plugins/*/pyproject.toml")):
        declared = tomllib.loads(_text(project))["project"]
        for path in sorted(project.parent.glob(f"src/*/{manifest.FILE}")):
            for spec in manifest.read(path).components.values():
                yield Entry(spec, declared["name"], declared["version"])


def _plural(kind: str) -> str:
    return PLURALS.get(kind, f"{kind.capitalize()}s")


def _marked(text: str) -> str:
    """A docstring as Markdown: the two ways of marking code become one."""
    return text.replace("``", "`")


def _cell(text: str) -> str:
    return _marked(text).replace("|", "\\|").replace("\n", " ")


def _code(value: object) -> str:
    return f"`{value}`".replace("|", "\\|")


def _rows(params: Iterable[ParamSpec]) -> Iterator[str]:
    """A table of settings."""
    yield "| setting | type | default | range | what it is |"
    yield "|---|---|---|---|---|"
    for param in params:
        default = "required" if param.required else "unset" if param.default is None else _code(toml(param.default))
        limits = ", ".join(filter(None, (range_text(param._asdict()), *(_code(toml(word)) for word in param.choices))))
        doc = _cell(param.doc) + (f" ({param.unit})" if param.unit and param.unit not in param.doc else "")
        yield f"| `{param.name}` | {_code(param.type)} | {default} | {_cell(limits)} | {doc} |"


def _kind(kind: str, entries: list[Entry]) -> Iterator[str]:
    hook = hookspecs.DESCRIBE[kind]
    place = PLACES.get(kind, "")
    yield from (f"# {_plural(kind)}", "", NOTE, "")
    yield from (_marked(_docs(CORE / "registry" / "hookspecs.py")[hook]), "")
    yield f"- Entry-point group: `{KINDS[kind]}`"
    yield f"- Hook: `{hook}`"
    if told := PLAIN_PLACES.get(kind, place):
        yield f"- In a preset: {told if '`' in told else _code(told)}"
    yield ""
    if not entries:
        yield from ("No part of this kind comes with this version; its contract is fixed, so one can be written.", "")
    for entry in entries:
        yield from _part(entry)
    yield from ("## The contract", "")
    yield from _contract(kind)


def _part(entry: Entry) -> Iterator[str]:
    spec = entry.spec
    yield from (f"## `{spec.name}`", "", _marked(spec.summary), "")
    told = {"Id": _code(entry.id), "Class": _code(spec.object), "Also called": ", ".join(map(_code, spec.aliases))}
    told |= {"Needs": ", ".join(map(_code, spec.needs)), "Since": spec.since}
    told |= {key.replace("_", " ").capitalize(): _fact(value) for key, value in spec.facts.items()}
    yield from (f"- {key}: {value}" for key, value in told.items() if value)
    yield ""
    params = spec.params or ()
    yield from (*(_rows(params) if params else ["It has no settings."]), "", "```toml")
    yield from (line.removeprefix("  ") for line in _example(entry, params, entry.spec.name))
    yield from ("```", "")


def _fact(value: Any) -> str:
    if isinstance(value, str):
        return _code(value)
    if isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
        return ", ".join(map(_code, value))
    return _code(toml(value))


def _contract(kind: str) -> Iterator[str]:
    """What implementers keep true: the Protocols of `coachcore.contracts`, read without importing them."""
    name = "network" if kind in NETWORK else kind
    text = _text(CORE / "contracts" / f"{name}.py")
    yield from (f"From `coachcore.contracts.{name}`.", "")
    for node in ast.parse(text).body:
        if not isinstance(node, ast.ClassDef) or (name == "network" and node.name != NETWORK[kind]):
            continue
        yield from (f"### {node.name}", "")
        yield from (_marked(ast.get_docstring(node) or ""), "")
        yield from _members(node, text.splitlines())


def _members(node: ast.ClassDef, lines: list[str]) -> Iterator[str]:
    """Fields together, with the comments beside them; then methods."""
    fields = [part for part in node.body if isinstance(part, ast.AnnAssign)]
    if fields:
        told = [line.strip() for part in fields for line in lines[part.lineno - 1 : part.end_lineno]]
        yield from ("```python", *told, "```", "")
    for part in node.body:
        if isinstance(part, ast.FunctionDef):
            yield from _function(part)


def _function(node: ast.FunctionDef) -> Iterator[str]:
    yield from ("```python", _signature(node), "```", "")
    doc = ast.get_docstring(node)
    yield from ((_marked(doc), "") if doc else ())


def _signature(node: ast.FunctionDef) -> str:
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    marks = [f"@{ast.unparse(mark)}\n" for mark in node.decorator_list]
    return f"{''.join(marks)}def {node.name}({ast.unparse(node.args)}){returns}".replace("'", '"')


def _docs(path: Path) -> dict[str, str]:
    """The docstrings of a module's functions, in its order."""
    nodes = [node for node in ast.parse(_text(path)).body if isinstance(node, ast.FunctionDef)]
    return {node.name: ast.get_docstring(node) or "" for node in nodes}


def _settings() -> Iterator[str]:
    yield from ("# Settings of the run", "", NOTE, "")
    yield from ("What stands in a preset beside its parts (`coachcore.settings`); see [presets](../presets.md).", "")
    yield from ("## Top of the file", "", "Keys before the first table.", "", *_rows(HEAD), "")
    yield from ("## `[environment]`", "", "Beside the environment's own settings.", "", *_rows([COUNT]), "")
    for name, cls in SECTIONS.items():
        yield from (f"## `[{SECTION_PLACES.get(name, name)}]`", "")
        about = _marked(cleandoc(cls.__doc__ or "")).partition(": ")[2]
        yield from (f"{about[:1].upper()}{about[1:]}", "", *_rows(params_of(cls)), "")


def _hooks() -> Iterator[str]:
    tree = ast.parse(_text(CORE / "registry" / "hookspecs.py"))
    specs = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name.startswith("coach_")]
    yield from ("# Hooks", "", NOTE, "", _marked(ast.get_docstring(tree) or ""), "")
    yield from (f"There are {len(specs)}. [Plugins](../plugins.md#hooks) shows how one is implemented.", "")
    for node in specs:
        node.decorator_list = []
        yield from (f"## `{node.name}`", "", *_function(node))


def _commands() -> Iterator[str]:
    yield from ("# Commands", "", NOTE, "")
    yield from ("Exit codes: 0 done, 1 a check failed, 2 something the user can mend, 130 stopped by Ctrl-C.", "")
    yield from _command(coach, None, "coach", depth=2)


def _command(command: click.Command, above: click.Context | None, name: str, *, depth: int) -> Iterator[str]:
    settings = {**command.context_settings, "terminal_width": 78, "max_content_width": 80}  # what 80 columns leave
    context = click.Context(command, info_name=name, parent=above, **settings)
    path = context.command_path
    yield from (f"{'#' * min(depth, 3)} `{path}`", "", "```text", command.get_help(context).rstrip(), "```", "")
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            found = command.get_command(context, inner)
            if found is not None:
                yield from _command(found, context, inner, depth=depth + 1 if above else depth)


def _python() -> Iterator[str]:
    import coachcore

    yield from ("# Python names", "", NOTE, "", "## `coachcore`", "")
    yield from ("What a script or a notebook needs.", "")
    for name in coachcore.__all__:
        yield from _public(coachcore._HOMES[name], name)  # noqa: SLF001 - the table is what makes the names public
    yield from ("## `coachcore.api`", "", "What authors of plugins import; nothing else of the core is promised.", "")
    yield from ("| name | what it is |", "|---|---|")
    api = import_module("coachcore.api")
    yield from (f"| `{name}` | {_cell(_first_line(getattr(api, name)))} |" for name in api.__all__)


def _public(module: str, name: str) -> Iterator[str]:
    tree = ast.parse(_text(ROOT / f"{module.replace('.', '/')}.py"))
    node = next(n for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef) and n.name == name)
    yield from (f"### `{name}`", "")
    if isinstance(node, ast.FunctionDef):
        yield from _function(node)
        return
    yield from (_marked(ast.get_docstring(node) or ""), "")
    for part in node.body:
        if isinstance(part, ast.FunctionDef) and not part.name.startswith("_"):
            yield from _function(part)


def _first_line(thing: Any) -> str:
    ours = getattr(thing, "__module__", "").startswith("coachcore")
    return (thing.__doc__ or "").strip().partition("\n")[0] if ours else ""


def _presets() -> Iterator[str]:
    yield from ("# Installed presets", "", NOTE, "")
    yield from ("What `coach run NAME` can be given when all distributions of this tree are installed.", "")
    yield from ("| preset | what it is | agent | environment | reaches | within |", "|---|---|---|---|---|---|")
    for path in sorted(ROOT.glob("plugins/*/src/*/presets/*.toml"), key=lambda path: path.stem):
        yield _preset(path.stem, _layered(path))


def _layered(path: Path) -> Mapping[str, Any]:
    """The preset over what it extends, as far as this table needs."""
    data = tomllib.loads(_text(path))
    below = data.get("extends")
    for name in [below] if isinstance(below, str) else below or []:
        lower = _layered(path.with_name(f"{name.removesuffix('.toml')}.toml"))
        deeper = {key: {**lower.get(key, {}), **data.get(key, {})} for key in ("agent", "environment")}
        data = {**lower, **data, **deeper}
    return data


def _preset(name: str, data: Mapping[str, Any]) -> str:
    goal, agent, environment = data.get("validation", {}), data.get("agent", {}), data.get("environment", {})
    within = str(goal.get("within", "")).replace("_", ",")
    where = environment.get("id", environment.get("use", ""))
    return (
        f"| `{name}` | {_cell(data.get('summary', ''))} | `{agent.get('use', '')}` | `{where}` "
        f"| {goal.get('reward', '')} | {within} |"
    )


def _index(entries: list[Entry]) -> Iterator[str]:
    yield from ("# Reference", "", NOTE, "")
    yield from ("Every part, setting, hook and command, from the same tables that the checker reads.", "")
    for kind, group in groupby(sorted(entries, key=_order), key=lambda entry: entry.spec.kind):
        yield f"- [{_plural(kind)}]({kind}.md): {', '.join(f'`{entry.spec.name}`' for entry in group)}"
    without = [kind for kind in KINDS if kind not in {entry.spec.kind for entry in entries}]
    linked = ", ".join(f"[{_plural(kind).lower()}]({kind}.md)" for kind in without)
    yield f"- Kinds with a contract and no part yet: {linked}"
    yield from ("", "```{toctree}", ":maxdepth: 1", "")
    yield from ("presets", "settings", "commands", "python", "hooks", *KINDS, "```")


def _order(entry: Entry) -> tuple[int, str]:
    spec: ComponentSpec = entry.spec
    return list(KINDS).index(spec.kind), spec.name


def main() -> int:
    """Write, or check; the exit code."""
    if "--check" in sys.argv[1:]:
        old = stale()
        for name in old:
            sys.stdout.write(f"docs/reference/{name} is out of date - run `python docs/build.py`\n")
        return 1 if old else 0
    for name in write():
        sys.stdout.write(f"docs/reference/{name} written\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
