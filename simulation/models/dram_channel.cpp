// SPDX-License-Identifier: Apache-2.0

#include "models/dram_channel.h"

#include <algorithm>
#include <stdexcept>

namespace toehold {

namespace {

// How far the scheduler looks for an open row, and how often an access may be passed.
constexpr std::size_t kWindow = 16;
constexpr unsigned kPatience = 16;

}  // namespace

DramChannel::DramChannel(const DramTiming& timing)
    : timing_(timing),
      banks_(timing.banks()),
      next_refresh_ps_(timing.t_refi),
      write_end_ps_(timing.bank_groups, 0),
      group_activate_ps_(timing.bank_groups, 0) {}

// From the bottom: column within the row, bank group, bank, row. Neighbouring rows lie in
// different groups, so that a stream opens the next row while it still reads this one.
DramChannel::Location DramChannel::locate(std::uint64_t address) const {
  std::uint64_t rest = address / timing_.row_bytes;
  const auto group = static_cast<unsigned>(rest % timing_.bank_groups);
  rest /= timing_.bank_groups;
  const auto bank = static_cast<unsigned>(rest % timing_.banks_per_group);
  return {group * timing_.banks_per_group + bank, group, rest / timing_.banks_per_group};
}

void DramChannel::put(const Access& access, std::uint64_t now_ps) {
  if (full()) throw std::logic_error("the DRAM queue is full");
  queue_.push_back({access, locate(access.address), now_ps, 0});
}

void DramChannel::refresh_until(std::uint64_t now_ps) {
  // After a jump of time the refreshes missed have been over for long: only the last counts.
  if (now_ps >= next_refresh_ps_ + timing_.t_refi) {
    const std::uint64_t missed = (now_ps - next_refresh_ps_) / timing_.t_refi;
    counters_.refreshes += missed;
    next_refresh_ps_ += missed * timing_.t_refi;
  }
  if (now_ps < next_refresh_ps_) return;

  std::uint64_t start = next_refresh_ps_;
  for (const Bank& bank : banks_) {
    if (bank.open) start = std::max(start, bank.precharge_ready + timing_.t_rp);
    start = std::max(start, bank.activate_ready);
  }
  for (Bank& bank : banks_) {
    bank.open = false;
    bank.activate_ready = start + timing_.t_rfc;
  }
  counters_.refreshes++;
  next_refresh_ps_ += timing_.t_refi;
}

std::uint64_t DramChannel::activate_time(const Waiting& waiting, std::uint64_t from_ps) const {
  const Bank& bank = banks_[waiting.location.bank];
  std::uint64_t time = from_ps;
  if (bank.open) {
    time = std::max(time, bank.precharge_ready) + timing_.t_rp;
  }
  time = std::max(time, bank.activate_ready);
  if (activates_known_ > 0) {
    time = std::max(time, last_activates_ps_[3] + timing_.t_rrd_s);
    const std::uint64_t same_group = group_activate_ps_[waiting.location.group];
    if (same_group != 0) time = std::max(time, same_group + timing_.t_rrd_l);
  }
  if (activates_known_ >= 4) time = std::max(time, last_activates_ps_[0] + timing_.t_faw);
  return time;
}

std::uint64_t DramChannel::column_time(const Waiting& waiting, std::uint64_t from_ps) const {
  const Bank& bank = banks_[waiting.location.bank];
  const bool write = waiting.access.write;
  const bool hit = bank.open && bank.row == waiting.location.row;

  std::uint64_t time = hit ? std::max(from_ps, bank.column_ready)
                           : activate_time(waiting, from_ps) + timing_.t_rcd;
  if (!any_column_) return time;

  const bool same_group = waiting.location.group == last_group_;
  time = std::max(time, last_column_ps_ + (same_group ? timing_.t_ccd_l : timing_.t_ccd_s));
  if (!write) {
    for (unsigned group = 0; group < timing_.bank_groups; group++) {
      if (write_end_ps_[group] == 0) continue;
      const bool same = group == waiting.location.group;
      time = std::max(time, write_end_ps_[group] + (same ? timing_.t_wtr_l : timing_.t_wtr_s));
    }
  }

  // The data must find the bus free, with a gap when it turns from read to write.
  std::uint64_t bus_free = data_end_ps_;
  if (write && !last_was_write_) bus_free += timing_.turnaround_clocks * timing_.t_ck;
  const std::uint64_t latency = write ? timing_.t_cwl : timing_.t_cl;
  if (time + latency < bus_free) time = bus_free - latency;
  return time;
}

// The oldest access with its row open, unless the very oldest has been passed too often.
std::size_t DramChannel::choose() const {
  if (queue_.front().passed >= kPatience) return 0;
  const std::size_t window = std::min(queue_.size(), kWindow);
  for (std::size_t i = 0; i < window; i++) {
    const Waiting& waiting = queue_[i];
    const Bank& bank = banks_[waiting.location.bank];
    if (!bank.open || bank.row != waiting.location.row) continue;

    // Never pass an access to the same burst: its data could be overtaken.
    const auto conflicts = [&](const Waiting& earlier) {
      return earlier.access.address == waiting.access.address &&
             (earlier.access.write || waiting.access.write);
    };
    const auto end = queue_.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::none_of(queue_.begin(), end, conflicts)) return i;
  }
  return 0;
}

