// SPDX-License-Identifier: Apache-2.0

#include "models/dram_model.h"

#include <deque>
#include <map>
#include <vector>

#include "check.h"

using namespace toehold;

namespace {

constexpr std::uint64_t kClockPs = 6400;
constexpr unsigned kPatience = 100000;

AxiAddress burst(std::uint32_t id, std::uint64_t address, unsigned beats, unsigned size = 3,
                 AxiBurst kind = AxiBurst::kIncrementing) {
  AxiAddress result;
  result.id = id;
  result.address = address;
  result.length = static_cast<std::uint8_t>(beats - 1);
  result.size = static_cast<std::uint8_t>(size);
  result.burst = kind;
  return result;
}

AxiData filled(std::uint8_t value) {
  AxiData data;
  data.fill(value);
  return data;
}

struct ReadBeat {
  std::uint32_t id;
  AxiData data;
  AxiResponse response;
  bool last;
};

// A master that sends what is queued and collects the answers, with pauses when asked.
class Master {
 public:
  explicit Master(const DramSettings& settings, unsigned pause_percent = 0)
      : dram(settings), pause_percent_(pause_percent) {}

  void write(const AxiAddress& address, std::vector<AxiData> data, std::uint64_t strobe = 0xff) {
    addresses_.push_back(address);
    for (std::size_t i = 0; i < data.size(); i++) {
      data_.push_back({data[i], strobe, i + 1 == data.size()});
    }
    expected_++;
  }

  void read(const AxiAddress& address) {
    reads_.push_back(address);
    expected_ += address.length + 1u;
  }

  // Until every answer has come.
  void finish() {
    for (unsigned i = 0; i < kPatience && answers() < expected_; i++) clock();
    CHECK_EQUAL(answers(), expected_);
  }

  std::vector<std::uint8_t> bytes_read(unsigned lanes) const {
    std::vector<std::uint8_t> bytes;
    for (const ReadBeat& beat : read_beats) {
      bytes.insert(bytes.end(), beat.data.begin(), beat.data.begin() + lanes);
    }
    return bytes;
  }

  DramModel dram;
  std::vector<ReadBeat> read_beats;
  std::vector<std::pair<std::uint32_t, AxiResponse>> write_answers;
  std::uint64_t now_ps = 0;

 private:
  struct DataBeat {
    AxiData data;
    std::uint64_t strobe;
    bool last;
  };

  std::size_t answers() const { return read_beats.size() + write_answers.size(); }

  bool pause() { return random_.below(100) < pause_percent_; }

  void clock() {
    // A valid that was not answered stays, with its payload.
    pins_.aw_valid = pins_.aw_valid || (!addresses_.empty() && !pause());
    if (pins_.aw_valid) pins_.aw = addresses_.front();
    pins_.w_valid = pins_.w_valid || (!data_.empty() && !pause());
    if (pins_.w_valid) {
      pins_.w_data = data_.front().data;
      pins_.w_strobe = data_.front().strobe;
      pins_.w_last = data_.front().last;
    }
    pins_.ar_valid = pins_.ar_valid || (!reads_.empty() && !pause());
    if (pins_.ar_valid) pins_.ar = reads_.front();
    pins_.b_ready = !pause();
    pins_.r_ready = !pause();

    const AxiSlavePins slave = dram.pins();
    check_stable(slave);
    if (pins_.b_ready && slave.b_valid) write_answers.push_back({slave.b_id, slave.b_response});
    if (pins_.r_ready && slave.r_valid) {
      read_beats.push_back({slave.r_id, slave.r_data, slave.r_response, slave.r_last});
    }
    dram.clock(pins_, now_ps);
    now_ps += kClockPs;

    if (pins_.aw_valid && slave.aw_ready) {
      addresses_.pop_front();
      pins_.aw_valid = false;
    }
    if (pins_.w_valid && slave.w_ready) {
      data_.pop_front();
      pins_.w_valid = false;
    }
    if (pins_.ar_valid && slave.ar_ready) {
      reads_.pop_front();
      pins_.ar_valid = false;
    }
    previous_ = slave;
  }

  // AXI4: what is offered and not taken stays as it is.
  void check_stable(const AxiSlavePins& slave) {
    if (previous_.r_valid && !r_was_ready_) {
      CHECK(slave.r_valid && slave.r_data == previous_.r_data && slave.r_id == previous_.r_id &&
            slave.r_last == previous_.r_last);
    }
    if (previous_.b_valid && !b_was_ready_) {
      CHECK(slave.b_valid && slave.b_id == previous_.b_id);
    }
    r_was_ready_ = pins_.r_ready;
    b_was_ready_ = pins_.b_ready;
  }

