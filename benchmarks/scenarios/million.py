# SPDX-License-Identifier: Apache-2.0
"""A million connections, as in the scenario connections. Takes hours on a busy machine."""

import connections

PRESETS = ("million",)
WIDTHS = connections.WIDTHS
COLUMNS = connections.COLUMNS
measure = connections.measure
