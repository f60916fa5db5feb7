# SPDX-License-Identifier: Apache-2.0
"""All configurations whose area and timing are documented: `make synth`, `toehold synth` of none.

Every one is mapped; that takes an hour and more, and what has been mapped is not mapped again until
its source changes. Place and route of a whole engine takes hours, so clock rates that are stored
are taken, if they are of the netlist that was mapped: of as many cells of each kind. Others are
routed.
"""

import fcntl
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from rich.table import Table

from toehold import area, elaborate, features, results, stamps, stored_seeds, synth, yosys
from toehold.console import console, errors, fail
from toehold.options import Preset
from toehold.paths import BUILD, RESULTS, relative
from toehold.processes import PROCESSES

NAME = "synth"
FOLDER = BUILD / "synth" / "all"
DEVICES = ("ecp5", "xc7")  # unless others are named

AREA_COLUMNS = {
    "configuration": "configuration",
    "device": "device",
    "LUT": "LUT",
    "FF": "FF",
    "DP16KD": "DP16KD",
    "BRAM36": "BRAM36",
    "best_fmax_mhz": "MHz",
}
PUBLISHED_COLUMNS = {
    "design": "design",
    "device": "device",
    "LUT": "LUT",
    "FF": "FF",
    "BRAM36": "BRAM36",
}

_RINGS_IN_DRAM = {"TxRingsInDram": "1", "RxRingsInDram": "1"}
_SIXTY_FOUR_KIB = {"TxRingBytes": "65536", "RxRingBytes": "65536"}
_BARE = {features.ALL: "0"}


@dataclass(frozen=True)
class Configuration:
    """What is measured: a top with a preset, fields of it and macros, for some devices."""

    label: str  # what its figures end in
    preset: str = Preset.small.value
    top: str = synth.ENGINE
    width: int | None = None  # bits; any if none
    parameters: dict[str, str] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)
    macros: dict[str, str] = field(default_factory=dict)
    devices: tuple[str, ...] = tuple(synth.DEVICES)
    seeds: range = range(0)  # that it is routed with, for ECP5


def configurations() -> Iterator[Configuration]:
    """Those of the papers and those that are routed first, then every preset."""
    yield Configuration(
        "1024", "low-latency", width=64, settings=_RINGS_IN_DRAM, devices=("xc7", "xcup")
    )
    yield Configuration(
        "1024-bare",
        "low-latency",
        width=64,
        settings=_RINGS_IN_DRAM,
        macros=_BARE,
        devices=("xc7", "xcup"),
    )
    yield Configuration(
        "10000",
        "scale",
        width=64,
        settings={
            "Connections": "16384",
            "StateCacheEntries": "1024",
            "StateCacheWays": "4",
            "TupleCacheEntries": "0",
            "ReorderPackets": "16",
            "TransmitWindow": "0",
            "DecideClocks": "15",
        },
        macros=_BARE | {"TOEHOLD_OPENS": "1"},
        devices=("xc7", "xcup"),
    )
    yield Configuration(
        "10000-on-chip",
        width=64,
        settings={"Connections": "16384"} | _SIXTY_FOUR_KIB | _RINGS_IN_DRAM,
        macros=_BARE | {"TOEHOLD_OPENS": "1"},
        devices=("xc7", "xcup"),
    )
    yield Configuration(
        "10g",
        width=64,
        settings={"Connections": "1024"} | _SIXTY_FOUR_KIB | _RINGS_IN_DRAM,
        devices=("ecp5",),
        seeds=range(2, 3),
    )
    yield Configuration("small", top="checksum_offload", seeds=range(1, 2))
    yield Configuration(
        "small",
        top="raw_link",
        width=32,
        parameters={"DataWidth": "32"},
        devices=("ecp5",),
    )
    for preset in Preset:
        routed = range(2, 3) if preset is Preset.small else range(0)
        yield Configuration(preset.value, preset.value, seeds=routed)


@dataclass
class Job:
    """A configuration, elaborated, and what is being measured of it."""

    configuration: Configuration
    chosen: synth.Chosen
    config: dict
    cells: dict[str, Future]
    routes: Future | None = None
    measured: synth.Measured = field(default_factory=synth.Measured)

    @property
    def name(self) -> str:
        """Of its result."""
        return self.chosen.result

    @property
    def shown(self) -> str:
        return _with_features(area.configuration(self.config), area.built_with(self.config))

    def document(self) -> dict:
        suffix = self.chosen.suffix
        return results.document(
            f"synth_{self.chosen.block.top}",
            config=self.config,
            rows=self.measured.rows,
            summary={f"{name}_{suffix}": v for name, v in self.measured.summary.items()},
        )


