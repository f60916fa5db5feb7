# SPDX-License-Identifier: Apache-2.0
"""What several commands take: presets, widths, and the options of `toehold run`."""

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path


class Preset(StrEnum):
    """The named configurations of toe_config_pkg."""

    small = "small"
    datacenter = "datacenter"
    bulk = "bulk"
    cached = "cached"
    low_latency = "low-latency"
    scale = "scale"
    tiny = "tiny"
    million = "million"


class Width(StrEnum):
    """Bits of payload per clock; an enum because these are all that the RTL takes."""

    w64 = "64"
    w128 = "128"
    w256 = "256"
    w512 = "512"

    @property
    def bits(self) -> int:
        return int(self.value)


class Dram(StrEnum):
    """What lies behind the engine's AXI4 ports."""

    ddr3_1600 = "ddr3-1600"
    ddr4_2400 = "ddr4-2400"
    hbm = "hbm"


class App(StrEnum):
    """The on-chip applications of rtl/apps, and the pong of the raw link instead of an engine."""

    echo = "echo"
    discard = "discard"
    source = "source"
    http = "http"
    key_value = "key-value"
    raw_pong = "raw-pong"


@dataclass(frozen=True)
class LinkOptions:
    """The link model between the TAP device and the engine, the same in both directions."""

    loss: float = 0.0
    reorder: float = 0.0
    duplicate: float = 0.0
    corrupt: float = 0.0
    delay_s: float = 0.0
    rate_bps: float | None = None
    seed: int = 1


@dataclass(frozen=True)
class RunOptions:
    """What `toehold run` was asked for; `toehold.run.run_command` takes exactly this."""

    preset: str = "small"
    width: int = 64
    app: str | None = None
    profiled: bool = False
    netlist: bool = False
    dram: str = "ddr4-2400"
    dram_channels: int = 1  # behind each port
    system: Path | None = (
        None  # .core file of what takes the place of the engine and its applications
    )
    pcap: Path | None = None
    wave: Path | None = None
    wave_window_s: tuple[float, float] = (0.0, float("inf"))
    link: LinkOptions = field(default_factory=LinkOptions)
    command: tuple[str, ...] = ()