DramChannel::Completion DramChannel::issue(const Waiting& waiting, std::uint64_t now_ps) {
  Bank& bank = banks_[waiting.location.bank];
  const bool write = waiting.access.write;
  const bool hit = bank.open && bank.row == waiting.location.row;
  const std::uint64_t column = column_time(waiting, now_ps);

  if (hit) {
    counters_.row_hits++;
  } else {
    (bank.open ? counters_.row_conflicts : counters_.row_misses)++;
    const std::uint64_t activate = activate_time(waiting, now_ps);
    bank.open = true;
    bank.row = waiting.location.row;
    bank.column_ready = activate + timing_.t_rcd;
    bank.precharge_ready = activate + timing_.t_ras;
    bank.activate_ready = activate + timing_.t_ras + timing_.t_rp;
    std::rotate(last_activates_ps_.begin(), last_activates_ps_.begin() + 1,
                last_activates_ps_.end());
    last_activates_ps_[3] = activate;
    group_activate_ps_[waiting.location.group] = activate;
    activates_known_ = std::min(activates_known_ + 1, 4u);
    counters_.activates++;
  }

  const std::uint64_t data = column + (write ? timing_.t_cwl : timing_.t_cl);
  data_end_ps_ = data + timing_.burst_ps();
  bank.precharge_ready = std::max(
      bank.precharge_ready, write ? data_end_ps_ + timing_.t_wr : column + timing_.t_rtp);
  if (write) write_end_ps_[waiting.location.group] = data_end_ps_;
  any_column_ = true;
  last_was_write_ = write;
  last_group_ = waiting.location.group;
  last_column_ps_ = column;

  (write ? counters_.bytes_written : counters_.bytes_read) += timing_.burst_bytes();
  counters_.bus_busy_ps += timing_.burst_ps();

  // The next access is looked at while the row of this one is still on its way, as long as a
  // controller with a bank's commands in flight would: one column slot later.
  issue_ps_ = std::max(issue_ps_, now_ps) + timing_.burst_ps();
  return {waiting.access.tag, write, data_end_ps_ + timing_.controller_ps};
}

void DramChannel::advance(std::uint64_t now_ps, std::vector<Completion>& completions) {
  refresh_until(now_ps);
  while (!queue_.empty() && issue_ps_ <= now_ps) {
    const std::size_t chosen = choose();
    for (std::size_t i = 0; i < chosen; i++) queue_[i].passed++;
    const Waiting waiting = queue_[chosen];
    queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(chosen));
    completions.push_back(issue(waiting, std::max(waiting.arrival_ps, issue_ps_)));
  }
}

}  // namespace toehold
