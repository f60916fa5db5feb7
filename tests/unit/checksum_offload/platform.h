/* SPDX-License-Identifier: Apache-2.0 */

/* The driver's way to the Verilated peripheral (driver.cpp). */

#pragma once

#include <stdint.h>

uint32_t peripheral_read(uintptr_t address);
void peripheral_write(uintptr_t address, uint32_t value);
uint32_t peripheral_bus_address(const volatile void *pointer);

#define CHECKSUM_OFFLOAD_READ32(address) peripheral_read(address)
#define CHECKSUM_OFFLOAD_WRITE32(address, value) peripheral_write(address, value)
#define CHECKSUM_OFFLOAD_BUS_ADDRESS(pointer) peripheral_bus_address(pointer)
