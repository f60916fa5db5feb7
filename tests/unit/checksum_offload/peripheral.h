// SPDX-License-Identifier: Apache-2.0

// The Verilated checksum_offload with a processor's and a memory's side, for programs that check it.
//
// Memory is a window of kMemoryBytes at kMemoryBase; it answers late and stalls as Timing says, fails
// where told, and judges every burst: the rules of AXI4 and those of the contract. What is wrong ends
// the program with exit code 1.

#pragma once

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

#include "Vchecksum_offload.h"
#include "verilated.h"

#ifndef DATA_WIDTH
#error "DATA_WIDTH is the width that the model was built with."
#endif

constexpr uint32_t kBeatBytes = DATA_WIDTH / 8;
constexpr uint32_t kBurstBytes = 4 * DATA_WIDTH;
constexpr uint32_t kMemoryBase = 0x8000'0000;
constexpr uint32_t kMemoryBytes = 256 * 1024;
constexpr int kStuck = 2'000'000;

// Offsets of registers/checksum_offload.rdl.
enum Register : uint32_t {
  kAddress = 0x00, kByteCount = 0x04, kControl = 0x08, kStatus = 0x0c, kResult = 0x10, kSeed = 0x14,
  kInterruptEnable = 0x18, kInterruptPending = 0x1c, kRingControl = 0x20, kRingBase = 0x24,
  kRingProduced = 0x28, kRingCompleted = 0x2c
};
constexpr uint32_t kReady = 1u << 31, kBusError = 1u << 30, kLengthError = 1u << 29;

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9e37'79b9'7f4a'7c15u + 1) {}
  uint32_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<uint32_t>(state_ >> 16);
  }
  uint32_t below(uint32_t n) { return next() % n; }
  bool chance(int percent) { return static_cast<int>(below(100)) < percent; }

 private:
  uint64_t state_;
};

[[noreturn]] inline void fail(const char* format, ...) __attribute__((format(printf, 1, 2)));
inline void fail(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::vprintf(format, arguments);
  va_end(arguments);
  std::printf("\n");
  std::exit(1);
}

// Checksum of the bytes by RFC 1071, one byte after the other.
inline uint16_t reference_checksum(const uint8_t* data, uint32_t length, uint16_t seed) {
  uint64_t sum = seed;
  for (uint32_t i = 0; i + 1 < length; i += 2) sum += data[i] << 8 | data[i + 1];
  if (length % 2) sum += data[length - 1] << 8;
  while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<uint16_t>(~sum);
}

struct Timing {
  int latency = 1;        // clocks from address to first beat, at least
  int more_latency = 0;   // at most so many more, at random
  int stall_percent = 0;  // of clocks in which a channel of memory stands still
};

class Peripheral {
 public:
  Peripheral(uint64_t seed, Timing timing)
      : timing(timing), memory(kMemoryBytes), failing(kMemoryBytes / kBeatBytes), random(seed) {
    top_.rst = 1;
    top_.clk = 0;
    for (int i = 0; i < 4; i++) tick();
    top_.rst = 0;
    tick();
  }

  // ---- The processor's side ------------------------------------------------------------------

  void write(uint32_t address, uint32_t value) {
    top_.s_axil_awaddr = address;
    top_.s_axil_wdata = value;
    top_.s_axil_wstrb = 0xf;
    top_.s_axil_awvalid = top_.s_axil_wvalid = 1;
    for (int i = 0;; i++) {
      top_.eval();
      const bool taken = top_.s_axil_awready && top_.s_axil_wready;
      tick();
      if (taken) break;
      if (i == kStuck) fail("a register cannot be written");
    }
    top_.s_axil_awvalid = top_.s_axil_wvalid = 0;
    top_.s_axil_bready = 1;
    while (!top_.s_axil_bvalid) tick();
    if (top_.s_axil_bresp) fail("a write of a register failed");
    tick();
    top_.s_axil_bready = 0;
  }

