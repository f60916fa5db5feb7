# SPDX-License-Identifier: Apache-2.0
"""Which requirement of which RFC is implemented where, and what covers it: docs/conformance.md.

What is required is in docs/conformance/rfcNNNN.toml, a table for each requirement:

    ["MUST-14"]
    section = "3.7.1"
    text = "..."                    in our words
    level = "SHOULD"                where its name does not say: MUST
    where = ["rtl/..."]             files that implement it
    deviation = "..."               implemented, but not quite so
    untested = "..."                why no test has its tag
    not_applicable = "..."          in place of `where`: why it does not apply
    missing = "..."                 in place of `where`: what is not built

Tests say what they cover, by as many names as it takes:

    @pytest.mark.conformance("RFC9293:MUST-14", "RFC9293:MUST-15")

or, where a decorator of pytest has no place (a cocotb test, a proof), by a line of the docstring:

    Conformance: RFC9293:MUST-14, RFC9293:MUST-15

The tags are read from the sources, so that no test has to be imported or run.
"""

import ast
import re
import tomllib
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from toehold.paths import ROOT, relative

FOLDER = ROOT / "docs" / "conformance"
DOCUMENT = ROOT / "docs" / "conformance.md"
TESTS = ("tests", "formal")
LINE = re.compile(r"^\s*Conformance:\s*(.+?)(?:\n\s*\n|\Z)", re.M | re.S)
KEYS = {
    "section", "text", "level", "where", "deviation", "untested", "not_applicable", "missing",
}  # fmt: skip
LEVELS = {"MUST": "MUST", "SHLD": "SHOULD", "REC": "SHOULD", "MAY": "MAY"}


@dataclass(frozen=True)
class Requirement:
    rfc: int
    name: str
    section: str
    text: str
    level: str = "MUST"
    where: tuple[str, ...] = ()
    deviation: str = ""
    untested: str = ""
    not_applicable: str = ""
    missing: str = ""

    @property
    def tag(self) -> str:
        return f"RFC{self.rfc}:{self.name}"


@dataclass(frozen=True)
class Tag:
    """A test that says it covers a requirement."""

    requirement: str
    path: str
    test: str  # "" where the tag stands at something that is not a test
    fails: bool = False  # the test is marked as one that fails


@dataclass
class Rfc:
    number: int
    title: str
    requirements: list[Requirement] = field(default_factory=list)


def load(folder: Path = FOLDER) -> list[Rfc]:
    """Every RFC, RFC 9293 first."""
    found = []
    for path in sorted(folder.glob("rfc*.toml"), key=lambda p: (p.stem != "rfc9293", p.stem)):
        content = tomllib.loads(path.read_text())
        rfc = Rfc(int(path.stem.removeprefix("rfc")), content.pop("title"))
        for name, entry in content.items():
            unknown = set(entry) - KEYS
            if unknown:
                raise ValueError(f"{path.name}: {name} has unknown keys {sorted(unknown)}")
            prefix = name.split("-")[0]
            entry = {"level": LEVELS.get(prefix, "MUST"), **entry}
            entry["where"] = tuple(entry.get("where", ()))
            rfc.requirements.append(Requirement(rfc.number, name, **entry))
        found.append(rfc)
    return found


def _words(node: ast.Call) -> list[str]:
    return [word.value for word in node.args if isinstance(word, ast.Constant)]


def _is_conformance(node: ast.expr) -> bool:
    """`pytest.mark.conformance(...)`, or a name for it."""
    return isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == "conformance"


