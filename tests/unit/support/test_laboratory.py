# SPDX-License-Identifier: Apache-2.0
"""The judge of captures, on captures made by hand."""

import shutil
from pathlib import Path

import pytest
from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import Ether
from scapy.packet import Packet
from scapy.utils import wrpcap

from support.laboratory import assert_acknowledges_what_came, assert_sends_no_fault

pytestmark = pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is missing")


def _from_host(data: bytes) -> Packet:
    tcp = TCP(sport=1000, dport=7, seq=5, ack=9, flags="A")
    return Ether() / IP(src="10.77.0.1", dst="10.77.0.2") / tcp / data


def _from_engine(ack: int) -> Packet:
    tcp = TCP(sport=7, dport=1000, seq=9, ack=ack, flags="A")
    return Ether() / IP(src="10.77.0.2", dst="10.77.0.1") / tcp


def _judge(folder: Path, packets: list[Packet]) -> None:
    wrpcap(str(folder / "a.pcap"), packets)
    assert_acknowledges_what_came(folder / "a.pcap")


def test_an_acknowledgement_of_what_came_is_good(tmp_path):
    _judge(tmp_path, [_from_host(b"abcd"), _from_engine(9)])


@pytest.mark.parametrize("ack", [10, 1000])
def test_an_acknowledgement_of_more_is_not(tmp_path, ack):
    with pytest.raises(AssertionError, match="too much"):
        _judge(tmp_path, [_from_host(b"abcd"), _from_engine(ack)])


def test_damaged_segments_bring_nothing(tmp_path):
    damaged = _from_host(b"efgh")
    damaged[TCP].seq = 9
    damaged[TCP].chksum = 1
    with pytest.raises(AssertionError, match="too much"):
        _judge(tmp_path, [_from_host(b"abcd"), damaged, _from_engine(13)])


def test_a_checksum_of_all_ones_is_right(tmp_path):
    """The other zero of ones' complement, as Linux sends it in place of 0x0000."""
    number = next(
        n
        for n in range(30_500, 1 << 17)
        if bytes(_from_host(n.to_bytes(4, "big")))[50:52] == b"\0\0"
    )
    frame = _from_host(number.to_bytes(4, "big"))
    frame[TCP].chksum = 0xFFFF
    _judge(tmp_path, [frame, _from_engine(9)])


def _segment(data: bytes, first: int, length: int) -> Packet:
    tcp = TCP(sport=53033, dport=80, seq=1 + first, ack=1, flags="PA")
    return Ether() / IP(src="10.77.0.2", dst="10.77.0.1") / tcp / data[first : first + length]


def test_a_retransmission_may_repeat_more_than_one_segment(tmp_path):
    """Behind a message that tshark has put together it calls that a fault."""
    body = 3000
    data = f"POST / HTTP/1.1\r\nContent-Length: {body}\r\n\r\n".encode().ljust(body + 50, b"x")
    parts = [(0, 500), (500, 1000), (1500, 1550), (500, 1500)]
    syn = Ether() / IP(src="10.77.0.2", dst="10.77.0.1") / TCP(sport=53033, dport=80, flags="S")
    wrpcap(str(tmp_path / "a.pcap"), [syn, *(_segment(data, *part) for part in parts)])
    assert_sends_no_fault(tmp_path / "a.pcap", "ip.src == 10.77.0.2")


def test_a_bad_checksum_is_a_fault(tmp_path):
    bad = _segment(b"abcd", 0, 4)
    bad[TCP].chksum = 1
    wrpcap(str(tmp_path / "a.pcap"), [bad])
    with pytest.raises(AssertionError, match="bad TCP checksum"):
        assert_sends_no_fault(tmp_path / "a.pcap", "ip.src == 10.77.0.2")
