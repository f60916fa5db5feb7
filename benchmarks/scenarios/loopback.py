# SPDX-License-Identifier: Apache-2.0
"""Two engines joined frame by frame in RTL, a traffic generator on the one and servers on the other
(S1.12), set and read by their registers.

echo     messages come back, and are compared
discard  the client sends, and sends only
source   the server sends, and what comes is compared
"""

import subprocess
from contextlib import contextmanager

from toehold.paths import BENCHMARKS
from toehold.registers import Registers
from toehold.simulator_build import PRESETS as NUMBERS
from toehold.traffic_map import REGISTERS as TRAFFIC
from toehold.verilated import build_program

PRESETS = ("datacenter", "small", "low-latency")
WIDTHS = (64, 512)
CHECKED = True
COLUMNS = (
    *("width_bits", "server", "message_bytes", "connections"),
    *("out_bytes_per_clock", "in_bytes_per_clock", "wrong_bytes", "retransmissions"),
)

PERIODS_PS = {64: 6400, 512: 4000}
CLIENT, SERVER, GENERATOR = range(3)  # buses
ADDRESSES = {CLIENT: "10.77.0.1", SERVER: "10.77.0.2"}
# Port, and whether the client sends.
SERVERS = {"echo": (7, True), "discard": (9, True), "source": (19, False)}
SIZES, QUICK_SIZES = (64, 256, 1460), (1460,)
CONNECTIONS = 32
WARM_UP, CLOCKS, QUICK_CLOCKS = 20_000, 200_000, 30_000
STEP = 10_000  # clocks from one look at the statistics to the next
MOST_STEPS = 500  # until connections are there or gone; ARP and lost SYNs take a while
BYTES = ("bytes_out", "bytes_in")


class Loopback:
    """The program of loopback.cpp."""

    def __init__(self, process: subprocess.Popen) -> None:
        self._process = process
        self.engines = [
            Registers(lambda address, bus=bus: self._ask(f"r {bus} {address}"),
                      lambda address, value, bus=bus: self._tell(f"w {bus} {address} {value}"))
            for bus in (CLIENT, SERVER)
        ]  # fmt: skip

    def _tell(self, line: str) -> str:
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline().strip()
        if not answer:
            raise RuntimeError(f"The simulation ended at: {line}")
        return answer

    def _ask(self, line: str) -> int:
        return int(self._tell(line))

    def advance(self, clocks: int) -> int:
        """Clocks since reset, after these."""
        return self._ask(f"a {clocks}")

    def set(self, name: str, value: int) -> None:
        self._tell(f"w {GENERATOR} {TRAFFIC[name][0]} {value}")

    def get(self, name: str) -> int:
        return self._ask(f"r {GENERATOR} {TRAFFIC[name][0]}")

    def total(self, name: str) -> int:
        """Of a total in two halves; nothing moves between two reads of the same clock or two."""
        while True:
            high, low = self.get(f"{name}_high"), self.get(f"{name}_low")
            if self.get(f"{name}_high") == high:
                return high << 32 | low

    def live(self) -> int:
        return self.get("status") & 0xFFFF

    def until(self, condition, what: str) -> None:
        for _ in range(MOST_STEPS):
            if condition():
                return
            self.advance(STEP)
        raise RuntimeError(f"After {MOST_STEPS * STEP} clocks {what}.")


@contextmanager
def loopback(preset: str, width: int):
    """Both engines with their addresses; the servers listen."""
    program = build_program(
        "toe_loopback",
        [BENCHMARKS / "scenarios" / "loopback.cpp"],
        parameters={"Preset": NUMBERS[preset], "DataWidth": width},
        defines={"PERIOD_PS": PERIODS_PS[width]},
    )
    process = subprocess.Popen(
        [str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        system = Loopback(process)
        for bus, registers in enumerate(system.engines):
            registers.identify()
            registers.set_addresses(
                mac=f"02:54:4f:45:00:{bus + 1:02x}", ip=f"{ADDRESSES[bus]}/24", gateway="0.0.0.0"
            )
            # Keys of their own, the same in each run.
            registers.set_secrets(bytes(range(bus, 16 + bus)), bytes(range(bus + 1, 9 + bus)))
        octets = [int(octet) for octet in ADDRESSES[SERVER].split(".")]
        system.set("remote_ip", int.from_bytes(octets, "big"))
        system.advance(STEP)
        yield system
    finally:
        process.stdin.close()
        process.wait(timeout=60)


def measure(request):
    rows = []
    sizes = QUICK_SIZES if request.quick else SIZES
    clocks = QUICK_CLOCKS if request.quick else CLOCKS
    for width in request.widths[:1] if request.quick else request.widths:
        request.tell(f"{width} bits, building")
        with loopback(request.preset, width) as system:
            for server, (port, sends) in SERVERS.items():
                # What the source writes is its own choice.
                for size in sizes if sends else (1460,):
                    row = {"width_bits": width, "server": server, "message_bytes": size}
                    rows.append(row | _run(request, system, row, port, sends, clocks))
    summary = {}
    for row in rows:
        if row["message_bytes"] == 1460:
            for way in ("out", "in"):
                if rate := row[f"{way}_bytes_per_clock"]:
                    summary[f"{way}_{row['server']}_w{row['width_bits']}"] = rate
    return rows, summary


def _run(request, system: Loopback, row: dict, port: int, sends: bool, clocks: int) -> dict:
    """Connections, opened, at work for so many clocks, and closed."""
    words = f"{row['width_bits']} bits, {row['server']}, {row['message_bytes']} bytes"
    before = {name: system.get(name) for name in ("opened", "closed", "broken", "wrong_bytes")}
    sent_again = sum(_retransmitted(registers) for registers in system.engines)
    system.set("remote_port", port)
    system.set("connections", CONNECTIONS)
    system.set("message_bytes", row["message_bytes"])
    system.set("control", 1 | sends << 1)
    system.until(lambda: system.get("opened") - before["opened"] == CONNECTIONS, "not all are open")
    first = system.advance(WARM_UP)
    begin = {name: system.total(name) for name in BYTES}
    now = first
    while now - first < clocks:
        now = system.advance(STEP)
        moved = " ".join(f"{name} {system.total(name) - begin[name]}" for name in BYTES)
        wrong = system.get("wrong_bytes") - before["wrong_bytes"]
        request.tell(f"{words}: {system.live()} connections, {moved}, {wrong} wrong")
    rates = [(system.total(name) - begin[name]) / (now - first) for name in BYTES]
    system.set("control", sends << 1)
    system.until(lambda: system.live() == 0, f"{system.live()} connections are left")
    closed = system.get("closed") - before["closed"]
    broken = system.get("broken") - before["broken"]
    if closed + broken != CONNECTIONS:
        raise RuntimeError(f"{CONNECTIONS} were opened, {closed} closed and {broken} broken.")
    wrong = system.get("wrong_bytes") - before["wrong_bytes"]
    if broken or wrong:
        raise RuntimeError(f"{words}: {broken} connections broken, {wrong} wrong bytes.")
    return {
        "connections": CONNECTIONS,
        "out_bytes_per_clock": round(rates[0], 3),
        "in_bytes_per_clock": round(rates[1], 3),
        "wrong_bytes": wrong,
        "retransmissions": sum(_retransmitted(each) for each in system.engines) - sent_again,
    }


def _retransmitted(registers: Registers) -> int:
    return registers["counters_tcp_retransmitted_segments"]