def all_command(
    width: int,
    device: str | None,
    frequency_mhz: float,
    route: bool,
    json_file: Path | None,
    store: bool,
    check: bool,
) -> int:
    """Measure them, print the tables, and write what `results.document` holds."""
    if features.given():
        shown = ", ".join(features.given())
        fail(f"{shown} is for one block: name a --preset or a --top.", status=2)
    if store and (device or not route):
        # What is stored already would lose what was not measured.
        fail("--store is for all of it: without --device and --no-route.", status=2)
    names = synth.device_names(device or ",".join(DEVICES))
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / "running.lock").open("w") as lock, ThreadPoolExecutor(PROCESSES) as pool:
        # Two runs would write the same files.
        fcntl.flock(lock, fcntl.LOCK_EX)
        for old in FOLDER.glob("synth_*.json"):
            old.unlink()
        try:
            jobs = [_begin(c, width, names, frequency_mhz, pool) for c in _wanted(width, names)]
            for job in jobs:
                _map(job)
                if route and "ecp5" in job.cells and job.configuration.seeds:
                    _take_or_route(job, pool)
                _write(job)
            for job in jobs:
                if job.routes:
                    with console.status(f"{job.shown}: placing and routing"):
                        job.measured.add_routes(job.chosen.block.top, job.routes.result())
                    _write(job)
        except BaseException:
            # What has not begun is not waited for.
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    documents = {job.name: job.document() for job in jobs}
    for title, rows, columns in (
        ("All that was measured", area.area(FOLDER), AREA_COLUMNS),
        ("Beside what was published", area.published(FOLDER), PUBLISHED_COLUMNS),
    ):
        name = next(iter(columns))
        named = [row | {name: _with_features(row[name], row["features"])} for row in rows]
        _print_table(title, named, columns)
    worse = _worse(documents) if check else []
    for name, document in documents.items():
        if not store or _is_stored(name, document):
            continue
        if _would_lose(name, document):
            console.print(
                f"{name} has changed, but is left as it is stored: more was measured there. Store "
                "it by itself.",
                soft_wrap=True,
            )
        else:
            results.write(document, FOLDER / f"{name}.json", store=True, name=name)
    written = results.write(_whole(documents, width, frequency_mhz), json_file, store=False)
    console.print(f"Written to {', '.join(written)}.", soft_wrap=True)
    for line in worse:
        errors.print(line, soft_wrap=True)
    return 1 if worse else 0


def _wanted(width: int, names: list[str]) -> list[Configuration]:
    """Those that there are at the width, for one of the devices; of the default width all."""
    every_width = width == 64
    return [
        c
        for c in configurations()
        if set(names) & set(c.devices) and (every_width or c.width is None or c.width == width)
    ]


def _begin(
    configuration: Configuration,
    width: int,
    names: list[str],
    frequency_mhz: float,
    pool: ThreadPoolExecutor,
) -> Job:
    """Elaborate a configuration, and have it mapped to each of the devices."""
    c = configuration
    chosen = synth.elaborated(
        c.top, c.preset, c.width or width, c.parameters, c.settings, c.macros, c.label
    )
    cells = {
        n: pool.submit(_cells, chosen.block, n, FOLDER / chosen.result / n)
        for n in names
        if n in c.devices
    }
    return Job(c, chosen, chosen.config(frequency_mhz), cells)


def _cells(block: elaborate.Block, device: str, folder: Path) -> Counter:
    """Cells by type of the block; it is not mapped again from the same source."""
    found = folder / "stat.json"
    folder.mkdir(parents=True, exist_ok=True)
    how = repr(synth.mapping(synth.DEVICES[device].command, "shell", Path("log")))
    included = sorted(path for where in block.include_dirs for path in where.glob("*.svh"))
    made_of = [synth.tools(), how, repr(block.defines), elaborate.shell(block), *block.files]

    def run() -> bool:
        synth.map_flat(block, synth.DEVICES[device], folder)
        return True

    stamps.once(found, [*made_of, *included], run)
    return synth.cells_of(found, "shell")


def _write(job: Job) -> None:
    """As soon as it is there, so that a run that is stopped has not been for nothing."""
    results.write(job.document(), FOLDER / f"{job.name}.json", store=False)


