# SPDX-License-Identifier: Apache-2.0
"""Plots of results, by the scenario that measured them.

A scenario of benchmarks/scenarios may have a function

    def figures(document):   # as toehold.results has it
        return {"loss": matplotlib.figure.Figure(...)}

`toehold bench` writes each figure to build/bench/NAME.svg, and `toehold docs` writes those of
stored results to docs/figures/. The same result gives the same bytes.
"""

from pathlib import Path
from types import ModuleType

from toehold.paths import BUILD, ROOT, relative

FIGURES = ROOT / "docs" / "figures"


def svg(figure) -> str:
    """A matplotlib figure as SVG, without the date and random names that it has by default."""
    import io

    import matplotlib

    drawn = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": "toehold", "svg.fonttype": "none"}):
        figure.savefig(drawn, format="svg", metadata={"Date": None})
    return "\n".join(line.rstrip() for line in drawn.getvalue().splitlines()) + "\n"


def draw(module: ModuleType, document: dict) -> dict[str, str]:
    """The SVG of each figure that a scenario draws of its result; none if it draws none."""
    figures = getattr(module, "figures", None)
    return {name: svg(figure) for name, figure in figures(document).items()} if figures else {}


def write(module: ModuleType, document: dict, folder: Path | None = None) -> list[str]:
    """Draws into build/bench, or the folder; returns the paths."""
    folder = folder or BUILD / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, text in draw(module, document).items():
        paths.append(folder / f"{name}.svg")
        paths[-1].write_text(text)
    return [relative(path) for path in paths]
