// SPDX-License-Identifier: Apache-2.0

#include "models/link_model.h"

#include <bitset>
#include <vector>

#include "check.h"

using namespace toehold;

namespace {

constexpr std::size_t kFrameBytes = 100;
constexpr unsigned kFrames = 10000;

// An IPv4 frame that carries its number.
Frame numbered(unsigned number, bool ipv4 = true) {
  Frame frame;
  frame.bytes.assign(kFrameBytes, 0);
  frame.bytes[12] = 0x08;
  frame.bytes[13] = ipv4 ? 0x00 : 0x06;
  for (unsigned i = 0; i < 4; i++) frame.bytes[i] = static_cast<std::uint8_t>(number >> (8 * i));
  return frame;
}

unsigned number_of(const Frame& frame) {
  unsigned number = 0;
  for (unsigned i = 0; i < 4; i++) number |= unsigned{frame.bytes[i]} << (8 * i);
  return number;
}

struct Arrival {
  Frame frame;
  std::uint64_t time_ns;
};

// Sends frames at a fixed interval and waits for all that will arrive.
std::vector<Arrival> send(LinkModel& link, unsigned frames, std::uint64_t interval_ns,
                          bool ipv4 = true) {
  std::vector<Arrival> arrivals;
  const auto collect = [&](std::uint64_t until_ns) {
    while (link.next_arrival_ns() <= until_ns) {
      const std::uint64_t now_ns = link.next_arrival_ns();
      auto frame = link.take(now_ns);
      if (!frame) {
        CHECK(frame.has_value());
        return;
      }
      arrivals.push_back({std::move(*frame), now_ns});
    }
  };
  for (unsigned i = 0; i < frames; i++) {
    collect(i * interval_ns);
    link.put(numbered(i, ipv4), i * interval_ns);
  }
  collect(LinkModel::kNever - 1);
  return arrivals;
}

unsigned flipped_bits(const Frame& frame, const Frame& original) {
  unsigned count = 0;
  for (std::size_t i = 0; i < frame.bytes.size(); i++) {
    count += std::bitset<8>(frame.bytes[i] ^ original.bytes[i]).count();
  }
  return count;
}

}  // namespace

TEST(a_perfect_link_keeps_order_and_takes_no_time) {
  LinkModel link({}, 1);
  const auto arrivals = send(link, 1000, 10);
  CHECK_EQUAL(arrivals.size(), 1000u);
  for (unsigned i = 0; i < arrivals.size(); i++) {
    CHECK_EQUAL(number_of(arrivals[i].frame), i);
    CHECK_EQUAL(arrivals[i].time_ns, i * 10u);
    CHECK(arrivals[i].frame.bytes == numbered(i).bytes);
  }
}

TEST(nothing_arrives_before_its_delay) {
  LinkSettings settings;
  settings.delay_ns = 5000;
  LinkModel link(settings, 1);
  link.put(numbered(0), 100);
  CHECK_EQUAL(link.next_arrival_ns(), 5100u);
  CHECK(!link.take(5099));
  CHECK(link.take(5100).has_value());
  CHECK_EQUAL(link.next_arrival_ns(), LinkModel::kNever);
}

TEST(loss_has_the_asked_share) {
  LinkSettings settings;
  settings.loss = 0.1;
  LinkModel link(settings, 7);
  const auto arrivals = send(link, kFrames, 10);
  CHECK_EQUAL(link.counters().lost + arrivals.size(), kFrames);
  CHECK(link.counters().lost > kFrames * 9 / 100 && link.counters().lost < kFrames * 11 / 100);
}

TEST(certain_loss_loses_everything) {
  LinkSettings settings;
  settings.loss = 1;
  LinkModel link(settings, 7);
  CHECK(send(link, 1000, 10).empty());
}

TEST(the_seed_decides) {
  LinkSettings settings;
  settings.loss = settings.reorder = settings.duplicate = settings.corrupt = 0.05;
  const auto numbers = [&](std::uint64_t seed) {
    LinkModel link(settings, seed);
    std::vector<unsigned> result;
    for (const Arrival& arrival : send(link, 2000, 1000)) {
      result.push_back(number_of(arrival.frame));
    }
    return result;
  };
  CHECK(numbers(3) == numbers(3));
  CHECK(numbers(3) != numbers(4));
}

