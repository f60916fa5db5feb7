# SPDX-License-Identifier: Apache-2.0
"""What the tests share: simulation, proofs, stream drivers."""
