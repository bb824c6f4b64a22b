"""The command ``skholder``: audit a table from the shell.

Exit codes: 0 done, 2 an input or option that cannot be used, 3 done and the gate (``--fail-above``)
is closed, 130 interrupted, 1 a bug. Each problem is one line on standard error; ``--json`` puts one
JSON object on standard output, and nothing else.
"""

from __future__ import annotations

import argparse
import csv
import gc
import json
import sys
from math import isfinite
from pathlib import Path

from .. import __version__
from ..audit import RULES
from .auditing import run_audit
from .demo import OWN_FOLDER, run_demo
from .directory import audit_directory, directory_json, directory_text
from .gating import add_gate, check_gate, exit_code
from .printout import as_json, as_text
from .records import AuditRequest
from .streams import prepare_streams, say, settle, show
from .tables import InputError, Wishes

__all__ = ["main"]

_MAIN_HELP = """\
examples:
  skholder demo
  skholder audit patients.csv --target progression --report audit.html
  skholder audit sensors.parquet --scores scores.csv --clean kept.parquet
"""

_AUDIT_HELP = """\
With --target the rows are audited against a linear regression of that column on the others, or
against boosted trees (--model); without, against a multivariate normal density of all columns of
numbers. Decimal commas, percent signs, separated thousands and dates become numbers; text of few
levels becomes zeros and ones in a linear regression, and stays what it is in trees. A note tells of
every such reading, and of what was left out or looks wrong. Rows count from 0 below the header, as
in pandas; lines are those of the file. The same file and options give the same output.

examples:
  skholder audit patients.csv --target progression
  skholder audit patients.csv --target progression --columns age,bmi,bp --report audit.html
  skholder audit patients.csv.gz --drop-missing --exclude name --clean kept.csv.gz
  skholder audit export.csv --target weight --model trees --id patient --missing=-999 --inputs
  skholder audit patients.parquet --target progression --rule lower --json > audit.json
  skholder audit release.csv --group site --fail-above 0.05 --probability 0.9
  skholder audit warehouse/ --target amount --scores scores/

exit codes: 0 done, 2 an input or option that cannot be used, 3 the share outside the model is
above --fail-above, 130 interrupted
"""


class _Parser(argparse.ArgumentParser):
    """Errors in one line, by exception."""

    def error(self, message):
        raise InputError(f"{message} (see {self.prog} --help)")


def main(argv=None):
    """Run the command line ``argv`` (default: the process's own) and return its exit code."""
    try:
        return _run(argv)
    except KeyboardInterrupt:
        # A progress bar leaves the cursor in its line.
        if sys.stderr.isatty():
            print(file=sys.stderr)
        say("skholder: interrupted")
        return 130
    except InputError as error:
        for hint in error.hints:
            _note(hint)
        return _fail(error.problems, 2)
    except (OSError, ValueError, MemoryError) as error:
        return _fail([str(error) or type(error).__name__], 2)
    except Exception as error:
        return _fail([f"this is a bug: {type(error).__name__}: {error}"], 1)


def _fail(problems, code):
    for problem in problems:
        say(f"skholder: error: {problem}")
    return code


def _run(argv):
    if argv is None:
        # This process is ours: what was imported stays, and need not be searched for garbage.
        gc.freeze()
    prepare_streams(own_process=argv is None)
    try:
        args = _parser().parse_args(argv)
    except SystemExit as stop:
        settle()
        return stop.code or 0
    return args.run(args)


