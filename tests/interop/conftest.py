# SPDX-License-Identifier: Apache-2.0
"""The fixture of the interop tests."""

from support.laboratory import laboratory  # noqa: F401
