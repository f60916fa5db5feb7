# SPDX-License-Identifier: Apache-2.0
"""An engine for each script. A module that says WIDTHS runs at those, all others at 64 bits."""

from functools import cache

import pytest

from scripts.bench import Bench
from scripts.peer import Peer
from toehold import features
from toehold.simulator_build import Simulator, build_simulator

BENCHES = pytest.StashKey[list[Bench]]()


def pytest_generate_tests(metafunc):
    if "width" in metafunc.fixturenames:
        widths = getattr(metafunc.module, "WIDTHS", (64,))
        metafunc.parametrize("width", widths, scope="module")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """A script ends with the engine at rest and nothing on the wire that it did not expect."""
    result = yield
    for bench in item.stash.get(BENCHES, []):
        bench.finish()
    return result


@cache
def _simulator(preset: str, width: int, macros: tuple[tuple[str, str], ...]) -> Simulator:
    return build_simulator(preset, width, macros=dict(macros))


@pytest.fixture
def make_bench(request, width):
    """Makes benches, with the settings of scripts.settings that a script names, of the preset
    "small" if it names no other, built with `macros`; all of them listen to port 7. Of what TCP
    may do without nothing is left out, unless the environment or `macros` say so: "small" keeps
    two gaps by itself, and the tests are of a TCP that keeps four."""
    benches = request.node.stash[BENCHES] = []

    def make(preset: str = "small", macros: dict | None = None, **wanted: int) -> Bench:
        whole = {"TOEHOLD_GAPS": "4"} if preset == "small" else {}
        chosen = tuple(sorted((whole | features.given() | (macros or {})).items()))
        benches.append(Bench(_simulator(preset, width, chosen), **wanted))
        benches[-1].app.listen(7)
        return benches[-1]

    yield make
    for bench in benches:
        bench.engine.close()


@pytest.fixture
def bench(make_bench):
    """A plain TCP."""
    return make_bench()


@pytest.fixture
def peer(bench):
    """Has not said anything yet."""
    return Peer(bench)