def _parser():
    parser = _Parser(
        prog="skholder",
        description="Which rows of a table do not follow the model, and how many.",
        epilog=_MAIN_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"skholder {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    _add_audit(commands)
    _add_demo(commands)
    return parser


def _add_audit(commands):
    parser = commands.add_parser(
        "audit",
        help="audit a CSV or Parquet file, or a directory of Parquet files",
        description="Audit the rows of a CSV (.csv, .csv.gz) or Parquet file, or of all Parquet "
        "files of a directory, which may be larger than memory.",
        epilog=_AUDIT_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.set_defaults(run=_audit)
    parser.add_argument("file", metavar="FILE", type=Path)
    parser.add_argument("--target", metavar="COL", help="the column to explain by the others")
    parser.add_argument("--columns", metavar="A,B", type=_names, help="use these columns only")
    parser.add_argument(
        "--exclude", metavar="A,B", type=_names, default=[], help="leave these columns out"
    )
    parser.add_argument(
        "--id", metavar="COL", help="the column that names the rows: shown with each, no input"
    )
    parser.add_argument(
        "--decimal",
        choices=(".", ","),
        help="the decimal mark of cells such as 1,234 where the column leaves it open",
    )
    parser.add_argument(
        "--missing",
        metavar="A,B",
        type=_names,
        default=[],
        help="cells that stand for a missing value besides the usual ones, as in --missing=-999,?",
    )
    parser.add_argument(
        "--drop-missing",
        action="store_true",
        help="leave out rows with missing values that the model cannot take",
    )
    parser.add_argument(
        "--model",
        choices=("linear", "trees", "auto"),
        default="linear",
        help="of the target: a linear regression, boosted trees, or the one that predicts rows "
        "held out better (default: linear)",
    )
    parser.add_argument(
        "--inputs",
        action="store_true",
        help="with --target, audit the inputs too: a regression does not see their errors",
    )
    parser.add_argument(
        "--gamma",
        metavar="G",
        type=_positive,
        help="robustness, a positive number (default: chosen from the data, 'auto')",
    )
    parser.add_argument(
        "--rule",
        choices=RULES,
        help="how many rows to flag: a summary of the posterior of their number, or 'fdr' for at "
        "most 5%% of false flags on average, or 'certain' for rows that are hardly inliers "
        "(default: mean)",
    )
    add_gate(parser)
    _add_sampling(parser)
    parser.add_argument("--report", metavar="FILE.html", type=Path, help="write a page to read")
    parser.add_argument(
        "--scores", metavar="FILE.csv", type=Path, help="write the scores of every row"
    )
    parser.add_argument(
        "--clean", metavar="FILE", type=Path, help="write the rows that are not flagged"
    )
    parser.add_argument(
        "--escape-formulas",
        action="store_true",
        help="in --clean, put an apostrophe before cells that a spreadsheet would run as formulas, "
        "as --scores always does",
    )
    parser.add_argument("--force", action="store_true", help="replace outputs that exist already")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--quiet",
        action="store_true",
        help="print no text and no progress; notes and warnings remain",
    )


def _add_demo(commands):
    parser = commands.add_parser(
        "demo",
        help="audit built-in data",
        description="Audit a spoiled copy of scikit-learn's diabetes data, and keep the files.",
        allow_abbrev=False,
    )
    parser.set_defaults(run=_demo)
    parser.add_argument(
        "--out",
        metavar="FOLDER",
        type=Path,
        help=f"where to put the files (default: {OWN_FOLDER})",
    )
    parser.add_argument("--force", action="store_true", help="replace files that exist already")
    _add_sampling(parser)


def _add_sampling(parser):
    parser.add_argument(
        "--seed", metavar="N", type=_seed, default=0, help="of the random numbers (default: 0)"
    )
    parser.add_argument(
        "--draws", metavar="N", type=_draws, default=4000, help="of the posterior (default: 4000)"
    )


def _names(text):
    """``a,"b, c"`` -> [a, "b, c"]."""
    return [name.strip() for name in next(csv.reader([text], skipinitialspace=True), []) if name]


def _positive(text):
    value = _converted(float, text)
    if not value > 0 or not isfinite(value):
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive number")
    return value


def _seed(text):
    value = _converted(int, text)
    if not 0 <= value < 2**32:
        raise argparse.ArgumentTypeError(f"{text!r} is not between 0 and 4294967295")
    return value


def _draws(text):
    value = _converted(int, text)
    if value < 4 or value % 4:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive multiple of 4")
    return value


def _converted(kind, text):
    try:
        return kind(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None


def _audit(args):
    request = AuditRequest(
        file=args.file,
        wishes=Wishes(
            target=args.target,
            columns=args.columns,
            exclude=args.exclude,
            id=args.id,
            decimal=args.decimal,
            missing=args.missing,
        ),
        model=args.model,
        inputs=args.inputs,
        drop_missing=args.drop_missing,
        gamma=args.gamma,
        rule=args.rule,
        seed=args.seed,
        n_draws=args.draws,
        verbose=not args.quiet and sys.stderr.isatty(),
        outputs={
            f"--{name}": path
            for name in ("report", "scores", "clean")
            if (path := getattr(args, name)) is not None
        },
        force=args.force,
        escape_formulas=args.escape_formulas,
        **check_gate(args),
    )
    if request.file.is_dir():
        return _show_directory(audit_directory(request, _warn), args)
    result = run_audit(request, warn=_warn, note=_note)
    if args.json:
        show(json.dumps(as_json(result), indent=2, allow_nan=False))
    elif not args.quiet:
        show(as_text(result))
    return exit_code(result.main.summary["gate"], printed=not (args.json or args.quiet))


def _show_directory(result, args):
    if args.json:
        show(json.dumps(directory_json(result), indent=2, allow_nan=False))
    elif not args.quiet:
        show(directory_text(result))
    gate = directory_json(result)["gate"]
    return exit_code(gate, printed=not (args.json or args.quiet))


def _warn(text):
    say(f"warning: {text}")


def _note(text):
    say(f"note: {text}")


def _demo(args):
    run_demo(args.out, args.force, args.seed, args.draws, sys.stderr.isatty(), _warn, _note)
    return 0
