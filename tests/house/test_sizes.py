"""How large things may grow."""

from __future__ import annotations

import ast

FILE_CORE, FILE_PLUGIN, FUNCTION, CLASS, METHODS, CORE = 300, 400, 40, 150, 12, 4_000


def lines(source):
    return len(source.text.splitlines())


def body(function):
    """Lines of a function's body, its docstring left out."""
    first = function.body[0]
    documented = (
        isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    )
    rest = function.body[1:] if documented else function.body
    return rest[-1].end_lineno - rest[0].lineno + 1 if rest else 0


def test_files(source_file):
    limit = FILE_CORE if source_file.module.startswith("coachcore") else FILE_PLUGIN
    assert lines(source_file) <= limit, f"{source_file} has {lines(source_file)} lines, {limit} at most: split it"


def test_functions(source_file):
    long = [f"{node.name}: {body(node)}" for node in source_file.functions if body(node) > FUNCTION]
    assert not long, f"{source_file}: a function's body has {FUNCTION} lines at most (aim for 10) - {long}"


def test_classes(source_file):
    long = [
        f"{node.name}: {node.end_lineno - node.lineno + 1}"
        for node in source_file.classes
        if node.end_lineno - node.lineno + 1 > CLASS
    ]
    assert not long, f"{source_file}: a class has {CLASS} lines at most - {long}"


def test_methods(source_file):
    many = {}
    for node in source_file.classes:
        public = [
            item.name for item in node.body if isinstance(item, ast.FunctionDef) and not item.name.startswith("_")
        ]
        if len(public) > METHODS:
            many[node.name] = len(public)
    assert not many, f"{source_file}: a class has {METHODS} public methods at most - {many}"


def test_the_core_as_a_whole(core):
    """The conformance kit (coachcore/testing) is counted apart: it runs in tests only."""
    kit = [source for source in core if source.module.startswith("coachcore.testing")]
    total = sum(lines(source) for source in core if source not in kit)
    assert total <= CORE, (
        f"the core has {total} lines besides {sum(map(lines, kit))} of the conformance kit, {CORE} at most "
        "(DESIGN.md section 2): move what is not everybody's into a plugin"
    )