TEST(duplicates_arrive_twice) {
  LinkSettings settings;
  settings.duplicate = 0.1;
  LinkModel link(settings, 7);
  const auto arrivals = send(link, kFrames, 10);
  CHECK_EQUAL(arrivals.size(), kFrames + link.counters().duplicated);
  CHECK(link.counters().duplicated > kFrames * 9 / 100);
  CHECK(link.counters().duplicated < kFrames * 11 / 100);
}

TEST(a_reordered_frame_is_overtaken_by_one_to_three) {
  LinkSettings settings;
  settings.reorder = 0.02;
  LinkModel link(settings, 7);
  const auto arrivals = send(link, kFrames, 10);
  CHECK_EQUAL(arrivals.size(), kFrames);

  unsigned late = 0;
  for (unsigned i = 0; i < arrivals.size(); i++) {
    const unsigned number = number_of(arrivals[i].frame);
    unsigned overtakers = 0;
    for (unsigned j = i; j-- > 0 && j + 20 > i;) {
      overtakers += number_of(arrivals[j].frame) > number;
    }
    late += overtakers > 0;
    CHECK(overtakers <= 3);
  }
  // Two that are held at once may come out in order.
  CHECK(late > link.counters().reordered * 9 / 10 && late <= link.counters().reordered);
}

TEST(a_reordered_frame_without_followers_comes_late) {
  LinkSettings settings;
  settings.reorder = 1;
  settings.reorder_hold_ns = 700;
  LinkModel link(settings, 7);
  link.put(numbered(0), 50);
  CHECK_EQUAL(link.next_arrival_ns(), 750u);
}

TEST(corruption_flips_one_bit_behind_the_header) {
  LinkSettings settings;
  settings.corrupt = 1;
  LinkModel link(settings, 7);
  const auto arrivals = send(link, 1000, 10);
  CHECK_EQUAL(arrivals.size(), 1000u);
  for (const Arrival& arrival : arrivals) {
    const Frame original = numbered(number_of(arrival.frame));
    CHECK_EQUAL(flipped_bits(arrival.frame, original), 1u);
    for (std::size_t i = 0; i < kEthernetHeaderBytes; i++) {
      CHECK_EQUAL(arrival.frame.bytes[i], original.bytes[i]);
    }
    CHECK(!arrival.frame.bad_fcs);
  }
}

TEST(corruption_can_be_left_to_the_mac) {
  LinkSettings settings;
  settings.corrupt = 1;
  settings.corrupt_marks_fcs = true;
  LinkModel link(settings, 7);
  for (const Arrival& arrival : send(link, 100, 10)) CHECK(arrival.frame.bad_fcs);
}

TEST(frames_without_a_checksum_are_always_marked) {
  LinkSettings settings;
  settings.corrupt = 1;
  LinkModel link(settings, 7);
  for (const Arrival& arrival : send(link, 100, 10, false)) CHECK(arrival.frame.bad_fcs);
}

TEST(the_rate_spaces_frames) {
  LinkSettings settings;
  settings.rate_bps = 1'000'000'000;
  LinkModel link(settings, 1);
  for (unsigned i = 0; i < 10; i++) link.put(numbered(i), 0);
  // 124 bytes with preamble, FCS and gap: 992 bits, 992 ns each at 1 Gbit/s.
  for (unsigned i = 1; i <= 10; i++) {
    CHECK_EQUAL(link.next_arrival_ns(), i * 992u);
    CHECK(link.take(i * 992).has_value());
  }
}

TEST(a_full_queue_drops) {
  LinkSettings settings;
  settings.rate_bps = 1'000'000;
  settings.queue_frames = 5;
  LinkModel link(settings, 1);
  for (unsigned i = 0; i < 8; i++) link.put(numbered(i), 0);
  CHECK_EQUAL(link.counters().queue_dropped, 3u);
  // One frame takes 992 us; after that there is room for one more.
  link.put(numbered(8), 992'000);
  CHECK_EQUAL(link.counters().queue_dropped, 3u);
}

int main() { return run_tests(); }