def _map(job: Job) -> None:
    """Wait for the mapping of a configuration, and note what it gave."""
    for device, cells in job.cells.items():
        title = synth.DEVICES[device].title
        with console.status(f"{job.shown}: mapping to {title}"):
            try:
                values = synth.figures(synth.DEVICES[device], cells.result())
            except yosys.YosysError as error:
                log = FOLDER / job.name / device / "yosys.log"
                log.write_text(error.log)
                fail(f"Yosys: {job.shown}: {error}\nThe whole log is in {relative(log)}.")
        found = ", ".join(f"{value:,} {figure.upper()}" for figure, value in values.items())
        console.print(f"{job.shown}, {title}: {found}", style="dim", soft_wrap=True)
        job.measured.add_area(job.chosen.block.top, device, values)


def _take_or_route(job: Job, pool: ThreadPoolExecutor) -> None:
    """The routes that are stored of the same netlist; if there are none, they begin."""
    stored = _stored(job)
    if stored and stored_seeds.is_same_netlist(stored, job.document()):
        routes = stored_seeds.routes_of(stored)
        job.measured.rows += routes
        job.measured.summary |= stored_seeds.rates(routes)
        return
    said = f"{job.shown}: no clock rate is stored of this netlist, so it is routed."
    console.print(said, style="dim", soft_wrap=True)
    job.routes = pool.submit(_route, job)


def _route(job: Job) -> list[synth.Route]:
    c, block = job.configuration, job.chosen.block
    netlist = synth.map_harness(block, FOLDER / job.name / "route")
    target = job.config["target_mhz"]
    return synth.with_places([synth.route(netlist, seed, target) for seed in c.seeds], block)


def _stored(job: Job) -> dict | None:
    """The stored result of the same configuration, if there is one with routes."""
    path = RESULTS / f"{job.name}.json"
    stored = results.read(path) if path.exists() else None
    if not stored or stored_seeds.differences(stored, job.config):
        return None
    return stored if any("fmax_mhz" in row for row in stored["rows"]) else None


def _with_features(configuration: str, features: str | None) -> str:
    """A configuration in words, with what it lacks of TCP's optional features."""
    return (
        f"{configuration}; features: {features}" if features not in (None, "all") else configuration
    )


def _print_table(title: str, rows: list[dict], columns: dict[str, str]) -> None:
    """Those columns that have a value in some row, by the headings they are given."""
    shown = {key: heading for key, heading in columns.items() if any(row.get(key) for row in rows)}
    first, *others = shown
    table = Table(title=title, title_justify="left", show_edge=False, pad_edge=False)
    table.add_column(shown[first], overflow="fold")
    for key in others:
        numbers = any(isinstance(row.get(key), (int, float)) for row in rows)
        table.add_column(shown[key], justify="right" if numbers else "left", no_wrap=True)
    for row in rows:
        values = (row.get(key) for key in shown)
        table.add_row(*("" if v is None else v if isinstance(v, str) else f"{v:,}" for v in values))
    console.print(table)
    console.print()


def _worse(documents: dict[str, dict]) -> list[str]:
    """What is worse than stored; what is not stored is told."""
    lines = []
    for name, document in documents.items():
        path = RESULTS / f"{name}.json"
        if path.exists():
            lines += synth.regressions(results.read(path)["summary"], document["summary"])
        else:
            lines.append(f"There is no {relative(path)} to compare with.")
    return lines


def _is_stored(name: str, document: dict) -> bool:
    """Whether nothing was found that is not stored already, with more around it maybe."""
    path = RESULTS / f"{name}.json"
    if not path.exists():
        return False
    stored = results.read(path)
    same = not stored_seeds.differences(stored, document["config"])
    return same and document["summary"].items() <= stored["summary"].items()


def _would_lose(name: str, document: dict) -> bool:
    """Whether a device, or a clock rate, is stored that was not measured now."""
    path = RESULTS / f"{name}.json"
    if not path.exists():
        return False

    def kinds(result: dict) -> set[tuple[str, bool]]:
        return {(row["device"], "seed" in row) for row in result["rows"]}

    return not kinds(results.read(path)) <= kinds(document)


def _whole(documents: dict[str, dict], width: int, frequency_mhz: float) -> dict:
    """One document of all: rows with the name of their configuration, and all summaries."""
    summary: dict[str, float] = {}
    for document in documents.values():
        if document["config"]["top"] == synth.ENGINE:
            summary |= document["summary"]
    return results.document(
        NAME,
        config={
            "width_bits": width,
            "target_mhz": frequency_mhz,
            "tools": synth.tools(),
            "date": results.date(),
        },
        rows=[
            {
                "configuration": area.configuration(document["config"]),
                "features": area.built_with(document["config"]),
                **row,
            }
            for document in documents.values()
            for row in document["rows"]
        ],
        summary=summary,
    )
