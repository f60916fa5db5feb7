# SPDX-License-Identifier: Apache-2.0
"""The register file by name, over whatever reads and writes 32-bit words.

    registers = Registers(read=bus.read, write=bus.write)
    registers.identify()
    registers.set_addresses(mac="02:54:4f:45:00:01", ip="10.77.0.2/24", gateway="10.77.0.1")
    registers["tcp_rto_min_us"] = 200_000
    registers.counters()["drop_ip_checksum"]

`read(address)` returns a word, `write(address, value)` takes one. Names, addresses and reset values
are those of registers/toehold.rdl.
"""

import ipaddress
from collections.abc import Callable, Iterator

from toehold.register_map import REGISTERS

MAGIC = REGISTERS["identity_magic"][3]
COUNTER_PREFIX = "counters_"
STATE_PREFIX = "states_"
WORD = 0xFFFF_FFFF


class NoSuchRegister(KeyError):
    """A name that registers/toehold.rdl does not have."""


class Registers:
    def __init__(
        self, read: Callable[[int], int], write: Callable[[int, int], None], base: int = 0
    ) -> None:
        self._read, self._write, self._base = read, write, base

    @staticmethod
    def _entry(name: str):
        try:
            return REGISTERS[name]
        except KeyError:
            raise NoSuchRegister(name) from None

    def __iter__(self) -> Iterator[str]:
        return iter(REGISTERS)

    def __getitem__(self, name: str) -> int:
        address, readable, *_ = self._entry(name)
        if not readable:
            raise PermissionError(f"{name} cannot be read")
        return self._read(self._base + address)

    def __setitem__(self, name: str, value: int) -> None:
        address, _, writable, *_ = self._entry(name)
        if not writable:
            raise PermissionError(f"{name} cannot be written")
        if not 0 <= value <= WORD:
            raise ValueError(f"{value:#x} does not fit the 32 bits of {name}")
        self._write(self._base + address, value)

    def field(self, name: str, field: str) -> int:
        """One field of a register."""
        low, width, _ = self._field(name, field)
        return self[name] >> low & ((1 << width) - 1)

    def set_field(self, name: str, field: str, value: int) -> None:
        """Change one field and keep the others."""
        low, width, _ = self._field(name, field)
        mask = (1 << width) - 1
        if not 0 <= value <= mask:
            raise ValueError(f"{value:#x} does not fit the {width} bits of {name}.{field}")
        self[name] = self[name] & ~(mask << low) & WORD | value << low

    def _field(self, name: str, field: str):
        fields = self._entry(name)[4]
        if field not in fields:
            raise NoSuchRegister(f"{name}.{field}")
        return fields[field]

    def identify(self) -> str:
        """The version of the register map; raises when there is no engine here."""
        magic = self["identity_magic"]
        if magic != MAGIC:
            raise LookupError(f"no Toehold engine here: magic is {magic:#010x}, not {MAGIC:#010x}")
        return ".".join(str(self.field("identity_version", f)) for f in ("major", "minor", "patch"))

    def set_addresses(
        self, mac: str | None = None, ip: str | None = None, gateway: str | None = None
    ) -> None:
        """Addresses as people write them; `ip` with a mask: 10.77.0.2/24."""
        if mac is not None:
            octets = bytes.fromhex(mac.replace(":", "").replace("-", ""))
            if len(octets) != 6:
                raise ValueError(f"{mac!r} is not a MAC address")
            self["network_mac_high"] = int.from_bytes(octets[:2], "big")
            self["network_mac_low"] = int.from_bytes(octets[2:], "big")
        if ip is not None:
            interface = ipaddress.IPv4Interface(ip)
            self["network_ip_address"] = int(interface.ip)
            self["network_netmask"] = int(interface.netmask)
        if gateway is not None:
            self["network_gateway"] = int(ipaddress.IPv4Address(gateway))

    def set_secrets(self, isn_secret: bytes, hash_key: bytes) -> None:
        """Key of the initial sequence numbers (16 bytes) and of the lookup (8 bytes)."""
        for name, key, words in (("isn_secret", isn_secret, 4), ("hash_key", hash_key, 2)):
            if len(key) != 4 * words:
                raise ValueError(f"{name} takes {4 * words} bytes, not {len(key)}")
            for i in range(words):
                self[f"tcp_{name}_{i}"] = int.from_bytes(key[4 * i : 4 * i + 4], "little")

    def _block(self, prefix: str) -> dict[str, int]:
        names = (name for name in REGISTERS if name.startswith(prefix))
        return {
            name.removeprefix(prefix): self[name] for name in names if not name.endswith("reserved")
        }

    def counters(self) -> dict[str, int]:
        """Every counter by its name in toe_counters_pkg; 32 bits, wrapping."""
        return self._block(COUNTER_PREFIX)

    def connections(self) -> dict[str, int]:
        """How many connections are in each state."""
        return self._block(STATE_PREFIX)


def difference(now: dict[str, int], before: dict[str, int]) -> dict[str, int]:
    """What was counted between two readings, across a wrap."""
    return {name: (value - before[name]) & WORD for name, value in now.items()}
