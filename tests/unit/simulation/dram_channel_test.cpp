// SPDX-License-Identifier: Apache-2.0

#include "models/dram_channel.h"

#include <algorithm>
#include <map>
#include <vector>

#include "check.h"

using namespace toehold;

namespace {

// Issues accesses at their times and returns completion times by tag.
struct Run {
  explicit Run(const DramTiming& timing) : channel(timing) {}

  void put(std::uint64_t tag, std::uint64_t address, bool write, std::uint64_t now_ps) {
    channel.put({address, write, tag}, now_ps);
  }

  // Looks every nanosecond, as an engine's clock would.
  std::map<std::uint64_t, std::uint64_t> until(std::uint64_t end_ps) {
    std::vector<DramChannel::Completion> completions;
    for (; now_ps <= end_ps; now_ps += 1000) channel.advance(now_ps, completions);
    std::map<std::uint64_t, std::uint64_t> times;
    for (const auto& done : completions) times[done.tag] = done.time_ps;
    return times;
  }

  DramChannel channel;
  std::uint64_t now_ps = 0;
};

std::uint64_t row_step(const DramTiming& timing) {
  return std::uint64_t{timing.row_bytes} * timing.banks();  // next row of the same bank
}

}  // namespace

TEST(a_closed_bank_costs_activate_column_and_burst) {
  for (const DramTiming& timing : {ddr3_1600(), ddr4_2400()}) {
    Run run(timing);
    run.put(1, 0, false, 0);
    CHECK_EQUAL(run.until(1'000'000)[1],
                timing.t_rcd + timing.t_cl + timing.burst_ps() + timing.controller_ps);
    CHECK_EQUAL(run.channel.counters().activates, 1u);
    CHECK_EQUAL(run.channel.counters().row_misses, 1u);
  }
}

TEST(ddr3_read_latency_is_what_the_data_sheet_says) {
  // DDR3-1600 11-11-11: 13.75 + 13.75 + 4 clocks of 1.25 ns, and 25 ns of controller.
  Run run(ddr3_1600());
  run.put(1, 0, false, 0);
  CHECK_EQUAL(run.until(1'000'000)[1], 13750u + 13750u + 5000u + 25000u);
}

