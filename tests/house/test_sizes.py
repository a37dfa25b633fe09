"""How large things may grow."""

from __future__ import annotations

import ast

FILE_CORE, FILE_PLUGIN, FUNCTION, CLASS, METHODS, CORE = 300, 400, 40, 150, 12, 7_200


def lines(source):
    return len(source.text.splitlines())


def code(source):
    """Lines that hold code."""
    prose = set()
    for node in ast.walk(ast.parse(source.text)):
        text = node.value if isinstance(node, ast.Expr) else None
        if isinstance(text, ast.Constant) and isinstance(text.value, str):
            prose |= set(range(node.lineno, node.end_lineno + 1))
    numbered = enumerate(source.text.splitlines(), 1)
    return sum(bool(line.strip()) and not line.strip().startswith("#") and n not in prose for n, line in numbered)


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
    """Lines of code: blank ones, comments and docstrings left out, since prose is not what makes a core heavy.

    The conformance kit (coachcore/testing) is counted apart: it runs in tests only.
    """
    total = sum(code(source) for source in core if not source.module.startswith("coachcore.testing"))
    assert total <= CORE, (
        f"the core has {total} lines of code, {CORE} at most: move what is not everybody's into a plugin"
    )
