# SPDX-License-Identifier: Apache-2.0
"""A million connections, as in the scenario connections. Takes an hour and a half."""

import connections

PRESETS = ("million",)
WIDTHS = connections.WIDTHS
COLUMNS = connections.COLUMNS
measure = connections.measure
