# SPDX-License-Identifier: Apache-2.0
"""What the scripts set in the engine: every register name that they use, in one place.

Scripts begin with a TCP of RFC 9293 alone, which acknowledges at once and sends at once: then each
segment has one answer, and a script is exact about it. Those of a feature switch it on by name:

    bench = make_bench(delayed_ack_us=50_000, sack=1)

Times are microseconds. Retransmission and TIME-WAIT times are those that the engine has by itself.
"""

from toehold.register_map import REGISTERS

RTO_INITIAL_US = 1_000_000
RTO_MIN_US = 200_000
RTO_MAX_US = 60_000_000
TIME_WAIT_US = 60_000_000
SYN_RETRIES, SYN_ACK_RETRIES, DATA_RETRIES = 7, 5, 8

# The unit of the time stamps that the engine sends (RFC 7323 section 5.4), as a shift.
TIMESTAMP_SHIFT = 10

# Name in a script: register and, if it has several fields, field.
FIELDS = {
    "rto_initial_us": ("tcp_rto_initial_us", "value"),
    "rto_min_us": ("tcp_rto_min_us", "value"),
    "rto_max_us": ("tcp_rto_max_us", "value"),
    "time_wait_us": ("tcp_time_wait_us", "value"),
    "syn_retries": ("tcp_retries", "syn"),
    "syn_ack_retries": ("tcp_retries", "syn_ack"),
    "data_retries": ("tcp_retries", "data"),
    "arp_ageing_seconds": ("network_arp_ageing_seconds", "value"),
    "isn_secret": ("tcp_isn_secret_0", "value"),
    "reset_unknown": ("network_control", "reset_unknown"),
    "reset_full": ("network_control", "reset_full"),
    "delayed_ack_us": ("tcp_behaviour_delayed_ack_us", "value"),
    "user_timeout_us": ("tcp_behaviour_user_timeout_us", "value"),
    "challenge_interval_us": ("tcp_behaviour_challenge_interval_us", "value"),
    "keepalive_tick_us": ("tcp_behaviour_keepalive_tick_us", "value"),
    "keepalive_interval_us": ("tcp_behaviour_keepalive_interval_us", "value"),
    "keepalive_idle": ("tcp_behaviour_keepalive", "idle"),
    "keepalive_probes": ("tcp_behaviour_keepalive", "probes"),
    "window_scale": ("tcp_behaviour_options", "window_scale"),
    "timestamps": ("tcp_behaviour_options", "timestamps"),
    "sack": ("tcp_behaviour_options", "sack"),
    "nagle": ("tcp_behaviour_options", "nagle"),
    "keepalive": ("tcp_behaviour_options", "keepalive"),
    "cubic_friendly": ("tcp_behaviour_options", "cubic_friendly"),
    "pacing": ("tcp_behaviour_options", "pacing"),
}

# What every script begins with. An engine that lacks a feature lacks its register, and behaves so.
PLAIN = {
    "arp_ageing_seconds": 0,  # the peer's host stays known
    "delayed_ack_us": 0,
    "challenge_interval_us": 0,
    "window_scale": 0,
    "timestamps": 0,
    "sack": 0,
    "nagle": 0,
    "cubic_friendly": 0,
}

# CommandSetOption: the option in the value's upper eight bits, what it is set to below.
OPTIONS = {
    "no_delay": 1, "keepalive": 2, "user_timeout": 3, "quick_ack": 4, "dscp": 5, "notices": 6,
}  # fmt: skip
USER_TIMEOUT_SHIFT = 17  # its unit, 2^17 us


def exists(name: str) -> bool:
    return FIELDS[name][0] in REGISTERS


def words(settings: dict[str, int]) -> dict[int, int]:
    """Addresses and the words to write: `settings` over the reset values, PLAIN before them."""
    wanted = {name: value for name, value in PLAIN.items() if exists(name)} | settings
    registers: dict[str, int] = {}
    for name, value in wanted.items():
        register, field = FIELDS[name]
        if register not in REGISTERS:
            raise LookupError(f"this engine has no register {register}")
        fields = REGISTERS[register][4]
        if register not in registers:
            registers[register] = sum(reset << low for low, _, reset in fields.values())
        low, bits, _ = fields[field]
        if not 0 <= value < 1 << bits:
            raise ValueError(f"{name} = {value} does not fit {bits} bits")
        registers[register] &= ~(((1 << bits) - 1) << low)
        registers[register] |= value << low
    return {REGISTERS[register][0]: word for register, word in registers.items()}