  uint32_t read(uint32_t address) {
    top_.s_axil_araddr = address;
    top_.s_axil_arvalid = 1;
    for (int i = 0;; i++) {
      top_.eval();
      const bool taken = top_.s_axil_arready;
      tick();
      if (taken) break;
      if (i == kStuck) fail("a register cannot be read");
    }
    top_.s_axil_arvalid = 0;
    top_.s_axil_rready = 1;
    while (!top_.s_axil_rvalid) tick();
    const uint32_t value = top_.s_axil_rdata;
    if (top_.s_axil_rresp) fail("a read of a register failed");
    tick();
    top_.s_axil_rready = 0;
    return value;
  }

  bool interrupt() const { return top_.irq_o; }
  bool busy() const { return top_.busy_o; }
  uint64_t clocks() const { return clocks_; }

  // ---- Memory's side --------------------------------------------------------------------------

  // Bytes that may be read; every beat of a burst must hold one of them.
  void allow(uint32_t address, uint32_t length) {
    allowed_first_ = address / kBeatBytes;
    allowed_last_ = (address + length - 1) / kBeatBytes;
    beats_read = 0;
  }
  void allow_all() { allow(kMemoryBase, kMemoryBytes); }

  uint8_t* at(uint32_t address) { return &memory[address - kMemoryBase]; }
  uint32_t word(uint32_t address) {
    uint32_t value;
    std::memcpy(&value, at(address), 4);
    return value;
  }
  void set_word(uint32_t address, uint32_t value) { std::memcpy(at(address), &value, 4); }
  void set_failing(uint32_t address, bool fails) {
    failing[(address - kMemoryBase) / kBeatBytes] = fails;
  }

  void tick() {
    drive_memory();
    top_.eval();
    const bool ar = top_.m_axi_arvalid && top_.m_axi_arready;
    const bool aw = top_.m_axi_awvalid && top_.m_axi_awready;
    const bool w = top_.m_axi_wvalid && top_.m_axi_wready;
    const bool b = top_.m_axi_bvalid && top_.m_axi_bready;
    if (!top_.rst) {
      if (top_.m_axi_rvalid && !top_.m_axi_rready) fail("rready is low");
      judge_stalls();
      if (ar) take_ar();
      if (aw) take_aw();
      if (w) take_w();
      if (top_.m_axi_rvalid) taken_r();
      if (b) b_pending_ = false;
    }
    top_.clk = 1;
    top_.eval();
    top_.clk = 0;
    top_.eval();
    clocks_++;
  }

  Timing timing;
  std::vector<uint8_t> memory;
  std::vector<bool> failing;  // by beat
  uint64_t beats_read = 0, bursts_read = 0, writes = 0;
  Random random;

 private:
  struct Burst {
    uint32_t address;
    uint32_t beats;
    uint64_t ready_at;
  };

  bool stalls() { return timing.stall_percent && random.chance(timing.stall_percent); }

  void drive_memory() {
    top_.m_axi_arready = !stalls();
    top_.m_axi_awready = !stalls();
    top_.m_axi_wready = !stalls();
    top_.m_axi_rvalid = !reads_.empty() && reads_.front().ready_at <= clocks_ && !stalls();
    uint8_t beat[kBeatBytes];
    if (top_.m_axi_rvalid) {
      const uint32_t offset = reads_.front().address - kMemoryBase;
      std::memcpy(beat, &memory[offset], kBeatBytes);
      top_.m_axi_rresp = failing[offset / kBeatBytes] ? 2 + random.below(2) : 0;
      top_.m_axi_rlast = reads_.front().beats == 1;
    } else {
      std::memset(beat, 0xa5, kBeatBytes);
      top_.m_axi_rresp = random.below(4);
      top_.m_axi_rlast = random.below(2);
    }
    std::memcpy(&top_.m_axi_rdata, beat, kBeatBytes);

    if (!b_pending_ && aw_taken_ && w_taken_ && !stalls()) {
      aw_taken_ = w_taken_ = false;
      b_pending_ = true;
      const uint32_t offset = write_address_ - kMemoryBase;
      b_fails_ = failing[offset / kBeatBytes];
      uint8_t* destination = &memory[offset / kBeatBytes * kBeatBytes];
      for (uint32_t i = 0; i < kBeatBytes && !b_fails_; i++) {
        if (write_strobe_ >> i & 1) destination[i] = write_data_[i];
      }
      writes++;
    }
    top_.m_axi_bvalid = b_pending_;
    top_.m_axi_bresp = b_fails_ ? 2 : 0;
  }

