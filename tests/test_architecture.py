"""The house stands: imports go one way, modules stay small, private names stay at home.

``doc/architecture.rst`` shows the order that is tested here.
"""

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1] / "skholder"

# From the ground up: a room imports those before it, and itself, never one after it.
FLOORS = (
    {"_sklearn", "exceptions", "divergences"},
    {"rows"},
    {"models"},
    {"posterior"},
    {"sampling"},
    {"inference"},
    {"audit"},
    {"summaries"},
    {"estimators"},
    {"model_selection"},
    {"gates"},
    {"inspection"},
    {"report"},
    {"cli"},
    {"__init__", "__main__"},
)
# Anyone may import the data sets, which themselves import nothing but scikit-learn's helpers.
LEAF, LEAF_IMPORTS = "datasets", {"_sklearn"}
# The one name that rooms may take from the entrance: setup.cfg reads it there.
FROM_ENTRANCE = {"__version__"}

MAX_LINES = 400
MAX_LOOSE = 6

# Private names of another object that are read on purpose, each with its reason.
PRIVATE_READS = {
    ("exceptions.py", "sys._getframe"): "the documented way to find the caller's line",
    (
        "estimators/density.py",
        "HolderBayesEstimator._parameter_constraints",
    ): "scikit-learn's name for what a subclass extends",
    (
        "estimators/regressor.py",
        "HolderBayesEstimator._parameter_constraints",
    ): "scikit-learn's name for what a subclass extends",
}

MODULES = sorted(ROOT.rglob("*.py"))


def _dotted(path):
    """``audit/counts.py`` -> ``("audit", "counts")``, ``audit/__init__.py`` -> ``("audit",)``."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts


KNOWN = {_dotted(path): path for path in MODULES}


@cache
def _tree(path):
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def _imports(path):
    """Pairs (module, name) of what a module imports from this package, names as written.

    ``from ..rows import RowBlocks`` is ``(("rows",), "RowBlocks")``; a name that is a module,
    as in ``from .. import sampling``, belongs to that module and comes with None.
    """
    home = path.parent.relative_to(ROOT).parts
    found = []
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Import):
            found += [
                (tuple(alias.name.split(".")[1:]) or ("__init__",), None)
                for alias in node.names
                if alias.name.split(".")[0] == ROOT.name
            ]
        elif isinstance(node, ast.ImportFrom):
            written = tuple((node.module or "").split(".")) if node.module else ()
            if node.level:
                source = (*home[: len(home) - node.level + 1], *written)
            elif written[:1] == (ROOT.name,):
                source = written[1:]
            else:
                continue
            for alias in node.names:
                if (*source, alias.name) in KNOWN:
                    found.append(((*source, alias.name), None))
                else:
                    found.append((source or ("__init__",), alias.name))
    return found


def _floor(room):
    return next(height for height, rooms in enumerate(FLOORS) if room in rooms)


def _name(path):
    return path.relative_to(ROOT).as_posix()


def _upward(path):
    """What a module imports although it stands above it."""
    room = _dotted(path)[0]
    for source, name in _imports(path):
        if source[0] in (room, LEAF) or (source == ("__init__",) and name in FROM_ENTRANCE):
            continue
        if room == LEAF or _floor(source[0]) > _floor(room):
            yield _name(path), ".".join(source)


def test_imports_go_one_way():
    upward = {pair for path in MODULES for pair in _upward(path)}
    assert upward == {(f"{LEAF}.py", source) for source in LEAF_IMPORTS}


def test_every_import_is_of_a_module_that_exists():
    # Otherwise the reader of imports misread something, and the other tests prove nothing.
    sources = {source for path in MODULES for source, _ in _imports(path)}
    assert sources <= set(KNOWN)
    assert len(sources) > 50


def test_no_import_cycle():
    graph = {
        module: {
            source
            for source, name in _imports(path)
            if source != module and not (source == ("__init__",) and name in FROM_ENTRANCE)
        }
        for module, path in KNOWN.items()
    }
    # Modules whose imports have all been taken away can be taken away too; a cycle cannot.
    while free := {module for module, needed in graph.items() if not needed & graph.keys()}:
        graph = {module: needed for module, needed in graph.items() if module not in free}
    assert not graph, f"a cycle among {sorted(map('.'.join, graph))}"


def test_modules_stay_small():
    lines = {_name(path): len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    assert {name: n for name, n in lines.items() if n > MAX_LINES} == {}


def test_few_modules_stand_loose():
    assert len(list(ROOT.glob("*.py"))) <= MAX_LOOSE


def test_every_room_has_its_place():
    rooms = {_dotted(path)[0] for path in MODULES}
    assert rooms == set.union(*FLOORS) | {LEAF}


def _defined(tree):
    """Names that a module gives to its own objects, as methods or as attributes of self."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            yield node.name
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr


def _is_private(name):
    return name.startswith("_") and not (name.startswith("__") and name.endswith("__"))


def _private_reads(path):
    """Attributes ``x._y`` of objects that are neither this one nor made by this module."""
    tree = _tree(path)
    own = set(_defined(tree))
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute) or not _is_private(node.attr):
            continue
        of_self = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
        of_super = isinstance(node.value, ast.Call) and ast.unparse(node.value) == "super()"
        if not of_self and not of_super and node.attr not in own:
            yield _name(path), ast.unparse(node)


def test_no_private_name_is_read_across_modules():
    found = {read for path in MODULES for read in _private_reads(path)}
    assert found == set(PRIVATE_READS)


def test_no_private_name_is_imported_from_another_room():
    taken = [
        (_name(path), ".".join(source), name)
        for path in MODULES
        for source, name in _imports(path)
        if source[0] not in (_dotted(path)[0], "_sklearn")
        and any(_is_private(part) for part in (*source, name or ""))
    ]
    assert not taken


def test_private_names_of_scikit_learn_come_from_one_file():
    takers = {
        _name(path)
        for path in MODULES
        for node in ast.walk(_tree(path))
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "sklearn"
        for alias in node.names
        if any(map(_is_private, [*node.module.split("."), alias.name]))
    }
    assert takers == {"_sklearn.py"}
