# SPDX-License-Identifier: Apache-2.0
"""Structs between IP and the layers above it (net_headers_pkg), for support.packed."""

IP_RECEIVE = {
    "source": 32, "destination": 32, "header_words": 4, "total_length": 16, "protocol": 8,
}  # fmt: skip
IP_TRANSMIT = {
    "destination": 32, "dscp": 6, "protocol": 8, "payload_length": 16,
    "late_checksum": 1, "header_length": 6,
    "header": 480,  # wire byte 0 at the bottom
}  # fmt: skip
ICMP_ERROR = {
    "remote_ip": 32, "remote_port": 16, "local_port": 16, "seq": 32, "kind": 4, "code": 4,
    "mtu": 16,
}  # fmt: skip
