# SPDX-License-Identifier: Apache-2.0
"""Command line and Python access of Toehold, an open TCP offload engine."""

__version__ = "0.1.0"
