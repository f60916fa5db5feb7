// SPDX-License-Identifier: Apache-2.0

// Included behind all other headers of Verilator's C++ (Makefile). Of the conditions of an engine few hold
// in any one clock, idle or busy, and the compiler would take every other one to hold. Told that
// none does, it puts what is behind them out of the way of what is run through in each clock.

#pragma once

#define if(...) if (__builtin_expect(!!(__VA_ARGS__), 0))
