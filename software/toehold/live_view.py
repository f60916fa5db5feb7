# SPDX-License-Identifier: Apache-2.0
"""What the hardware does, from the lines of statistics that toehold-sim writes."""

from rich.columns import Columns
from rich.console import Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

STATES = "states_"
COUNTERS = "counters_"
DROPS = "counters_drop_"
CACHE = "state_cache_"
WRAP = 1 << 32


class Totals:
    """Counters of 32 bits, carried on beyond their wrap from one line to the next."""

    def __init__(self) -> None:
        self._last: dict[str, int] = {}
        self._total: dict[str, int] = {}

    def update(self, registers: dict[str, int]) -> dict[str, int]:
        for name, value in registers.items():
            if name.startswith(COUNTERS):
                step = (value - self._last.get(name, 0)) % WRAP
                self._total[name] = self._total.get(name, 0) + step
                self._last[name] = value
        return self._total


class LiveView:
    """Keeps the newest statistics; renders them as a screen or as a line."""

    def __init__(self) -> None:
        self._totals = Totals()
        self._line: dict = {}
        self._counters: dict[str, int] = {}

    def update(self, line: dict) -> None:
        self._line = line
        self._counters = self._totals.update(line["registers"])

    @property
    def known(self) -> bool:
        return bool(self._line)

    def states(self) -> dict[str, int]:
        """Connections by state, without the states that have none, but always established."""
        registers = self._line.get("registers", {})
        return {
            name.removeprefix(STATES).split(".")[0]: value
            for name, value in registers.items()
            if name.startswith(STATES) and (value or name == f"{STATES}established")
        }

    def drops(self) -> dict[str, int]:
        """Frames dropped by cause, without the causes that never happened."""
        return {
            name.removeprefix(DROPS): value
            for name, value in self._counters.items()
            if name.startswith(DROPS) and value
        }

    def counter(self, name: str) -> int:
        return self._counters.get(COUNTERS + name, 0)

    def levels(self) -> list[tuple[str, str]]:
        """Where events found the state of their connections, and lookups their tuples, if that is
        not always on chip; what it cost in reads of DRAM, at the mean and at the worst; and what is
        left of the pages that transmit rings share, if they do."""
        cache = {
            name.removeprefix(CACHE).split(".")[0]: value
            for name, value in self._line.get("registers", {}).items()
            if name.startswith(CACHE)
        }
        if not cache.get("entries"):
            return []
        hits, misses, merged = (self.counter(f"state_{n}") for n in ("hits", "misses", "merged"))
        found, asked = self.counter("index_hits"), self.counter("index_misses")
        lines = self.counter("state_lines_read")
        buckets, second = self.counter("index_reads"), self.counter("index_second_reads")
        pages = []
        registers = self._line.get("registers", {})
        if pool := registers.get("transmit_pages_pages"):
            free, least = (registers[f"transmit_pages_{name}"] for name in ("free", "free_least"))
            pages = [
                ("pages free, at least", f"{free:,} {_share(free, pool - free)}, {least:,}"),
                ("refused for pages", f"{self.counter('page_refused'):,}"),
            ]
        return [
            ("states forwarded", f"{self.counter('state_forwarded'):,}"),
            ("states on chip", f"{hits:,} {_share(hits, misses + merged)}"),
            ("states not on chip", f"{misses:,}"),
            ("events that waited", f"{misses + merged:,}"),
            ("waiting, at most", f"{cache['parked']:,}, {cache['parked_most']:,}"),
            ("lines for a state, at most", f"{_mean(lines, misses)}, {cache['lines_most']}"),
            ("states written back", f"{self.counter('state_write_backs'):,}"),
            ("tuples on chip", f"{found:,} {_share(found, asked)}"),
            ("lines for a tuple, at most", f"{_mean(buckets, asked)}, {2 if second else 1}"),
            *pages,
        ]

    def text(self) -> str:
        """One plain line, for output that is not a terminal."""
        states = ", ".join(f"{count} {name}" for name, count in self.states().items())
        drops = ", ".join(f"{count} {cause}" for cause, count in self.drops().items())
        return (
            f"{self._line['simulated_us'] / 1e6:.1f} s simulated"
            f" | connections: {states or 'none'}"
            f" | in {self.counter('rx_frames')} frames {size(self.counter('rx_bytes'))}"
            f" | out {self.counter('tx_frames')} frames {size(self.counter('tx_bytes'))}"
            f" | dropped: {drops or 'none'}"
            f" | retransmitted {self.counter('tcp_retransmitted_segments')}"
            f" | {rate(self._line['clocks_per_second'])}"
        )

    def __rich__(self):
        if not self.known:
            return Text("waiting for the first statistics ...")
        panels = [self._connections(), self._traffic(), self._recovery(), self._drops()]
        if levels := self.levels():
            panels.append(_panel("On chip, and in DRAM", levels))
        return Group(
            Columns(panels, padding=(0, 1)),
            self._simulation(),
        )

    def _connections(self):
        return _panel(
            "Connections",
            [(name.replace("_", "-"), str(count)) for name, count in self.states().items()],
        )

    def _traffic(self):
        rows = [
            ("frames in", f"{self.counter('rx_frames'):,}"),
            ("bytes in", size(self.counter("rx_bytes"))),
            ("frames out", f"{self.counter('tx_frames'):,}"),
            ("bytes out", size(self.counter("tx_bytes"))),
        ]
        return _panel("Network", rows)

    def _recovery(self):
        rows = [
            ("segments sent again", f"{self.counter('tcp_retransmitted_segments'):,}"),
            ("timeouts", f"{self.counter('tcp_retransmit_timeouts'):,}"),
            ("fast retransmissions", f"{self.counter('tcp_fast_retransmits'):,}"),
            ("window probes", f"{self.counter('tcp_window_probes'):,}"),
        ]
        return _panel("Recovery", rows)

    def _drops(self):
        rows = [(cause.replace("_", " "), f"{count:,}") for cause, count in self.drops().items()]
        link = self._line["to_engine"]
        for fate in ("lost", "corrupted", "queue_dropped"):
            if link[fate]:
                rows.append((f"link: {fate.replace('_', ' ')}", f"{link[fate]:,}"))
        return _panel("Dropped by cause", rows or [("nothing", "")])

    def _simulation(self):
        line = self._line
        busy = line["busy_s"] / line["wall_s"] if line["wall_s"] else 0
        used = {name: line.get(f"{name}_memory", {}) for name in ("state", "payload")}
        moved = {
            name: counters["bytes_read"] + counters["bytes_written"]
            for name, counters in used.items()
            if counters
        }
        memory = "".join(f", {name} DRAM {size(count)}" for name, count in moved.items() if count)
        return Text(
            f"simulated {line['simulated_us'] / 1e6:.1f} s in {line['clocks']:,} clocks,"
            f" {rate(line['clocks_per_second'])} while busy, busy {busy:.0%} of the time{memory}"
        )


def size(count: int) -> str:
    """A number of bytes with the unit that suits it."""
    amount = float(count)
    for unit in ("B", "kB", "MB"):
        if amount < 1000:
            return f"{count} B" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.2f} GB"


def rate(clocks_per_second: float) -> str:
    if clocks_per_second >= 1e6:
        return f"{clocks_per_second / 1e6:.2f} M clocks/s"
    return f"{clocks_per_second / 1e3:.0f} k clocks/s"


def _share(part: int, rest: int) -> str:
    return f"({part / (part + rest):.0%})" if part + rest else ""


def _mean(total: int, count: int) -> str:
    return f"{total / count:.2f}" if count else "-"


def _panel(title: str, rows: list[tuple[str, str]]) -> Panel:
    table = Table.grid(padding=(0, 2))
    table.add_column(min_width=12)
    table.add_column(justify="right", min_width=8)
    for name, value in rows:
        table.add_row(name, value)
    return Panel(table, title=title, title_align="left")
