# SPDX-License-Identifier: Apache-2.0
"""How many programs that take a processor each run beside each other."""

import os

PROCESSES = min(2, os.cpu_count() or 1)
