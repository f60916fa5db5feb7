# SPDX-License-Identifier: Apache-2.0
"""The raw link as docs/raw_link.md has it: its frames, and what a receiver does with each."""

from collections import Counter
from dataclasses import dataclass

from scapy.fields import BitField, ByteField
from scapy.layers.l2 import Ether
from scapy.packet import Packet, bind_layers

ETHER_TYPE = 0x88B5
DATA, ACK, REFUSAL = 0, 1, 2
NO_CONNECTION, TABLE_FULL, OLD_FIRST, IN_USE = range(4)
SEQUENCE_NUMBERS = 512
MIN_BYTES = 60
HEADER_BYTES = 19
MAX_DATA_BYTES = 16383

HARDWARE = "02:54:4f:45:00:01"


class RawLink(Packet):
    name = "raw link"
    fields_desc = [
        ByteField("cid", 0),
        BitField("first", 0, 1),
        BitField("ack", 0, 1),
        BitField("action", DATA, 2),
        BitField("ui_app", 0, 2),
        BitField("last", 0, 1),
        BitField("seq_low", 0, 1),
        ByteField("seq_high", 0),
        BitField("reserved", 0, 2),
        BitField("size", 0, 14),
    ]

    @property
    def number(self) -> int:
        return self.seq_high << 1 | self.seq_low

    @property
    def data(self) -> bytes:
        return bytes(self.payload)[: self.size]


bind_layers(Ether, RawLink, type=ETHER_TYPE)


def frame(
    data: bytes = b"",
    *,
    source: str,
    destination: str = HARDWARE,
    seq: int = 0,
    size: int | None = None,
    pad: bytes | None = None,
    **fields: int,
) -> bytes:
    """A frame without FCS; pad replaces the zeros up to 60 bytes."""
    header = RawLink(
        seq_low=seq & 1,
        seq_high=seq >> 1 & 0xFF,
        size=len(data) if size is None else size,
        **fields,
    )
    whole = bytes(Ether(src=source, dst=destination, type=ETHER_TYPE) / header) + data
    return whole + pad if pad is not None else whole.ljust(MIN_BYTES, b"\0")


def parse(raw: bytes) -> RawLink:
    packet = Ether(raw)
    assert packet.type == ETHER_TYPE
    return packet[RawLink]


@dataclass
class Delivery:
    ui_app: int
    connected: bool
    source: str
    cid: int
    first: bool
    last: bool
    data: bytes


@dataclass
class Answer:
    """An acknowledgement or a refusal."""

    destination: str
    cid: int
    action: int
    ui_app: int
    seq: int

    def frame(self, source: str = HARDWARE) -> bytes:
        return frame(
            source=source, destination=self.destination, cid=self.cid, action=self.action,
            ui_app=self.ui_app, seq=self.seq,
        )  # fmt: skip


@dataclass
class Entry:
    expected: int
    active: bool = True


class Receiver:
    """What comes of each frame: deliveries, answers and counters, in order.

    Entries are taken as docs/raw_link.md says: the first inactive one behind that opened last.
    """

    def __init__(self, entries: int = 16, apps: int = 4, mac: str = HARDWARE) -> None:
        self.entries, self.apps, self.mac = entries, apps, mac
        self.table: dict[tuple[str, int], Entry] = {}
        self.next_entry = 0
        self.places: list[tuple[str, int] | None] = [None] * entries
        self.deliveries: list[Delivery] = []
        self.answers: list[Answer] = []
        self.acknowledged: list[tuple[str, int, int]] = []
        self.counts: Counter = Counter()

    def put(self, raw: bytes, bad_fcs: bool = False) -> None:
        self.counts["rx_frames"] += 1
        fault = self._fault(raw, bad_fcs)
        if fault:
            self.counts[fault] += 1
            return
        packet = Ether(raw)
        key = (packet.src, packet[RawLink].cid)
        link = packet[RawLink]
        entry = self.table.get(key)
        if link.action == DATA:
            self._data(key, link, entry)
        elif link.action in (ACK, REFUSAL):
            if entry is None:
                self.counts["drop_no_connection"] += 1
            elif link.action == ACK:
                self.counts["acknowledgements_in"] += 1
                self.acknowledged.append((*key, link.number))
            else:
                self.counts["refusals_in"] += 1
                if entry.active:
                    self.counts["closed"] += 1
                entry.active = False
        else:
            self.counts["drop_action"] += 1

    def _fault(self, raw: bytes, bad_fcs: bool) -> str | None:
        if bad_fcs:
            return "drop_fcs"
        if len(raw) < MIN_BYTES:
            return "drop_runt"
        packet = Ether(raw)
        if packet.dst != self.mac:
            return "drop_mac_address"
        if packet.type != ETHER_TYPE:
            return "drop_ethertype"
        if len(raw) < HEADER_BYTES + packet[RawLink].size:
            return "drop_size"
        return None

    def _data(self, key, link: RawLink, entry: Entry | None) -> None:
        seq = link.number
        active = entry is not None and entry.active
        ahead = (seq - entry.expected) % SEQUENCE_NUMBERS if entry else 0
        behind = ahead >= SEQUENCE_NUMBERS // 2
        before = (entry.expected - 1) % SEQUENCE_NUMBERS if entry else 0

        def drop(cause: str, action: int, seq: int, reason: int | None = None) -> None:
            self.counts[cause] += 1
            if link.ack:
                ui_app = link.ui_app if reason is None else reason
                self.answers.append(Answer(*key, action, ui_app, seq))

        wanted = entry.expected if entry else seq
        if link.ui_app >= self.apps:
            return drop("drop_no_app", REFUSAL, wanted, NO_CONNECTION)
        if behind and link.first and not active:
            return drop("drop_duplicate", REFUSAL, wanted, OLD_FIRST)
        if behind:
            return drop("drop_duplicate", ACK, before)
        if active and link.first:
            return drop("drop_in_use", REFUSAL, wanted, IN_USE)
        if active and link.ack and ahead:
            return drop("drop_gap", ACK, before)
        if not active and not link.first:
            return drop("drop_no_connection", REFUSAL, wanted, NO_CONNECTION)

        connected = active or not link.last
        if active:
            self.counts["lost"] += ahead
            entry.expected = (seq + 1) % SEQUENCE_NUMBERS
            if link.last:
                entry.active = False
                self.counts["closed"] += 1
        elif connected:
            if not self._open(key, seq):
                return drop("drop_table_full", REFUSAL, seq, TABLE_FULL)
            self.counts["opened"] += 1
        self.counts["delivered"] += 1
        self.deliveries.append(
            Delivery(link.ui_app, connected, *key, bool(link.first), bool(link.last), link.data)
        )
        if link.ack:
            self.answers.append(Answer(*key, ACK, link.ui_app, seq))
        return None

    def _open(self, key, seq: int) -> bool:
        """The entry of the key, or else the first inactive one behind the one opened last."""
        if key in self.table:
            place = self.places.index(key)
        else:
            order = [(self.next_entry + i) % self.entries for i in range(self.entries)]
            free = [p for p in order if not self.places[p] or not self.table[self.places[p]].active]
            if not free:
                return False
            place = free[0]
            if self.places[place]:
                del self.table[self.places[place]]
            self.places[place] = key
        self.table[key] = Entry((seq + 1) % SEQUENCE_NUMBERS)
        self.next_entry = (place + 1) % self.entries
        return True
