# SPDX-License-Identifier: Apache-2.0
"""Quantities as people write them."""

import pytest

from toehold import units


@pytest.mark.parametrize(
    ("text", "value"), [("1%", 0.01), ("0.01", 0.01), ("100%", 1), ("0%", 0), (" 2.5 % ", 0.025)]
)
def test_probability(text, value):
    assert units.probability(text) == pytest.approx(value)


@pytest.mark.parametrize("text", ["1%%", "-1%", "101%", "1.5", "one", "", "1ms"])
def test_no_probability(text):
    with pytest.raises(ValueError):
        units.probability(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [("200us", 2e-4), ("3ms", 3e-3), ("1s", 1), ("10ns", 1e-8), ("1.5ms", 1.5e-3)],
)
def test_seconds(text, value):
    assert units.seconds(text) == pytest.approx(value)


@pytest.mark.parametrize("text", ["200", "5m", "-1s", "us"])
def test_no_seconds(text):
    with pytest.raises(ValueError):
        units.seconds(text)


@pytest.mark.parametrize(
    ("text", "value"), [("1Gbit", 1e9), ("100Mbit", 1e8), ("56kbit", 56e3), ("10Gbps", 1e10)]
)
def test_bits_per_second(text, value):
    assert units.bits_per_second(text) == value


@pytest.mark.parametrize("text", ["0Mbit", "1G", "100"])
def test_no_bits_per_second(text):
    with pytest.raises(ValueError):
        units.bits_per_second(text)


def test_window():
    assert units.window("1ms:3ms") == pytest.approx((1e-3, 3e-3))
    assert units.window(":3ms") == pytest.approx((0, 3e-3))
    assert units.window("1ms:") == (1e-3, float("inf"))


@pytest.mark.parametrize("text", ["1ms", "3ms:1ms", "1:2", "1ms:1ms"])
def test_no_window(text):
    with pytest.raises(ValueError):
        units.window(text)
