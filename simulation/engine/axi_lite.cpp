// SPDX-License-Identifier: Apache-2.0

#include "engine/axi_lite.h"

namespace toehold {

void AxiLiteMaster::start_read(std::uint32_t address) {
  address_ = address;
  state_ = State::kReadAddress;
}

void AxiLiteMaster::start_write(std::uint32_t address, std::uint32_t value) {
  address_ = address;
  write_data_ = value;
  address_sent_ = data_sent_ = false;
  state_ = State::kWrite;
}

void AxiLiteMaster::abandon() { state_ = State::kIdle; }

void AxiLiteMaster::drive(AxiLitePins& pins) const {
  pins.address = address_;
  pins.write_data = write_data_;
  pins.aw_valid = state_ == State::kWrite && !address_sent_;
  pins.w_valid = state_ == State::kWrite && !data_sent_;
  pins.b_ready = state_ == State::kWriteResponse;
  pins.ar_valid = state_ == State::kReadAddress;
  pins.r_ready = state_ == State::kReadData;
}

void AxiLiteMaster::clock(const AxiLitePins& pins) {
  switch (state_) {
    case State::kIdle:
      break;
    case State::kReadAddress:
      if (pins.ar_ready) state_ = State::kReadData;
      break;
    case State::kReadData:
      if (pins.r_valid) {
        read_data_ = pins.read_data;
        failed_ = pins.response != 0;
        state_ = State::kIdle;
      }
      break;
    case State::kWrite:
      address_sent_ = address_sent_ || pins.aw_ready;
      data_sent_ = data_sent_ || pins.w_ready;
      if (address_sent_ && data_sent_) state_ = State::kWriteResponse;
      break;
    case State::kWriteResponse:
      if (pins.b_valid) {
        failed_ = pins.response != 0;
        state_ = State::kIdle;
      }
      break;
  }
}

}  // namespace toehold
