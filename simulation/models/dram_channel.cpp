// SPDX-License-Identifier: Apache-2.0

#include "models/dram_channel.h"

#include <algorithm>
#include <stdexcept>

namespace toehold {

namespace {

// How far the scheduler looks for an open row, and how often an access may be passed.
constexpr std::size_t kWindow = 16;
constexpr unsigned kPatience = 16;

constexpr std::uint64_t kNeverActivated = ~std::uint64_t{0};

}  // namespace

DramCounters& DramCounters::operator+=(const DramCounters& other) {
  bytes_read += other.bytes_read;
  bytes_written += other.bytes_written;
  activates += other.activates;
  row_hits += other.row_hits;
  row_misses += other.row_misses;
  row_conflicts += other.row_conflicts;
  refreshes += other.refreshes;
  bus_busy_ps += other.bus_busy_ps;
  return *this;
}

DramChannel::DramChannel(const DramTiming& timing)
    : timing_(timing),
      banks_(timing.banks()),
      next_refresh_ps_(timing.t_refi),
      write_end_ps_(timing.bank_groups, 0),
      group_activate_ps_(timing.bank_groups, kNeverActivated) {}

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
  // Commands are given on the memory's own clock.
  const std::uint64_t clock = timing_.t_ck;
  if (queue_.empty()) slot_ps_ = std::max(slot_ps_, (now_ps + clock - 1) / clock * clock);
  Waiting waiting{};
  waiting.access = access;
  waiting.location = locate(access.address);
  queue_.push_back(waiting);
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

bool DramChannel::row_open(const Waiting& waiting) const {
  const Bank& bank = banks_[waiting.location.bank];
  return bank.open && bank.row == waiting.location.row;
}

// How many of the oldest accesses compete; one that has been passed too often is alone.
std::size_t DramChannel::window() const {
  return queue_.front().passed >= kPatience ? 1 : std::min(queue_.size(), kWindow);
}

// An access never passes an earlier one to the same burst, unless both read.
bool DramChannel::must_wait(std::size_t index) const {
  const Access& access = queue_[index].access;
  for (std::size_t i = 0; i < index; i++) {
    const Access& earlier = queue_[i].access;
    if (earlier.address == access.address && (earlier.write || access.write)) return true;
  }
  return false;
}

// Somebody in the window still wants the row that is open in this bank.
bool DramChannel::row_wanted(unsigned bank) const {
  const std::size_t end = window();
  for (std::size_t i = 0; i < end; i++) {
    if (queue_[i].location.bank == bank && row_open(queue_[i])) return true;
  }
  return false;
}

// Earliest column command of an access whose row is open.
std::uint64_t DramChannel::column_time(const Waiting& waiting) const {
  const bool write = waiting.access.write;
  std::uint64_t time = banks_[waiting.location.bank].column_ready;
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
  return time + latency < bus_free ? bus_free - latency : time;
}

// Earliest precharge for an access, or 0 when its bank is closed already.
std::uint64_t DramChannel::precharge_time(const Waiting& waiting) const {
  const Bank& bank = banks_[waiting.location.bank];
  return bank.open ? bank.precharge_ready : 0;
}

// When the row opens if the bank is precharged, where needed, at `from_ps`.
std::uint64_t DramChannel::activate_time(const Waiting& waiting, std::uint64_t from_ps) const {
  const Bank& bank = banks_[waiting.location.bank];
  std::uint64_t time = std::max(bank.open ? from_ps + timing_.t_rp : from_ps, bank.activate_ready);
  if (activates_known_ > 0) {
    time = std::max(time, last_activates_ps_[3] + timing_.t_rrd_s);
    const std::uint64_t same_group = group_activate_ps_[waiting.location.group];
    if (same_group != kNeverActivated) time = std::max(time, same_group + timing_.t_rrd_l);
  }
  if (activates_known_ >= 4) time = std::max(time, last_activates_ps_[0] + timing_.t_faw);
  return time;
}

// The oldest access whose row is open and whose column command may go now.
bool DramChannel::issue_column(std::uint64_t now_ps, std::vector<Completion>& completions) {
  const std::size_t end = window();
  for (std::size_t i = 0; i < end; i++) {
    if (!row_open(queue_[i]) || column_time(queue_[i]) > now_ps || must_wait(i)) continue;
    for (std::size_t earlier = 0; earlier < i; earlier++) queue_[earlier].passed++;
    completions.push_back(transfer(queue_[i], now_ps));
    queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(i));
    return true;
  }
  return false;
}

// The oldest access whose row is closed and whose bank nobody else in the window needs as it is.
bool DramChannel::issue_row(std::uint64_t now_ps) {
  const std::size_t end = window();
  for (std::size_t i = 0; i < end; i++) {
    Waiting& waiting = queue_[i];
    if (row_open(waiting) || row_wanted(waiting.location.bank)) continue;
    if (precharge_time(waiting) > now_ps) continue;
    // A closed bank is activated at its very time; a precharge decides on the activate behind it.
    const bool closed = !banks_[waiting.location.bank].open;
    if (closed && activate_time(waiting, now_ps) > now_ps) continue;
    open_row(waiting, now_ps);
    return true;
  }
  return false;
}

void DramChannel::open_row(Waiting& waiting, std::uint64_t now_ps) {
  Bank& bank = banks_[waiting.location.bank];
  (bank.open ? counters_.row_conflicts : counters_.row_misses)++;
  waiting.activated = true;
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

DramChannel::Completion DramChannel::transfer(const Waiting& waiting, std::uint64_t column_ps) {
  Bank& bank = banks_[waiting.location.bank];
  const bool write = waiting.access.write;
  if (!waiting.activated) counters_.row_hits++;

  data_end_ps_ = column_ps + (write ? timing_.t_cwl : timing_.t_cl) + timing_.burst_ps();
  bank.precharge_ready = std::max(
      bank.precharge_ready, write ? data_end_ps_ + timing_.t_wr : column_ps + timing_.t_rtp);
  if (write) write_end_ps_[waiting.location.group] = data_end_ps_;
  any_column_ = true;
  last_was_write_ = write;
  last_group_ = waiting.location.group;
  last_column_ps_ = column_ps;

  (write ? counters_.bytes_written : counters_.bytes_read) += timing_.burst_bytes();
  counters_.bus_busy_ps += timing_.burst_ps();
  return {waiting.access.tag, write, data_end_ps_ + timing_.controller_ps};
}

void DramChannel::advance(std::uint64_t now_ps, std::vector<Completion>& completions) {
  for (; !queue_.empty() && slot_ps_ <= now_ps; slot_ps_ += timing_.t_ck) {
    refresh_until(slot_ps_);
    if (!issue_column(slot_ps_, completions)) issue_row(slot_ps_);
  }
  if (queue_.empty()) refresh_until(now_ps);
}

}  // namespace toehold