  unsigned pause_percent_;
  Random random_{99};
  std::deque<AxiAddress> addresses_, reads_;
  std::deque<DataBeat> data_;
  std::size_t expected_ = 0;
  AxiMasterPins pins_;
  AxiSlavePins previous_;
  bool r_was_ready_ = true, b_was_ready_ = true;
};

}  // namespace

TEST(what_is_written_is_read_back) {
  for (const unsigned pauses : {0u, 40u}) {
    Master master({}, pauses);
    std::vector<AxiData> data;
    for (unsigned i = 0; i < 16; i++) data.push_back(filled(static_cast<std::uint8_t>(i + 1)));
    master.write(burst(3, 0x1000, 16), data);
    master.finish();
    CHECK_EQUAL(master.write_answers[0].first, 3u);
    master.read(burst(5, 0x1000, 16));
    master.finish();
    for (unsigned i = 0; i < 16; i++) {
      CHECK_EQUAL(master.read_beats[i].data[7], i + 1);
      CHECK_EQUAL(master.read_beats[i].id, 5u);
      CHECK_EQUAL(master.read_beats[i].last, i == 15);
    }
    CHECK_EQUAL(master.dram.protocol_error(), "");
  }
}

TEST(strobes_choose_bytes) {
  Master master({});
  master.write(burst(0, 0, 1), {filled(0xaa)});
  master.finish();
  master.write(burst(0, 0, 1), {filled(0x55)}, 0x0f);
  master.finish();
  CHECK_EQUAL(master.dram.memory().read(3), 0x55);
  CHECK_EQUAL(master.dram.memory().read(4), 0xaa);
}

TEST(narrow_beats_use_their_lanes) {
  Master master({});
  // Two beats of two bytes from address 6: lanes 6 and 7, then 0 and 1.
  master.write(burst(0, 6, 2, 1), {filled(0x11), filled(0x22)}, 0xff);
  master.finish();
  CHECK_EQUAL(master.dram.memory().read(6), 0x11);
  CHECK_EQUAL(master.dram.memory().read(7), 0x11);
  CHECK_EQUAL(master.dram.memory().read(8), 0x22);
  CHECK_EQUAL(master.dram.memory().read(9), 0x22);
  CHECK(master.dram.memory().read(10) != 0x22 || master.dram.memory().read(11) != 0x22);
}

TEST(wrapping_bursts_wrap) {
  Master master({});
  for (unsigned i = 0; i < 4; i++) {
    master.dram.memory().write(0x100 + 8 * i, static_cast<std::uint8_t>(i));
  }
  master.read(burst(0, 0x110, 4, 3, AxiBurst::kWrapping));
  master.finish();
  const unsigned order[] = {2, 3, 0, 1};
  for (unsigned i = 0; i < 4; i++) CHECK_EQUAL(master.read_beats[i].data[0], order[i]);
}

TEST(wide_buses_work) {
  DramSettings settings;
  settings.axi_bytes = 64;
  Master master(settings);
  AxiData data;
  for (unsigned i = 0; i < 64; i++) data[i] = static_cast<std::uint8_t>(i);
  master.write(burst(0, 0x2000, 1, 6), {data}, ~std::uint64_t{0});
  master.finish();
  master.read(burst(0, 0x2000, 1, 6));
  master.finish();
  CHECK(master.read_beats[0].data == data);
}

TEST(unwritten_memory_is_noise_that_stays) {
  Master master({});
  master.read(burst(0, 0x8000, 8));
  master.read(burst(0, 0x8000, 8));
  master.finish();
  const auto bytes = master.bytes_read(8);
  CHECK(std::vector<std::uint8_t>(bytes.begin(), bytes.begin() + 64) ==
        std::vector<std::uint8_t>(bytes.begin() + 64, bytes.end()));
  CHECK(bytes[0] != bytes[1] || bytes[1] != bytes[2]);
}

namespace {

// Eight reads after one that opened row 0 of bank 0: the even ones need another row of that bank,
// the odd ones are in the row that is open.
std::uint64_t mixed_address(const DramTiming& timing, std::uint32_t number) {
  const std::uint64_t other_row = std::uint64_t{timing.row_bytes} * timing.banks();
  return (number % 2 ? 0 : other_row) + 64 * (number + 1);
}

void read_mixed(Master& master, bool same_id) {
  master.read(burst(0, 0, 1));
  master.finish();
  for (std::uint32_t i = 0; i < 8; i++) {
    const std::uint64_t address = mixed_address(master.dram.timing(), i);
    master.dram.memory().write(address, static_cast<std::uint8_t>(i));
    master.read(burst(same_id ? 1 : i, address, 1));
  }
  master.finish();
  master.read_beats.erase(master.read_beats.begin());
}

bool numbers_ascend(const Master& master) {
  for (std::size_t i = 0; i < master.read_beats.size(); i++) {
    if (master.read_beats[i].data[0] != i) return false;
  }
  return master.read_beats.size() == 8;
}

}  // namespace

