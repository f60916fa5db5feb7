# SPDX-License-Identifier: Apache-2.0
"""Structs of the application interface (app_pkg), for support.packed."""

COMMAND = {
    "op": 4, "tag": 8, "app": 4, "generation": 4, "id": 20, "local_port": 16,
    "remote_ip": 32, "remote_port": 16, "value": 32,
}  # fmt: skip
EVENT = {
    "kind": 4, "tag": 8, "app": 4, "result": 4, "generation": 4, "id": 20, "local_port": 16,
    "remote_ip": 32, "remote_port": 16, "value": 32,
}  # fmt: skip
OFFER = {"tentative": 1, "partial": 1, "app": 4, "generation": 4, "id": 20, "length": 16}
STATUS = {"app": 4, "generation": 4, "id": 20, "error": 2, "space": 32}