def _is_test(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    decorators = [ast.unparse(decorator) for decorator in node.decorator_list]
    return node.name.startswith("test_") or any(d.startswith("cocotb.") for d in decorators)


def tags_of(path: Path, root: Path = ROOT) -> list[Tag]:
    """All tags of one file."""
    text = path.read_text()
    if "onformance" not in text:
        return []
    tree = ast.parse(text)
    name = path.relative_to(root).as_posix()
    failing = {  # names of marks that expect a test to fail
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign) and "mark.xfail" in ast.unparse(node.value)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    tags: list[Tag] = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        wanted = [
            word for deco in node.decorator_list if _is_conformance(deco) for word in _words(deco)
        ]
        for match in LINE.finditer(ast.get_docstring(node, clean=True) or ""):
            wanted += [word for word in re.split(r"[,\s]+", match[1].rstrip(". ")) if word]
        decorators = [ast.unparse(decorator) for decorator in node.decorator_list]
        fails = any("mark.xfail" in d or d in failing for d in decorators)
        tags += [Tag(word, name, node.name if _is_test(node) else "", fails) for word in wanted]
    return tags


def all_tags(root: Path = ROOT) -> list[Tag]:
    paths = [path for folder in TESTS for path in sorted((root / folder).rglob("*.py"))]
    return [tag for path in paths for tag in tags_of(path, root)]


def status(requirement: Requirement, tags: list[Tag]) -> str:
    """One word for it; `tags` are those of this requirement."""
    if requirement.not_applicable:
        return "not applicable"
    if requirement.missing:
        return "missing"
    if requirement.deviation:
        return "deviates"
    return "covered" if any(tag.test and not tag.fails for tag in tags) else "untested"


def problems(rfcs: list[Rfc], tags: list[Tag], root: Path = ROOT) -> list[str]:
    """What is wrong, a sentence each."""
    known = {requirement.tag: requirement for rfc in rfcs for requirement in rfc.requirements}
    by_name: dict[str, list[Tag]] = defaultdict(list)
    found = []
    for tag in tags:
        by_name[tag.requirement].append(tag)
        if not tag.test:
            found.append(f"{tag.path}: {tag.requirement} stands at something that is not a test.")
        if tag.requirement not in known:
            found.append(f"{tag.path}: {tag.test} names {tag.requirement}, which is nowhere.")
    for name, requirement in known.items():
        if not (requirement.text and requirement.section):
            found.append(f"{name} has no text or no section.")
        ways = [requirement.where, requirement.not_applicable, requirement.missing]
        if sum(map(bool, ways)) != 1:
            found.append(f"{name} needs one of where, not_applicable and missing.")
        for path in requirement.where:
            if not (root / path).is_file():
                found.append(f"{name} is said to be in {path}, which is not there.")
        covering = [tag for tag in by_name[name] if tag.test]
        good = [tag for tag in covering if not tag.fails]
        if requirement.where and not good and not requirement.untested:
            if not (requirement.deviation and covering):
                found.append(f"{name} has no test, and nothing says why.")
        if requirement.untested and good:
            found.append(f"{name} is said to be untested, but {good[0].test} covers it.")
        if covering and (requirement.not_applicable or requirement.missing):
            found.append(f"{name} has a test, although it is said not to be there.")
    return found


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _row(requirement: Requirement, tags: list[Tag]) -> str:
    if requirement.where:
        place = ", ".join(f"[{Path(path).stem}](../{path})" for path in requirement.where)
    else:
        place = ""
    notes = []
    if requirement.not_applicable:
        notes.append(f"does not apply: {requirement.not_applicable}")
    if requirement.missing:
        notes.append(f"missing: {requirement.missing}")
    if requirement.deviation:
        notes.append(f"deviates: {requirement.deviation}")
    if requirement.untested:
        notes.append(f"no test: {requirement.untested}")
    files: dict[str, list[str]] = defaultdict(list)
    for tag in tags:
        word = f"{tag.test} (fails)" if tag.fails else tag.test
        if word not in files[tag.path]:
            files[tag.path].append(word)
    for path, names in files.items():
        notes.append(f"[{Path(path).stem}](../{path}): {', '.join(names)}")
    cells = [requirement.name, requirement.section, requirement.text, place, "; ".join(notes)]
    return "| " + " | ".join(map(_cell, cells)) + " |"


STATUSES = ("covered", "deviates", "untested", "missing", "not applicable")


def render(rfcs: list[Rfc] | None = None, tags: list[Tag] | None = None) -> str:
    """The document."""
    rfcs = load() if rfcs is None else rfcs
    by_name: dict[str, list[Tag]] = defaultdict(list)
    for tag in all_tags() if tags is None else tags:
        by_name[tag.requirement].append(tag)
    lines = [
        "<!-- SPDX-License-Identifier: Apache-2.0 -->",
        "<!-- Generated from docs/conformance/ and the tags of the tests by `make docs`. -->",
        "",
        "# Conformance",
        "",
        "What the RFCs ask of a TCP, where it is implemented, and the tests that cover it. Every",
        "number of RFC 9293's appendix B is here, and what the others demand. A requirement is",
        "",
        "- **covered** when it is implemented and a test that passes says so,",
        "- **deviating** when the engine does not quite do it,",
        "- **untested** when it is implemented and no test says so,",
        "- **missing** when it is not built, and **not applicable** when there is a reason why it",
        "  need not be.",
        "",
        "Tests that are known to fail are marked so; they show a deviation. Names with RFC 9293",
        "are those of its appendix B; all others are the section and a number of ours.",
        "",
        "| RFC | covered | deviating | untested | missing | not applicable |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    total: Counter[str] = Counter()
    for rfc in rfcs:
        count = Counter(status(r, by_name[r.tag]) for r in rfc.requirements)
        total += count
        cells = [f"[{rfc.number}](#rfc-{rfc.number})", *(str(count[s]) for s in STATUSES)]
        lines.append("| " + " | ".join(cells) + " |")
    lines.append("| all | " + " | ".join(str(total[s]) for s in STATUSES) + " |")
    for rfc in rfcs:
        lines += ["", f"## RFC {rfc.number}", "", f"{rfc.title}.", ""]
        lines += ["| number | section | requirement | implementation | tests, or why not |"]
        lines += ["|---|---|---|---|---|"]
        for requirement in rfc.requirements:
            lines.append(_row(requirement, by_name[requirement.tag]))
    return "\n".join(lines) + "\n"


def check() -> list[str]:
    """All that is wrong with this repository's."""
    found = problems(load(), all_tags())
    if not DOCUMENT.exists() or DOCUMENT.read_text() != render():
        found.append(f"{relative(DOCUMENT)} is out of date: run `make docs`.")
    return found