TEST(answers_with_other_ids_may_overtake) {
  Master master({});
  read_mixed(master, false);
  CHECK(!numbers_ascend(master));
  for (const ReadBeat& beat : master.read_beats) CHECK_EQUAL(unsigned{beat.data[0]}, beat.id);
}

TEST(answers_with_other_ids_keep_their_order_when_asked) {
  DramSettings settings;
  settings.out_of_order = false;
  Master master(settings);
  read_mixed(master, false);
  CHECK(numbers_ascend(master));
}

TEST(answers_with_one_id_keep_their_order) {
  Master master({});
  read_mixed(master, true);
  CHECK(numbers_ascend(master));
}

namespace {

void agrees_with_a_plain_array(unsigned channels) {
  DramSettings settings;
  settings.timing = ddr4_2400();
  settings.channels = channels;
  Master master(settings, 30);
  std::map<std::uint64_t, std::uint8_t> reference;
  Random random(5);
  for (unsigned round = 0; round < 200; round++) {
    const std::uint64_t address = random.below(1 << 20) * 8;
    const auto beats = static_cast<unsigned>(1 + random.below(16));
    if (address / 4096 != (address + beats * 8 - 1) / 4096) continue;
    std::vector<AxiData> data;
    for (unsigned i = 0; i < beats; i++) {
      data.push_back(filled(static_cast<std::uint8_t>(random.next())));
      for (unsigned lane = 0; lane < 8; lane++) reference[address + 8 * i + lane] = data[i][lane];
    }
    master.write(burst(round % 4, address, beats), data);
    if (round % 5 == 0) master.finish();
  }
  master.finish();
  for (const auto& [address, value] : reference) {
    CHECK_EQUAL(unsigned{master.dram.memory().read(address)}, unsigned{value});
  }
  CHECK(reference.size() > 5000);
  CHECK_EQUAL(master.dram.protocol_error(), "");
}

constexpr unsigned kReads = 400;

// How long it takes to read 256 bytes at each `step`, by a channel that is slower than the port.
std::uint64_t reading_ps(unsigned channels, std::uint64_t step) {
  DramSettings settings;
  settings.timing = ddr3_1600(2);
  settings.channels = channels;
  settings.axi_bytes = 64;
  Master master(settings);
  for (unsigned i = 0; i < kReads; i++) master.read(burst(i % 16, i * step, 4, 6));
  master.finish();
  CHECK_EQUAL(master.dram.counters().bytes_read, kReads * 256u);
  CHECK_EQUAL(master.dram.protocol_error(), "");
  return master.now_ps;
}

}  // namespace

TEST(random_traffic_agrees_with_a_plain_array) {
  for (const unsigned channels : {1u, 3u, 8u}) agrees_with_a_plain_array(channels);
}

TEST(channels_share_what_lies_side_by_side) {
  const DramTiming timing = ddr3_1600(2);
  const std::uint64_t alone_ps = kReads * 256 / timing.burst_bytes() * timing.burst_ps();
  const std::uint64_t port_ps = kReads * 4 * kClockPs;
  CHECK(reading_ps(1, 256) >= alone_ps);
  CHECK(reading_ps(4, 256) <= port_ps * 11 / 10);
  // All in the stripes of one channel.
  CHECK(reading_ps(4, 1024) >= alone_ps);
}

TEST(forbidden_bursts_are_refused) {
  Master across({});
  across.read(burst(0, 0xff8, 2));
  across.finish();
  CHECK(across.read_beats[0].response == AxiResponse::kSlaveError);
  CHECK(across.dram.protocol_error().find("4 KiB") != std::string::npos);

  DramSettings settings;
  settings.size_bytes = 0x10000;
  Master beyond(settings);
  beyond.read(burst(0, 0x10000, 1));
  beyond.write(burst(0, 0x10000, 1), {filled(1)});
  beyond.finish();
  CHECK(beyond.read_beats[0].response == AxiResponse::kDecodeError);
  CHECK(beyond.write_answers[0].second == AxiResponse::kDecodeError);

  Master late({});
  late.write(burst(0, 0, 1), {filled(1), filled(2)});
  late.write(burst(0, 64, 1), {});
  late.finish();
  CHECK(late.dram.protocol_error().find("WLAST") != std::string::npos);
}

TEST(latency_is_the_channels) {
  DramSettings settings;
  Master master(settings);
  master.read(burst(0, 0, 1));
  master.finish();
  const DramTiming& timing = settings.timing;
  const std::uint64_t latency =
      timing.t_rcd + timing.t_cl + timing.burst_ps() + timing.controller_ps;
  CHECK(master.now_ps >= latency);
  CHECK(master.now_ps <= latency + 4 * kClockPs);
  CHECK_EQUAL(master.dram.counters().bytes_read, 64u);
}

int main() { return run_tests(); }