  void take_ar() {
    const uint32_t address = top_.m_axi_araddr, beats = top_.m_axi_arlen + 1u;
    const uint32_t last = address + (beats - 1) * kBeatBytes;
    if (address % kBeatBytes) fail("a burst begins at %08x", address);
    if ((1u << top_.m_axi_arsize) != kBeatBytes) fail("arsize is %d", top_.m_axi_arsize);
    if (top_.m_axi_arburst != 1) fail("arburst is %d", top_.m_axi_arburst);
    if (address / kBurstBytes != last / kBurstBytes) {
      fail("a burst of %u beats at %08x crosses a multiple of %u", beats, address, kBurstBytes);
    }
    if (address / kBeatBytes < allowed_first_ || last / kBeatBytes > allowed_last_) {
      fail("a burst of %u beats at %08x leaves the range", beats, address);
    }
    reads_.push_back({address, beats, clocks_ + timing.latency +
                      (timing.more_latency ? random.below(timing.more_latency + 1) : 0)});
    bursts_read++;
  }

  void taken_r() {
    beats_read++;
    reads_.front().address += kBeatBytes;
    if (--reads_.front().beats == 0) reads_.pop_front();
  }

  void take_aw() {
    if (aw_taken_ || b_pending_) fail("a second write before the first was answered");
    if (top_.m_axi_awlen) fail("awlen is %d", top_.m_axi_awlen);
    if ((1u << top_.m_axi_awsize) != kBeatBytes) fail("awsize is %d", top_.m_axi_awsize);
    write_address_ = top_.m_axi_awaddr;
    if (write_address_ < kMemoryBase || write_address_ - kMemoryBase >= kMemoryBytes) {
      fail("a write at %08x", write_address_);
    }
    aw_taken_ = true;
  }

  void take_w() {
    if (w_taken_ || b_pending_) fail("a second beat before the first was answered");
    if (!top_.m_axi_wlast) fail("wlast is low");
    write_strobe_ = top_.m_axi_wstrb;
    std::memcpy(write_data_, &top_.m_axi_wdata, kBeatBytes);
    w_taken_ = true;
  }

  // What is valid and not taken stays, and stays the same.
  void judge_stalls() {
    if (ar_stalled_ && (!top_.m_axi_arvalid || top_.m_axi_araddr != ar_address_ ||
                        top_.m_axi_arlen != ar_length_)) {
      fail("AR changed while it waited");
    }
    ar_stalled_ = top_.m_axi_arvalid && !top_.m_axi_arready;
    ar_address_ = top_.m_axi_araddr;
    ar_length_ = top_.m_axi_arlen;
    if (aw_stalled_ && (!top_.m_axi_awvalid || top_.m_axi_awaddr != aw_address_)) {
      fail("AW changed while it waited");
    }
    aw_stalled_ = top_.m_axi_awvalid && !top_.m_axi_awready;
    aw_address_ = top_.m_axi_awaddr;
    if (w_stalled_ && !top_.m_axi_wvalid) fail("W fell while it waited");
    w_stalled_ = top_.m_axi_wvalid && !top_.m_axi_wready;
  }

  Vchecksum_offload top_;
  uint64_t clocks_ = 0;
  std::deque<Burst> reads_;
  uint32_t allowed_first_ = 0, allowed_last_ = ~0u;
  bool aw_taken_ = false, w_taken_ = false, b_pending_ = false, b_fails_ = false;
  uint32_t write_address_ = 0;
  uint64_t write_strobe_ = 0;
  uint8_t write_data_[kBeatBytes] = {};
  bool ar_stalled_ = false, aw_stalled_ = false, w_stalled_ = false;
  uint32_t ar_address_ = 0, ar_length_ = 0, aw_address_ = 0;
};