TEST(an_open_row_costs_the_column_only) {
  const DramTiming timing = ddr3_1600();
  Run run(timing);
  run.put(1, 0, false, 0);
  run.until(500'000);
  run.put(2, 64, false, 600'000);
  CHECK_EQUAL(run.until(2'000'000)[2],
              600'000 + timing.t_cl + timing.burst_ps() + timing.controller_ps);
  CHECK_EQUAL(run.channel.counters().row_hits, 1u);
  CHECK_EQUAL(run.channel.counters().activates, 1u);
}

TEST(another_row_of_the_bank_costs_a_precharge_first) {
  const DramTiming timing = ddr3_1600();
  Run run(timing);
  run.put(1, 0, false, 0);
  run.until(500'000);
  run.put(2, row_step(timing), false, 600'000);
  CHECK_EQUAL(run.until(2'000'000)[2], 600'000 + timing.t_rp + timing.t_rcd + timing.t_cl +
                                           timing.burst_ps() + timing.controller_ps);
  CHECK_EQUAL(run.channel.counters().row_conflicts, 1u);
}

TEST(a_row_stays_open_for_t_ras) {
  const DramTiming timing = ddr3_1600();
  Run run(timing);
  run.put(1, 0, false, 0);
  run.put(2, row_step(timing), false, 0);
  // Activate at 0; precharge not before tRAS; then the whole of a miss.
  CHECK_EQUAL(run.until(2'000'000)[2], timing.t_ras + timing.t_rp + timing.t_rcd + timing.t_cl +
                                           timing.burst_ps() + timing.controller_ps);
}

TEST(write_recovery_delays_the_precharge) {
  const DramTiming timing = ddr3_1600();
  Run run(timing);
  run.put(1, 0, true, 0);
  run.put(2, row_step(timing), false, 0);
  const std::uint64_t data_end = timing.t_rcd + timing.t_cwl + timing.burst_ps();
  const std::uint64_t precharge = std::max(timing.t_ras, data_end + timing.t_wr);
  CHECK_EQUAL(run.until(2'000'000)[2], precharge + timing.t_rp + timing.t_rcd + timing.t_cl +
                                           timing.burst_ps() + timing.controller_ps);
}

TEST(a_fifth_activate_waits_for_t_faw) {
  const DramTiming timing = ddr3_1600();
  Run run(timing);
  for (unsigned bank = 0; bank < 5; bank++) {
    run.put(bank, std::uint64_t{bank} * timing.row_bytes, false, 0);
  }
  const auto times = run.until(2'000'000);
  // Activates at 0, 6.25, 12.5 and 18.75 ns (tRRD), and the fifth at 30 ns (tFAW).
  const std::uint64_t rest =
      timing.t_rcd + timing.t_cl + timing.burst_ps() + timing.controller_ps;
  for (unsigned bank = 0; bank < 4; bank++) {
    CHECK_EQUAL(times.at(bank), bank * timing.t_rrd_s + rest);
  }
  CHECK_EQUAL(times.at(4), timing.t_faw + rest);
}

TEST(bank_groups_of_ddr4_hide_t_ccd_l) {
  const DramTiming timing = ddr4_2400();
  const auto spacing = [&](std::uint64_t second_address) {
    Run run(timing);
    run.put(1, 0, false, 0);
    run.put(2, second_address, false, 0);
    run.until(200'000);
    run.put(3, 64, false, 300'000);
    run.put(4, second_address + 64, false, 300'000);
    auto times = run.until(2'000'000);
    return times[4] - times[3];
  };
  CHECK_EQUAL(spacing(128), timing.t_ccd_l);              // the same row, so the same group
  CHECK_EQUAL(spacing(timing.row_bytes), timing.t_ccd_s);  // the next group
}

TEST(reading_after_writing_waits_for_t_wtr) {
  const DramTiming timing = ddr3_1600();
  Run run(timing);
  run.put(1, 0, false, 0);
  run.until(200'000);
  run.put(2, 64, true, 300'000);
  run.put(3, 128, false, 300'000);
  auto times = run.until(2'000'000);
  const std::uint64_t write_end = 300'000 + timing.t_cwl + timing.burst_ps();
  CHECK_EQUAL(times[3], write_end + timing.t_wtr_l + timing.t_cl + timing.burst_ps() +
                            timing.controller_ps);
}

TEST(writing_after_reading_turns_the_bus) {
  const DramTiming timing = ddr3_1600();
  Run run(timing);
  run.put(1, 0, false, 0);
  run.until(200'000);
  run.put(2, 64, false, 300'000);
  run.put(3, 128, true, 300'000);
  auto times = run.until(2'000'000);
  const std::uint64_t read_end = 300'000 + timing.t_cl + timing.burst_ps();
  CHECK_EQUAL(times[3], read_end + timing.turnaround_clocks * timing.t_ck + timing.burst_ps() +
                            timing.controller_ps);
}

TEST(a_stream_within_rows_fills_the_bus) {
  const DramTiming timing = ddr3_1600();
  Run run(timing);
  std::vector<DramChannel::Completion> completions;
  const std::uint64_t bursts = 1000;
  std::uint64_t next = 0;
  for (std::uint64_t now = 0; completions.size() < bursts && now < 20'000'000; now += 1000) {
    while (next < bursts && !run.channel.full()) {
      run.channel.put({next * 64, false, next}, now);
      next++;
    }
    run.channel.advance(now, completions);
  }
  CHECK_EQUAL(completions.size(), bursts);
  const std::uint64_t span = completions.back().time_ps - timing.controller_ps;
  // 16 rows; one refresh may fall in between.
  CHECK(run.channel.counters().bus_busy_ps > span * 85 / 100);
  CHECK_EQUAL(run.channel.counters().bytes_read, bursts * 64);
  CHECK_EQUAL(run.channel.counters().bus_busy_ps, bursts * timing.burst_ps());
}

TEST(random_rows_are_slower_than_a_stream) {
  const DramTiming timing = ddr3_1600();
  Run run(timing);
  std::vector<DramChannel::Completion> completions;
  std::uint64_t next = 0, address = 12345;
  for (std::uint64_t now = 0; completions.size() < 1000 && now < 100'000'000; now += 1000) {
    while (next < 1000 && !run.channel.full()) {
      address = address * 6364136223846793005u + 1442695040888963407u;
      run.channel.put({(address >> 33) * 64, false, next++}, now);
    }
    run.channel.advance(now, completions);
  }
  CHECK_EQUAL(completions.size(), 1000u);
  CHECK(run.channel.counters().bus_busy_ps < completions.back().time_ps * 90 / 100);
  CHECK(run.channel.counters().activates > 900);
}

TEST(open_rows_go_first_but_nobody_starves) {
  const DramTiming timing = ddr3_1600();
  Run run(timing);
  run.put(0, 0, false, 0);
  run.until(100'000);
  run.put(1, row_step(timing), false, 200'000);  // a conflict
  for (unsigned i = 2; i < 40; i++) run.put(i, i * 64, false, 200'000);
  auto times = run.until(5'000'000);
  CHECK(times[2] < times[1]);
  CHECK(times[1] < times[39]);
}

TEST(accesses_to_one_address_keep_their_order) {
  const DramTiming timing = ddr3_1600();
  Run run(timing);
  run.put(0, 0, false, 0);
  run.until(100'000);
  run.put(1, row_step(timing), true, 200'000);
  run.put(2, row_step(timing), false, 200'000);
  auto times = run.until(5'000'000);
  CHECK(times[1] < times[2]);
}

TEST(refreshes_come_at_t_refi_and_close_all_banks) {
  const DramTiming timing = ddr3_1600();
  Run run(timing);
  run.put(1, 0, false, 0);
  run.until(timing.t_refi * 10 + timing.t_refi / 2);
  CHECK_EQUAL(run.channel.counters().refreshes, 10u);
  run.put(2, 64, false, run.now_ps);
  run.until(run.now_ps + 1'000'000);
  CHECK_EQUAL(run.channel.counters().activates, 2u);  // the row had been closed
}

TEST(an_access_during_refresh_waits_for_it) {
  const DramTiming timing = ddr3_1600();
  Run run(timing);
  run.until(timing.t_refi);
  const std::uint64_t arrival = timing.t_refi + 1000;
  run.put(1, 0, false, arrival);
  auto times = run.until(arrival + 2'000'000);
  CHECK_EQUAL(times[1], timing.t_refi + timing.t_rfc + timing.t_rcd + timing.t_cl +
                            timing.burst_ps() + timing.controller_ps);
}

TEST(time_may_jump) {
  const DramTiming timing = ddr3_1600();
  Run run(timing);
  std::vector<DramChannel::Completion> completions;
  const std::uint64_t later = timing.t_refi * 1'000'000 + 3'000'000;
  run.channel.advance(later, completions);
  run.channel.put({0, false, 1}, later);
  run.channel.advance(later + 1'000'000, completions);
  CHECK_EQUAL(completions.size(), 1u);
  CHECK(completions[0].time_ps < later + 1'000'000);
  CHECK_EQUAL(run.channel.counters().refreshes, 1'000'000u);
}

int main() { return run_tests(); }
