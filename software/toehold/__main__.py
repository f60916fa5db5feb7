# SPDX-License-Identifier: Apache-2.0
"""`python -m toehold` is the command line."""

from toehold.cli import main

main()
