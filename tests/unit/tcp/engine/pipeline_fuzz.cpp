// SPDX-License-Identifier: Apache-2.0

// Throws events at the connection pipeline, biased to the edges of windows and sequence numbers, and
// checks after each what must hold in every TCP. What the pipeline's surroundings would do (queues,
// timers, free ids, buffers) is modelled here, so that only events come that could come.
//
//   pipeline_fuzz SEED EVENTS [progress]
//
// Exit code 1 and a history when something is wrong; otherwise the last line is JSON of what happened
// how often. With `progress` stderr tells how many events there were, now and then.

#include <array>
#include <cinttypes>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "Vpipeline_fuzz.h"
#include "verilated.h"

namespace {

constexpr int kIds = 4;
constexpr int kClasses = 16;
constexpr int kKinds = 14, kStates = 10;
constexpr int32_t kRing = 2048;

enum State { kClosed, kSynSent, kSynReceived, kEstablished, kFinWait1, kFinWait2, kCloseWait,
             kClosing, kLastAck, kTimeWait };
const char* const kStateNames[] = {"CLOSED", "SYN_SENT", "SYN_RECEIVED", "ESTABLISHED",
                                   "FIN_WAIT_1", "FIN_WAIT_2", "CLOSE_WAIT", "CLOSING",
                                   "LAST_ACK", "TIME_WAIT"};
enum Kind { kNone, kSegment, kTimer, kCommand, kTxRequest, kTxWritten, kTransmit, kDeliver,
            kDelivered, kReport, kRecycle, kSack, kIcmp, kPages };
const char* const kKindNames[] = {"none", "segment", "timer", "command", "tx request",
                                  "tx written", "transmit", "deliver", "delivered", "report",
                                  "recycle", "sack", "icmp", "pages"};
enum Lookup { kMiss, kHit, kNew, kNoRoom };
enum Flags { kFin = 1, kSyn = 2, kRst = 4, kPsh = 8, kAck = 16, kUrg = 32 };
enum Op { kOpen = 2, kClose = 3, kAbort = 4, kSetOption = 5 };
constexpr int kGaps = 4;
constexpr uint32_t kDelayedAckUs = 500, kHeldUs = 32768;
enum AppEvent { kResult, kAccepted, kAcked, kPeerClosed, kFinalClosed, kFinalReset, kFinalTimedOut,
                kOpened, kNotice };
enum Notice { kNoticeIcmp = 1, kNoticeRetries, kNoticeUrgent };
constexpr uint32_t kUnreachable = 3, kTooBig = 4, kLeastMss = 536;
enum Result { kOk = 0, kNoRoomLeft = 2, kInUse = 3, kUnsupported = 5 };
enum Timer { kTimerNone, kTimerRetransmit, kTimerPersist, kTimerWait, kTimerKeepalive, kTimerReorder };

uint64_t g_random;
uint32_t random32() {
  g_random ^= g_random << 13;
  g_random ^= g_random >> 7;
  g_random ^= g_random << 17;
  return static_cast<uint32_t>(g_random >> 16);
}
uint32_t below(uint32_t n) { return n ? random32() % n : 0; }
bool chance(int percent) { return static_cast<int>(below(100)) < percent; }
int32_t diff(uint32_t a, uint32_t b) { return static_cast<int32_t>(a - b); }

struct Event {
  int kind = kNone, id = 0, lookup = 0, flags = 0, timer_class = 0, generation = 0, op = 0, tag = 0;
  bool in_range = true, opening = false, tx_backlog = false, tentative = false,
       partial = false;
  uint32_t now = 0, seq = 0, ack = 0, isn = 0;
  uint32_t window = 0, payload = 0, mss = 0, port = 0, length = 0, value = 0;
  bool direct = false;  // the application has its payload already
  uint32_t pages = 0;  // of the receive rings' pool, kept for it
  bool pages_short = false, forget = false;
  bool may_open = false, has_scale = false, sack_permitted = false, has_ts = false;
  uint32_t scale = 0, ts_value = 0, ts_echo = 0, sack_left = 0, sack_right = 0;
  uint32_t urgent = 0, icmp_kind = 0, icmp_code = 0;
  uint32_t end() const { return seq + payload + !!(flags & kSyn) + !!(flags & kFin); }
  bool opens() const { return kind == kCommand && op == kOpen && lookup == kNew; }
  bool is_segment() const { return kind == kSegment || kind == kSack || kind == kIcmp; }
  // Says that nobody will answer: no such protocol, no such port.
  bool is_hard() const {
    return kind == kIcmp && icmp_kind == kUnreachable && (icmp_code == 2 || icmp_code == 3);
  }
};

struct Piece {
  bool valid;
  uint32_t left, right;
};

struct Connection {
  uint32_t state, generation, port, una, nxt, max, end, limit, mss, cwnd, rcv_nxt, rcv_read,
      rcv_edge, rcv_up, notices, rto, unanswered, timer, deadline, entries, final;
  bool active, fin_queued, fin_sent, fin_received, accepted, acked, peer_closed, final_reported, discarded,
      delivering, writing, rtx_queued, in_transmit, paced, rtt_known, in_deliver, in_report, in_wait,
      in_opening, opening_entry_old;
  uint32_t scale, ts_recent, ack_deadline;
  bool sack_ok, ts_ok, recovering, ack_pending, no_delay, quick_ack;
  Piece stored[kGaps], sacked[kGaps];
};

struct Entry {
  int id;
  uint32_t armed;
};

struct Offer {
  int id;
  uint32_t generation, length;
};

// What surrounds one id.
struct Place {
  bool present = false;   // its tuple is in the lookup
  bool free = true;
  bool active = false;    // the application opened it
  int told = 0;           // 0: nothing yet, 1: accepted or opened, 2: peer closed, 3: final
  bool rtx_reading = false;
  std::set<uint32_t> pages;  // of its transmit ring that are in use, by their place
  std::set<uint32_t> rx_pages;  // the same of its receive ring,
  uint32_t rx_high = 0;         // and behind the last byte that was ever stored there
  bool held = false;            // its window has waited for pages since it was last told
  uint64_t quiet = 0;           // the clock of its last actions
  uint32_t granted = 0;      // bytes from snd_end on that pages are there for
  int in_flight[14] = {};
  int opening_in_flight = 0;
  std::array<uint32_t, kRing> written{};  // sequence number of the byte that lies at each place
  std::deque<uint32_t> fins;              // where segments of the peer said that it ends
  // Where the bytes of the connection begin, and how many the engine has counted since.
  uint32_t first_in = 0, first_out = 0;
  uint64_t counted_in = 0, counted_out = 0;
  std::deque<std::string> history;
};

class Fuzz {
 public:
  explicit Fuzz(uint64_t seed) : seed_(seed) {
    g_random = seed * 0x9E3779B97F4A7C15ull + 1;
    for (int i = 0; i < 10; i++) random32();
    dut_ = std::make_unique<Vpipeline_fuzz>();
    dut_->rst = 1;
    dut_->ev_valid = 0;
    for (int i = 0; i < 4; i++) clock();
    dut_->rst = 0;
    while (!dut_->init_done_o) clock();
    now_ = random32();
    for (int i = 0; i < kIds; i++) free_.push_back(i);
  }

  void run(uint64_t events, bool progress) {
    while (issued_ < events) {
      uint64_t until = issued_ + 2000 + below(4000);
      calm_ = chance(50);
      dut_->pacing_i = chance(50);
      while (issued_ < until) step(true);
      drain();
      pacing_ = pacing_ || dut_->pacing_o;
      if (progress && issued_ - told_events_ >= 1000000) {
        std::fprintf(stderr, "%" PRIu64 "\n", issued_);
        told_events_ = issued_;
      }
    }
    // A run that reaches nothing proves nothing.
    bool reached = created_ && finals_[0] && finals_[1] && finals_[2] && repeats_ && probes_ &&
                   (paced_ || !pacing_) &&
                   (dut_->page_bytes_o ? freed_ && pageless_ && awaited_ && to_window_ && to_probe_ &&
                                           windows_opened_
                                       : earlies_) && parts_ &&
                   bytes_in_ && bytes_out_ && opened_ && refused_ && simultaneous_ && stored_ &&
                   full_ && (sack_full_ || events < 1000000) && blocks_ && repeated_blocks_ && delayed_ &&
                   sack_recoveries_ && reused_ && half_open_dropped_ && errors_ && shorter_ &&
                   refused_by_error_ && notices_[0] && notices_[1] && notices_[2] &&
                   (dut_->rx_page_bytes_o ? rx_taken_ && rx_freed_ && no_page_ && held_ && opened_late_ && forgotten_ : straight_);
    if (events >= 100000 && !reached) {
      tell();
      std::printf("something was never reached\n");
      std::exit(1);
    }
    tell();
  }

 private:
  // What happened how often, by the words of the result.
  void tell() const {
    std::printf("{\"events\": %" PRIu64 ", \"clocks\": %" PRIu64, issued_, clocks_);
    auto group = [](const char* name, auto... pairs) {
      const char* comma = "";
      std::printf(", \"%s\": {", name);
      ((std::printf("%s\"%s\": %" PRIu64, comma, pairs.first, uint64_t(pairs.second)),
        comma = ", "),
       ...);
      std::printf("}");
    };
    auto counts = [](const char* name, const char* const* words, const uint64_t* numbers, int n) {
      std::printf(", \"%s\": {", name);
      for (int i = 0; i < n; i++)
        std::printf("%s\"%s\": %" PRIu64, i ? ", " : "", words[i], numbers[i]);
      std::printf("}");
    };
    using P = std::pair<const char*, uint64_t>;
    counts("kinds", kKindNames + 1, kinds_ + 1, kKinds - 1);
    counts("states", kStateNames, states_, kStates);
    group("reached", P("connections", created_), P("closed by both sides", finals_[0]),
          P("reset", finals_[1]), P("timed out", finals_[2]), P("active opens", opens_),
          P("opened", opened_), P("refused", refused_), P("opened by both sides", simultaneous_),
          P("begun again from TIME_WAIT", reused_), P("half-open dropped", half_open_dropped_),
          P("segments sent again", repeats_), P("window probes", probes_),
          P("segments after which the next one waits", paced_),
          P("recoveries by SACK", sack_recoveries_), P("blocks of SACK told", blocks_),
          P("blocks of what came twice", repeated_blocks_), P("gaps while receiving", stored_),
          P("no gap left while receiving", full_), P("no gap left while sending", sack_full_),
          P("delayed acknowledgements", delayed_), P("messages sent while they come", earlies_),
          P("requests granted in part", parts_), P("pages freed", freed_),
          P("requests refused for pages", pageless_), P("of those with nothing sent", awaited_),
          P("requests granted what the window takes", to_window_),
          P("closed windows that open", windows_opened_),
          P("requests granted a page for a closed window", to_probe_),
          P("receive pages taken", rx_taken_), P("receive pages freed", rx_freed_),
          P("segments without a page", no_page_), P("windows that waited for pages", held_),
          P("windows that opened with them", opened_late_),
          P("pieces forgotten", forgotten_),
          P("segments straight to the application", straight_), P("ICMP errors", errors_),
          P("segments shorter by one", shorter_), P("opens refused by one", refused_by_error_),
          P("notices of errors", notices_[0]), P("notices of retries", notices_[1]),
          P("notices of urgent data", notices_[2]));
    group("bytes", P("in", bytes_in_), P("out", bytes_out_));
    std::printf("}\n");
  }

  // ---- driving

  void clock() {
    dut_->clk = 0;
    dut_->eval();
    dut_->clk = 1;
    dut_->eval();
    clocks_++;
  }

  void step(bool inputs) {
    if (!offered_ && (offered_ = choose(inputs))) {
      event_.tx_backlog = inputs && chance(20);
      if (dut_->rx_page_bytes_o) pages(inputs);
    }
    dut_->ev_valid = offered_;
    if (offered_) {
      event_.now = now_;
      dut_->ev_kind = event_.kind;
      dut_->ev_now_us = event_.now;
      dut_->ev_lookup = event_.lookup;
      dut_->ev_seq = event_.seq;
      dut_->ev_ack = event_.ack;
      dut_->ev_direct = event_.direct;
      dut_->ev_flags = event_.flags;
      dut_->ev_window = event_.window;
      dut_->ev_payload_length = event_.payload;
      dut_->ev_mss = event_.mss;
      dut_->ev_remote_port = event_.port;
      dut_->ev_isn = event_.isn;
      dut_->ev_app = 0;
      dut_->ev_timer_class = event_.timer_class;
      dut_->ev_opening = event_.opening;
      dut_->ev_tx_backlog = event_.tx_backlog;
      dut_->ev_in_range = event_.in_range;
      dut_->ev_generation = event_.generation;
      dut_->ev_op = event_.op;
      dut_->ev_tag = event_.tag;
      dut_->ev_length = event_.length;
      dut_->ev_tentative = event_.tentative;
      dut_->ev_partial = event_.partial;
      dut_->ev_value = event_.value;
      dut_->ev_pages = event_.pages;
      dut_->ev_pages_short = event_.pages_short;
      dut_->ev_forget = event_.forget;
      dut_->ev_may_open = event_.may_open;
      dut_->ev_has_scale = event_.has_scale;
      dut_->ev_scale = event_.scale;
      dut_->ev_sack_permitted = event_.sack_permitted;
      dut_->ev_has_ts = event_.has_ts;
      dut_->ev_ts_value = event_.ts_value;
      dut_->ev_ts_echo = event_.ts_echo;
      dut_->ev_sack_left = event_.sack_left;
      dut_->ev_sack_right = event_.sack_right;
      dut_->ev_urgent = event_.urgent;
      dut_->ev_icmp = event_.icmp_kind << 4 | event_.icmp_code;
      dut_->ev_id = event_.id;
    }
    dut_->clk = 0;
    dut_->eval();
    bool accepted = offered_ && dut_->ev_ready;
    observe();
    dut_->clk = 1;
    dut_->eval();
    clocks_++;
    if (accepted) {
      if (event_.forget) {
        for (Piece& piece : state_[event_.id].stored) {
          forgotten_ += piece.valid;
          piece = Piece{};
        }
      }
      pending_.push_back(event_);
      offered_ = false;
      issued_++;
    }
    if (chance(30)) now_ += below(3);
    if (inputs && chance(1)) now_ += below(chance(10) ? 60000 : 3000);
  }

  // What the pool of receive pages has, and whether the state comes back without its pieces: only if
  // none of its events is in the pipeline.
  void pages(bool inputs) {
    if (inputs && chance(1)) pages_short_ = !pages_short_ && chance(40);
    if (!inputs) pages_short_ = false;
    event_.pages_short = pages_short_;
    if (event_.kind == kSegment && event_.lookup == kHit && event_.payload)
      event_.pages = !inputs || chance(85) ? kRing / dut_->rx_page_bytes_o : below(4);
    bool quiet = clocks_ - places_[event_.id].quiet > 10;
    for (const Event& e : pending_) quiet &= e.id != event_.id;
    event_.forget = inputs && quiet && chance(3);
  }

  void take(std::deque<int>& queue, int kind) {
    event_ = Event();
    event_.kind = kind;
    event_.id = queue.front();
    queue.pop_front();
    places_[event_.id].in_flight[kind]++;
  }

  bool choose(bool inputs) {
    for (int tries = 0; tries < 3; tries++) {
      int source = below(inputs ? 13 : 7);
      switch (source) {
        case 0:
          if (transmit_.empty()) break;
          take(transmit_, kTransmit);
          event_.length = 1 + below(300);  // credit
          return true;
        case 1:
          if (report_.empty()) break;
          take(report_, kReport);
          return true;
        case 2:
          if (deliver_.empty() || deliveries_ >= 2) break;
          take(deliver_, kDeliver);
          deliveries_++;
          return true;
        case 3: {
          if (offers_.empty() || (inputs && chance(70))) break;
          Offer offer = offers_.front();
          offers_.pop_front();
          event_ = Event();
          event_.kind = kDelivered;
          event_.id = offer.id;
          event_.generation = offer.generation;
          event_.length = !inputs || chance(50) ? offer.length : below(offer.length + 1);
          return true;
        }
        case 4: {
          if (!write_valid_ || (inputs && chance(80))) break;
          event_ = Event();
          event_.kind = kTxWritten;
          event_.id = write_.id;
          event_.generation = write_.generation;
          event_.length = write_.length;
          write_valid_ = false;
          writing_in_flight_ = true;
          return true;
        }
        case 5: {
          int k = below(kClasses);
          if (timers_[k].empty() || now_ - timers_[k].front().armed < (64u << k)) break;
          event_ = Event();
          event_.kind = kTimer;
          event_.id = timers_[k].front().id;
          event_.timer_class = k;
          timers_[k].pop_front();
          places_[event_.id].in_flight[kTimer]++;
          return true;
        }
        case 6:
          if (inputs && !free_.empty() && chance(30)) return chance(60) ? syn() : open();
          break;
        case 7:
          return segment();
        case 8:
          return chance(20) ? command() : chance(10) ? icmp() : segment();
        case 9:
          return request();
        case 10:
          if (wait_.empty() || !chance(10)) break;
          take(wait_, kRecycle);
          return true;
        case 11:
          // One at a time: the next when it is known what became of the last.
          if (opening_.empty() || opening_in_flight_ || !chance(10)) break;
          event_ = Event();
          event_.kind = kRecycle;
          event_.opening = opening_in_flight_ = true;
          event_.id = opening_.front();
          opening_.pop_front();
          places_[event_.id].opening_in_flight++;
          return true;
        case 12:
          // Whoever was refused pages, or has the id now.
          if (!chance(30)) break;
          event_ = Event();
          event_.kind = kPages;
          event_.id = below(kIds);
          return true;
        default:
          break;
      }
    }
    return false;
  }

  bool syn() {
    event_ = Event();
    event_.kind = kSegment;
    event_.lookup = kNew;
    event_.id = free_.front();
    free_.pop_front();
    places_[event_.id].free = false;
    places_[event_.id].present = true;
    places_[event_.id].told = 0;
    places_[event_.id].active = false;
    event_.flags = kSyn;
    event_.seq = chance(50) ? random32() : 0u - below(4000);
    event_.isn = chance(50) ? random32() : 0u - below(4000);
    event_.window = window();
    event_.mss = chance(30) ? 0 : chance(30) ? below(100) : chance(50) ? 1460 : below(2000);
    event_.port = 1024 + below(60000);
    event_.may_open = true;
    syn_options();
    if (chance(3)) event_.payload = below(100);
    return true;
  }

  bool open() {
    event_ = Event();
    event_.kind = kCommand;
    event_.op = kOpen;
    event_.tag = below(256);
    event_.lookup = kNew;
    event_.id = free_.front();
    if (places_[event_.id].in_flight[kCommand]) return false;
    free_.pop_front();
    Place& place = places_[event_.id];
    place.free = false;
    place.present = true;
    place.told = 0;
    place.active = true;
    place.in_flight[kCommand]++;
    event_.isn = chance(50) ? random32() : 0u - below(4000);
    event_.port = 1024 + below(60000);
    return true;
  }

  void syn_options() {
    event_.has_scale = chance(50);
    event_.scale = event_.has_scale ? below(15) : 0;
    event_.sack_permitted = chance(60);
    event_.has_ts = chance(40);
    event_.ts_value = chance(50) ? random32() : 0u - below(20);
  }

  // Time stamps of a connection that has agreed on them, mostly good ones.
  void timestamps(const Connection& c) {
    event_.has_ts = c.ts_ok ? !chance(calm_ ? 0 : 2) : chance(3);
    event_.ts_value = c.ts_recent + (chance(calm_ ? 99 : 95) ? below(3) : 0u - below(3));
    event_.ts_echo = chance(70) ? now_ >> 10 : random32();
  }

  // A block of SACK: mostly of what is in flight, anywhere in it.
  bool sack(int id) {
    const Connection& c = state_[id];
    event_ = Event();
    event_.kind = kSack;
    told_ = chance(70) ? id : -1;
    event_.id = id;
    event_.lookup = kHit;
    event_.port = c.port;
    event_.flags = kAck;
    event_.seq = chance(90) ? c.rcv_nxt : random32();
    event_.ack = c.una;
    timestamps(c);
    uint32_t flight = diff(c.max, c.una);
    event_.sack_left = c.una + (chance(90) ? 1 + below(flight) : below(4000) - 2000);
    event_.sack_right = event_.sack_left + (chance(50) ? below(flight) : 1 + below(300));
    if (chance(10)) event_.sack_right = c.max;
    return true;
  }

  // A segment that answers our SYN, well or badly.
  bool answer(const Connection& c) {
    event_.flags = chance(50) ? kSyn | kAck : chance(50) ? kSyn : chance(30) ? kRst | kAck : below(256);
    event_.seq = chance(50) ? random32() : 0u - below(4000);
    event_.ack = chance(80) ? c.max : near(c.una);
    event_.window = window();
    event_.mss = chance(30) ? 0 : chance(30) ? below(100) : chance(50) ? 1460 : below(2000);
    event_.payload = chance(80) ? 0 : below(100);
    syn_options();
    return true;
  }

  // An ICMP error, mostly about a segment that is on its way.
  bool icmp() {
    int id = below(kIds);
    const Connection& c = state_[id];
    event_ = Event();
    event_.kind = kIcmp;
    event_.id = id;
    event_.lookup = places_[id].present ? kHit : kMiss;
    event_.port = c.port;
    event_.ack = chance(80) ? c.una + below(diff(c.max, c.una)) : near(chance(50) ? c.una : c.max);
    event_.icmp_kind = chance(70) ? kUnreachable : chance(50) ? 11 : 12;
    event_.icmp_code = below(16);
    event_.mss = chance(50) ? kLeastMss : kLeastMss + below(1500);
    return true;
  }

  uint32_t window() {
    switch (below(6)) {
      case 0: return 0;
      case 1: return below(3);
      case 2: return below(2000);
      case 3: return 65535;
      default: return 3000 + below(5000);
    }
  }

  uint32_t near(uint32_t center) {
    return center + (chance(60) ? 0 : chance(60) ? below(5) - 2 : below(4096) - 2048);
  }

  static bool open_for_direct(const Connection& c) {
    bool takes_text = c.state == kEstablished || c.state == kFinWait1 || c.state == kFinWait2;
    return takes_text && !c.discarded && !c.delivering && !c.accepted && !c.fin_received &&
           !c.stored[0].valid && c.rcv_read == c.rcv_nxt;
  }

  // What tcp_peek lets through, and the application takes: plain, and next to what is committed and
  // went straight since.
  bool goes_straight(int id) {
    const Connection& c = state_[id];
    if (!open_for_direct(c) || dut_->rx_page_bytes_o) return false;
    uint32_t next = c.rcv_nxt;
    for (const Event& e : pending_) {
      if (e.id != id || !e.is_segment()) continue;
      if (!e.direct) return false;
      next = e.end();
    }
    int32_t room = diff(c.rcv_edge, next);
    if (room <= 0) return false;
    event_.direct = true;
    event_.flags = kAck | (chance(50) ? kPsh : 0);
    event_.seq = next;
    event_.payload = 1 + below(room < 1460 ? room : 1460);
    if (chance(50)) event_.payload = 1 + below(event_.payload);
    event_.length = event_.payload;
    event_.ack = c.una + (chance(50) ? diff(c.max, c.una) : below(diff(c.max, c.una) + 1));
    event_.window = ((c.limit - event_.ack) >> c.scale) & 0xFFFF;
    event_.has_ts = c.ts_ok;
    event_.ts_value = c.ts_recent + below(3);
    event_.ts_echo = now_ >> 10;
    return true;
  }

  bool segment() {
    int id = below(kIds);
    Place& place = places_[id];
    if (!place.present) {
      if (!chance(5)) return false;
      event_ = Event();
      event_.kind = kSegment;
      event_.id = id;
      event_.lookup = chance(50) ? kMiss : kNoRoom;
      event_.seq = random32();
      event_.ack = random32();
      event_.flags = below(256);
      event_.payload = chance(50) ? 0 : below(1461);
      event_.port = random32() & 0xFFFF;
      return true;
    }
    const Connection& c = state_[id];
    event_ = Event();
    event_.kind = kSegment;
    event_.id = id;
    event_.lookup = kHit;
    event_.port = c.port;
    if (c.state == kSynSent && chance(80)) return answer(c);
    if (chance(30) && goes_straight(id)) return true;
    timestamps(c);
    if (c.una != c.max && c.sack_ok && told_ == id && chance(80)) {
      // The segment of the last block: mostly a bare acknowledgement.
      told_ = -1;
      event_.flags = kAck;
      event_.seq = c.rcv_nxt;
      event_.ack = chance(80) ? c.una : c.una + below(diff(c.max, c.una));
      event_.window = ((c.limit - event_.ack) >> c.scale) & 0xFFFF;
      return true;
    }
    if (c.una != c.max && c.sack_ok && chance(30)) return sack(id);
    if (c.state == kTimeWait && chance(20)) {
      // The next connection of the same two ports.
      event_.flags = kSyn;
      event_.seq = near(c.rcv_nxt);
      event_.may_open = true;
      event_.isn = random32();
      event_.window = window();
      uint32_t value = event_.ts_value;
      syn_options();
      if (chance(50)) event_.ts_value = value;
      return true;
    }
    if (c.state == kSynReceived && c.active && chance(30)) {
      // The SYN again, with or without the acknowledgement of ours.
      event_.flags = chance(70) ? kSyn | kAck : kSyn;
      event_.seq = c.rcv_nxt - 1;
      event_.ack = chance(80) ? c.max : near(c.una);
      event_.window = window();
      syn_options();
      event_.has_ts = c.ts_ok;
      event_.ts_value = c.ts_recent;
      return true;
    }
    event_.flags = kAck;
    event_.payload = chance(50) ? 0 : chance(30) ? 1 + below(3) : 1 + below(1460);
    event_.seq = c.rcv_nxt;
    event_.ack = chance(70) ? c.max : c.una + below(diff(c.max, c.una) + 1);
    // The window as it was, so that duplicate acknowledgements are some.
    event_.window = chance(60) ? ((c.limit - event_.ack) >> c.scale) & 0xFFFF : window();
    if (c.una != c.max && chance(40)) {
      // A duplicate acknowledgement, or a partial one.
      event_.payload = 0;
      event_.ack = chance(80) ? c.una : c.una + below(diff(c.max, c.una));
      event_.window = ((c.limit - event_.ack) >> c.scale) & 0xFFFF;
      return true;
    }
    if (chance(15) && diff(c.rcv_edge, c.rcv_nxt) > 0) {
      // Beyond a gap, or at one.
      event_.seq = c.rcv_nxt + below(diff(c.rcv_edge, c.rcv_nxt) + 20);
      if (chance(50)) event_.payload = 1 + below(300);
      int k = below(kGaps);
      if (c.stored[k].valid && chance(40)) event_.seq = c.stored[k].right;
      if (c.stored[k].valid && chance(20)) event_.seq = c.stored[k].left - event_.payload;
      if (c.stored[k].valid && chance(10)) event_.seq = c.stored[k].left + below(3) - 1;
      if (chance(3)) event_.flags |= kFin;
      return true;
    }
    if (chance(2)) event_.flags |= kFin;
    if (chance(calm_ ? 5 : 40)) {
      switch (below(5)) {
        case 0: event_.seq = near(c.rcv_nxt); break;
        case 1: event_.seq = near(c.rcv_edge); break;
        case 2: event_.seq = near(c.rcv_edge) - event_.payload; break;
        case 3: event_.seq = near(c.rcv_nxt) - event_.payload; break;
        default: event_.seq = random32(); break;
      }
    }
    if (chance(calm_ ? 5 : 40)) {
      switch (below(5)) {
        case 0: event_.ack = near(c.una); break;
        case 1: event_.ack = near(c.nxt); break;
        case 2: event_.ack = near(c.max); break;
        case 3: event_.ack = near(c.end); break;
        default: event_.ack = random32(); break;
      }
    }
    if (chance(calm_ ? 0 : 3)) event_.flags = below(256);
    if (chance(5)) event_.flags |= kUrg;
    event_.urgent = event_.seq + (chance(50) ? below(event_.payload + 2) : below(65536));
    return true;
  }

  bool command() {
    int id = below(kIds);
    if (places_[id].in_flight[kCommand]) return false;
    event_ = Event();
    event_.kind = kCommand;
    event_.id = id;
    event_.op = chance(50) ? kClose : chance(70) ? kAbort : chance(70) ? kSetOption : below(16);
    event_.value = chance(90) ? (1 + below(6)) << 24 | below(3) : random32();
    event_.tag = below(256);
    event_.generation = chance(90) ? state_[id].generation : below(16);
    event_.in_range = !chance(3);
    if (event_.op == kOpen) event_.lookup = chance(30) ? kMiss : chance(50) ? kHit : kNoRoom;
    places_[id].in_flight[kCommand]++;
    return true;
  }

  bool request() {
    if (requesting_ || write_valid_ || writing_in_flight_) return false;
    int id = below(kIds);
    event_ = Event();
    event_.kind = kTxRequest;
    event_.id = id;
    event_.generation = chance(97) ? state_[id].generation : below(16);
    event_.length = chance(50) ? 1 + below(1460) : below(2100);
    event_.tentative = chance(30);
    event_.partial = chance(30);
    if (dut_->page_bytes_o) {  // page_offer_t: how many; few are left, next to none
      event_.value = chance(50) ? kRing / dut_->page_bytes_o : below(4);
      if (chance(40)) event_.value |= chance(50) ? 0x20 : 0x60;
    }
    requesting_ = true;
    return true;
  }

  bool idle() const {
    return pending_.empty() && !offered_ && transmit_.empty() && report_.empty() &&
           deliver_.empty() && offers_.empty() && !write_valid_;
  }

  // Nothing comes from outside any more: whatever is left must come to an end by timers, or wait
  // for the application or the peer with nothing left to do.
  void drain() {
    for (int round = 0; round < 4000; round++) {
      for (int i = 0; i < 150; i++) step(false);
      if (idle() && round >= 60) break;
      now_ += 27000;
    }
    if (!idle()) fail(0, "events go on for ever");
    for (int id = 0; id < kIds; id++) {
      const Connection& c = state_[id];
      if (places_[id].free) continue;
      bool waits = c.state == kEstablished || c.state == kCloseWait;
      if (!waits) fail(id, "stuck in %s", kStateNames[c.state]);
      if (c.una != c.end) fail(id, "data is left and no timer");
      if (c.rcv_read + (c.fin_received ? 1 : 0) != c.rcv_nxt) fail(id, "unread data is left");
      if (!places_[id].told) fail(id, "nobody was told");
      if (c.state == kCloseWait && places_[id].told != 2) fail(id, "EventPeerClosed was not told");
    }
    for (int id = 0; id < kIds; id++) {
      if (places_[id].free) continue;
      event_ = Event();
      event_.kind = kCommand;
      event_.op = kAbort;
      event_.id = id;
      event_.generation = state_[id].generation;
      places_[id].in_flight[kCommand]++;
      offered_ = true;
      while (offered_) step(false);
      for (int i = 0; i < 200; i++) step(false);
      if (!places_[id].free) fail(id, "aborted, but the id does not come back");
    }
    if (free_.size() != kIds) fail(0, "%zu ids are free", free_.size());
  }

  // ---- checking

  [[noreturn]] void fail(int id, const char* format, ...) {
    std::printf("seed %" PRIu64 ", event %" PRIu64 ", id %d: ", seed_, issued_, id);
    va_list arguments;
    va_start(arguments, format);
    std::vprintf(format, arguments);
    va_end(arguments);
    std::printf("\n");
    for (const std::string& line : places_[id].history) std::printf("  %s\n", line.c_str());
    std::fflush(stdout);
    std::exit(1);
  }

#define CHECK(condition, ...) \
  do {                        \
    if (!(condition)) fail(id, __VA_ARGS__); \
  } while (0)

  Connection committed() const {
    const auto& d = *dut_;
    Connection c{};
    c.state = d.c_state;
    c.generation = d.c_generation;
    c.port = d.c_remote_port;
    c.active = d.c_active;
    c.una = d.c_snd_una;
    c.nxt = d.c_snd_nxt;
    c.max = d.c_snd_max;
    c.end = d.c_snd_end;
    c.limit = d.c_snd_limit;
    c.mss = d.c_mss;
    c.cwnd = d.c_cwnd;
    c.rcv_nxt = d.c_rcv_nxt;
    c.rcv_read = d.c_rcv_read;
    c.rcv_edge = d.c_rcv_edge;
    c.rcv_up = d.c_rcv_up;
    c.notices = d.c_notices;
    c.rto = d.c_rto;
    c.unanswered = d.c_unanswered;
    c.timer = d.c_timer;
    c.deadline = d.c_deadline;
    c.entries = d.c_timer_entries;
    c.final = d.c_report_final;
    c.fin_queued = d.c_fin_queued;
    c.fin_sent = d.c_fin_sent;
    c.fin_received = d.c_fin_received;
    c.accepted = d.c_report_accepted;
    c.acked = d.c_report_acked;
    c.peer_closed = d.c_report_peer_closed;
    c.final_reported = d.c_final_reported;
    c.discarded = d.c_discarded;
    c.delivering = d.c_delivering;
    c.writing = d.c_writing;
    c.rtx_queued = d.c_rtx_queued;
    c.in_transmit = d.c_in_transmit_queue;
    c.paced = d.c_paced;
    c.rtt_known = d.c_rtt_known;
    c.in_deliver = d.c_in_deliver_queue;
    c.in_report = d.c_in_report_queue;
    c.in_wait = d.c_in_wait_queue;
    c.in_opening = d.c_in_opening_queue;
    c.opening_entry_old = d.c_opening_entry_old;
    c.scale = d.c_snd_scale;
    c.sack_ok = d.c_sack_ok;
    c.ts_ok = d.c_ts_ok;
    c.ts_recent = d.c_ts_recent;
    c.recovering = d.c_recovering;
    c.ack_pending = d.c_ack_pending;
    c.ack_deadline = d.c_ack_deadline;
    c.no_delay = d.c_no_delay;
    c.quick_ack = d.c_quick_ack;
    for (int i = 0; i < kGaps; i++) {
      c.stored[i] = {bool(d.c_stored_valid >> i & 1), d.c_stored_left[i], d.c_stored_right[i]};
      c.sacked[i] = {bool(d.c_sacked_valid >> i & 1), d.c_sacked_left[i], d.c_sacked_right[i]};
    }
    return c;
  }

  void observe() {
    auto& d = *dut_;
    if (d.a_valid) {
      if (pending_.empty()) fail(d.a_id, "actions of no event");
      Event event = pending_.front();
      pending_.pop_front();
      if (event.id != d.a_id) fail(event.id, "actions of another event");
      check(event, committed_valid_, before_, state_[event.id]);
    }
    committed_valid_ = d.c_valid;
    if (d.c_valid) {
      before_ = state_[d.c_id];
      state_[d.c_id] = committed();
    }
  }

  void note(const Event& e, const Connection& c) {
    char line[1100];
    auto& d = *dut_;
    int n = std::snprintf(line, sizeof line, "%-10s now %u", kKindNames[e.kind], e.now);
    auto add = [&](const char* format, auto... values) {
      n += std::snprintf(line + n, sizeof line - n, format, values...);
    };
    if (e.kind == kSegment)
      add(" lookup %d flags %02x seq %08x ack %08x win %u len %u", e.lookup, e.flags, e.seq, e.ack,
          e.window, e.payload);
    if (e.kind == kCommand) add(" op %d", e.op);
    if (e.kind == kIcmp) add(" %u/%u ack %08x mss %u", e.icmp_kind, e.icmp_code, e.ack, e.mss);
    if (e.length) add(" length %u", e.length);
    add(" -> %s una %08x nxt +%d max +%d end +%d limit +%d cwnd %u rcv %08x read -%d edge +%d"
        " timer %u in %d entries %04x una'd %u%s%s%s%s%s%s q%d%d%d",
        kStateNames[c.state % 10], c.una, diff(c.nxt, c.una), diff(c.max, c.una), diff(c.end, c.una),
        diff(c.limit, c.una), c.cwnd, c.rcv_nxt, diff(c.rcv_nxt, c.rcv_read),
        diff(c.rcv_edge, c.rcv_nxt), c.timer, diff(c.deadline, e.now), c.entries, c.unanswered,
        c.fin_queued ? " finq" : "", c.fin_sent ? " fins" : "", c.fin_received ? " finr" : "",
        c.writing ? " writing" : "", c.delivering ? " delivering" : "",
        c.discarded ? " discarded" : "", c.in_transmit, c.in_deliver, c.in_report);
    if (e.kind == kSack) add(" block +%d +%d", diff(e.sack_left, c.una), diff(e.sack_right, c.una));
    for (const Piece& p : c.stored)
      if (p.valid) add(" stored +%d +%d", diff(p.left, c.rcv_nxt), diff(p.right, c.rcv_nxt));
    for (const Piece& p : c.sacked)
      if (p.valid) add(" sacked +%d +%d", diff(p.left, c.una), diff(p.right, c.una));
    if (c.recovering) add(" recovering");
    if (c.ack_pending) add(" ack in %d", diff(c.ack_deadline, e.now));
    if (d.a_tx_valid)
      add(" | tx %u flags %02x seq %08x ack %08x len %u", unsigned(d.a_tx_kind),
          unsigned(d.a_tx_flags), unsigned(d.a_tx_seq), unsigned(d.a_tx_ack),
          unsigned(d.a_tx_length));
    if (d.a_rx_valid)
      add(" | rx %u seq %08x skip %u len %u", unsigned(d.a_rx_kind), unsigned(d.a_rx_seq),
          unsigned(d.a_rx_skip), unsigned(d.a_rx_length));
    if (d.a_event_valid) add(" | event %u", unsigned(d.a_event_kind));
    if (d.a_status_valid) add(" | status %u", unsigned(d.a_status_error));
    auto& history = places_[e.id].history;
    history.emplace_back(line);
    if (history.size() > 14) history.pop_front();
  }

  void push(std::deque<int>& queue, int id, const char* name) {
    for (int other : queue) CHECK(other != id, "twice in the %s queue", name);
    queue.push_back(id);
  }

  void check(const Event& e, bool changed, const Connection& b, const Connection& c) {
    auto& d = *dut_;
    int id = e.id;
    Place& place = places_[id];
    note(e, c);
    if (e.kind == kTransmit || e.kind == kDeliver || e.kind == kReport || e.kind == kTimer ||
        e.kind == kCommand || (e.kind == kRecycle && !e.opening))
      place.in_flight[e.kind]--;
    CHECK(d.a_opening_done == e.opening, "the recycler is not told");
    if (e.opening) {
      place.opening_in_flight--;
      opening_in_flight_ = false;
      bool goes = b.state == kSynReceived && !b.active && !b.opening_entry_old;
      CHECK((c.state == kClosed && b.state != kClosed) == goes, "half-open, or not, and gone or not");
      half_open_dropped_ += goes;
    }
    if (e.kind == kTxWritten) writing_in_flight_ = false;
    if (e.kind == kDeliver && !(d.a_rx_valid && d.a_rx_kind == 2))
      CHECK(d.a_deliver_done, "the reader is not given back");
    if (d.a_deliver_done) deliveries_--;
    kinds_[e.kind]++;
    states_[c.state]++;

    // What an event of no connection may do: answer by a reset.
    if (!changed) {
      CHECK(!d.a_push_transmit && !d.a_push_deliver && !d.a_push_report && !d.a_push_wait &&
                !d.a_push_opening && !d.a_timer_valid &&
                !d.a_remove,
            "actions without a change of state");
    }
    CHECK((e.kind == kCommand && !e.opens()) || e.kind == kTxRequest ||
              (e.is_segment() && e.lookup != kNew) || changed,
          "no commit");

    check_answers(e, b, c);
    if (changed && reuses(e, b, c)) {
      CHECK(e.may_open && e.flags == kSyn && b.final_reported, "begins again for no reason");
      CHECK(place.told == 3, "begins again before the final event");
      place.told = 0;
      place.active = false;
      reused_++;
    }
    if (changed) {
      check_state(e, b, c);
      check_receive(e, b, c);
      if (c.state != kClosed) check_pieces(e, b, c);
    } else if (e.kind == kSegment && e.payload) {
      CHECK(d.a_rx_valid && d.a_rx_kind == 0, "payload that nobody drops");
    }
    check_transmit(e, changed, b, c);
    check_news(e, changed, b, c);
    check_bytes(e, changed, b, c);

    CHECK(d.a_turn == (e.kind == kTransmit), "whose turn it was");
    if (d.a_turn) CHECK(d.a_turn_credit == e.length, "another credit than the turn's");
    if (d.a_push_transmit) push(transmit_, id, "transmit");
    if (d.a_push_deliver) push(deliver_, id, "deliver");
    if (d.a_push_report) push(report_, id, "report");
    if (d.a_push_wait) push(wait_, id, "wait");
    if (d.a_push_opening) push(opening_, id, "opening");
    if (d.a_timer_valid) {
      auto& queue = timers_[d.a_timer_class];
      for (const Entry& entry : queue)
        CHECK(entry.id != id, "twice in timer class %d", int(d.a_timer_class));
      queue.push_back({id, e.now});
    }
    if (d.a_remove) {
      CHECK(place.present, "removed twice");
      CHECK(d.a_tx_remote_port == c.port, "another tuple is removed");
      place.present = false;
    }
    if (d.a_tx_valid && d.a_tx_kind == 1) {
      CHECK(!place.present, "released before removed");
      CHECK(!place.free, "released twice");
      CHECK((place.told == 0 && !place.active) || place.told == 3, "released before the final event");
      CHECK(c.state == kClosed && !c.delivering && !c.writing, "released while in use");
      place.free = true;
      place.rtx_reading = false;
      released_ = true;
      free_.push_back(id);
    }
    if (changed) check_queues(id, c);
    if (d.page_bytes_o) check_pages(e, changed, b, c);
    if (d.rx_page_bytes_o) check_rx_pages(e, changed, b, c);
    place.quiet = clocks_;
  }

  // Pages of receive rings: an event takes some for what it stores, or leaves some without use; those
  // from that of the first unread byte to that of the last one stored have memory while anything is
  // unread or stored, and none after that. What is not accepted for want of pages had none.
  void check_rx_pages(const Event& e, bool changed, const Connection& b, const Connection& c) {
    auto& d = *dut_;
    int id = e.id;
    Place& place = places_[id];
    const uint32_t bytes = d.rx_page_bytes_o, pages = kRing / bytes, window = kRing - bytes;
    const uint32_t step = std::min(1460u, window / 2), count = d.a_rx_pages_count;
    auto page_of = [&](uint32_t at) { return at / bytes % pages; };
    bool gap = diff(e.seq, b.rcv_nxt) > 0, had = !place.rx_pages.empty();
    if (d.a_takes_pages) {
      CHECK(d.a_rx_kind == 1 && d.a_rx_length, "takes pages for nothing");
      CHECK(count <= e.pages && d.a_pages_left == e.pages - count, "takes more than there are");
      CHECK(!count || !e.pages_short || (!gap && !had), "takes one of the last pages");
      for (uint32_t i = 0; i < count; i++)
        CHECK(place.rx_pages.insert((d.a_rx_pages_first + i) % pages).second, "takes a page twice");
      uint32_t end = d.a_rx_seq + d.a_rx_length;
      if (!had || diff(end, place.rx_high) > 0) place.rx_high = end;
      rx_taken_ += count;
    } else {
      CHECK(d.a_pages_left == e.pages, "keeps pages that it does not take");
      for (uint32_t i = 0; i < count; i++)
        CHECK(place.rx_pages.erase((d.a_rx_pages_first + i) % pages), "frees a page of nobody");
      rx_freed_ += count;
    }
    CHECK(changed || !count, "pages of no connection");
    if (!changed) return;
    auto mapped = [&](uint32_t from, uint32_t to) {
      for (uint32_t at = from; diff(to, at) > 0; at += bytes - at % bytes)
        if (!place.rx_pages.count(page_of(at))) return false;
      return true;
    };
    if (d.a_rx_valid && (d.a_rx_kind == 1 || d.a_rx_kind == 2))
      CHECK(mapped(d.a_rx_seq, d.a_rx_seq + d.a_rx_length), "no page for what is stored or read");
    if (d.a_no_page) {
      uint32_t end = diff(e.seq + e.payload, b.rcv_edge) > 0 ? b.rcv_edge : e.seq + e.payload;
      uint32_t more = 0;
      for (uint32_t at = b.rcv_read; diff(end, at) > 0; at += bytes - at % bytes)
        more += !place.rx_pages.count(page_of(at));
      CHECK(more > e.pages || (more && e.pages_short && (gap || had)), "refused for no reason");
      CHECK(c.rcv_nxt == b.rcv_nxt && d.a_rx_kind == 0, "refused and taken");
      no_page_++;
    }
    bool unread = diff(c.rcv_nxt, c.rcv_read) > c.fin_received;
    bool used = c.delivering || (!c.discarded && (unread || c.stored[0].valid));
    if (used) {
      if (!c.discarded) CHECK(mapped(c.rcv_read, c.rcv_nxt - c.fin_received), "an unread byte without a page");
      std::set<uint32_t> wanted;
      if (!place.rx_pages.empty() || unread)
        for (uint32_t at = c.rcv_read / bytes * bytes; diff(place.rx_high, at) > 0; at += bytes)
          wanted.insert(page_of(at));
      CHECK(wanted == place.rx_pages, "other pages have memory than should");
    } else {
      CHECK(place.rx_pages.empty(), "idle, and has %zu pages", place.rx_pages.size());
    }
    CHECK(!d.a_tx_valid || d.a_tx_kind != 1 || place.rx_pages.empty(), "released with receive pages");
    // The window stands still while pages are short, and is looked at again.
    auto takes_text = [](unsigned state) {
      return state == kEstablished || state == kFinWait1 || state == kFinWait2;
    };
    bool begun = creates(e, b, c) || b.state == kSynSent;
    if (e.pages_short && !begun) CHECK(c.rcv_edge == b.rcv_edge, "promises pages that are short");
    bool could = takes_text(c.state) && !c.fin_received &&
                 diff(c.rcv_read + window, c.rcv_edge) >= int32_t(step);
    if (could) CHECK(c.ack_pending, "a window that nobody looks at again");
    if (could && !place.held) held_++;
    if (!could && place.held && takes_text(c.state)) opened_late_++;
    place.held = could;
  }

  // Pages of transmit rings: a packet maps those that it goes to and gives back those that it does
  // not reach; what an event frees was in use, and what is in use then holds something, or will.
  void check_pages(const Event& e, bool changed, const Connection& b, const Connection& c) {
    auto& d = *dut_;
    int id = e.id;
    Place& place = places_[id];
    const uint32_t bytes = d.page_bytes_o, pages = kRing / bytes;
    auto page_of = [&](uint32_t at) { return at / bytes % pages; };
    if (e.kind == kTxRequest && write_begins_) {
      bool there = c.end % bytes && place.pages.count(page_of(c.end));
      CHECK(bool(d.a_write_there) == there, "the first page is there, or not");
      for (uint32_t i = there ? bytes - c.end % bytes : 0; i < place.granted;
           i += bytes - (c.end + i) % bytes)
        CHECK(place.pages.insert(page_of(c.end + i)).second, "a page has something already");
    }
    if (e.kind == kTxWritten) {
      // Those that begin behind what was written.
      for (uint32_t i = e.length; i < place.granted; i++)
        if ((b.end + i) % bytes == 0)
          CHECK(place.pages.erase(page_of(b.end + i)), "a page is gone too soon");
      place.granted = 0;
    }
    CHECK(changed || !d.a_freed_count, "frees pages of no connection");
    for (uint32_t i = 0; i < d.a_freed_count; i++)
      CHECK(place.pages.erase((d.a_freed_first + i) % pages), "frees a page that is not in use");
    freed_ += d.a_freed_count;
    if (changed) {
      std::set<uint32_t> used;
      bool has_bytes = c.state != kClosed && c.state != kSynSent && c.state != kSynReceived;
      if (has_bytes || c.writing)
        for (uint32_t at = c.una; diff(c.end + place.granted, at) > 0; at += bytes - at % bytes)
          used.insert(page_of(at));
      CHECK(used == place.pages, "other pages are in use than hold something");
    }
    CHECK(!released_ || place.pages.empty(), "released with pages");
    released_ = write_begins_ = false;
  }

  // The bytes that the engine counts are those that moved: to the application and out of the window
  // of what was never sent before.
  void check_bytes(const Event& e, bool changed, const Connection& b, const Connection& c) {
    auto& d = *dut_;
    int id = e.id;
    Place& place = places_[id];
    if (!changed) {
      CHECK(!d.a_bytes_in && !d.a_bytes_out, "counts bytes of no connection");
      return;
    }
    if (creates(e, b, c)) {
      place.counted_in = place.counted_out = 0;
      place.first_in = c.rcv_nxt;
      place.first_out = c.max;
    }
    if (b.state == kSynSent && c.state != kSynSent) place.first_in = c.rcv_nxt;
    place.counted_in += d.a_bytes_in;
    place.counted_out += d.a_bytes_out;
    uint32_t out = c.max - place.first_out - c.fin_sent;
    CHECK(place.counted_out == out, "%u bytes sent, and %" PRIu64 " counted", out,
          place.counted_out);
    // What is on its way to the application when the connection is reset may still be taken.
    uint32_t read = c.rcv_read - place.first_in;
    uint32_t most = c.discarded ? c.rcv_nxt - c.fin_received - place.first_in : read;
    CHECK(place.counted_in >= read && place.counted_in <= most,
          "%u to %u bytes taken, and %" PRIu64 " counted", read, most, place.counted_in);
  }

  void check_queues(int id, const Connection& c) {
    Place& place = places_[id];
    auto holds = [&](const std::deque<int>& queue) {
      for (int other : queue)
        if (other == id) return 1;
      return 0;
    };
    CHECK(c.in_transmit == holds(transmit_) + place.in_flight[kTransmit], "in_transmit_queue");
    CHECK(c.in_transmit || !c.paced, "waits for a turn that never comes");
    CHECK(c.in_deliver == holds(deliver_) + place.in_flight[kDeliver], "in_deliver_queue");
    CHECK(c.in_report == holds(report_) + place.in_flight[kReport], "in_report_queue");
    CHECK(c.in_wait == holds(wait_) + place.in_flight[kRecycle], "in_wait_queue");
    if (c.state == kTimeWait) CHECK(c.in_wait, "TIME_WAIT cannot be cut short");
    CHECK(c.in_opening == holds(opening_) + place.opening_in_flight, "in_opening_queue");
    CHECK(c.in_opening || !c.opening_entry_old, "an old entry that is not there");
    if (c.state == kSynReceived && !c.active) CHECK(c.in_opening, "half-open, and cannot be dropped");
    unsigned entries = 0;
    bool in_time = place.in_flight[kTimer] != 0;
    bool ack_in_time = in_time;
    for (int k = 0; k < kClasses; k++) {
      for (const Entry& entry : timers_[k]) {
        if (entry.id != id) continue;
        entries |= 1u << k;
        uint32_t up = entry.armed + (64u << k);
        if (diff(up, c.deadline) <= 64 || diff(up, now_) <= 64)
          in_time = true;
        if (diff(up, c.ack_deadline) <= 64 || diff(up, now_) <= 64) ack_in_time = true;
      }
    }
    if (!place.in_flight[kTimer]) CHECK(entries == c.entries, "timer_entries, queues: %04x", entries);
    if (c.timer != kTimerNone) CHECK(in_time, "no timer entry comes up in time");
    if (c.ack_pending && c.state != kClosed) {
      CHECK(ack_in_time, "no timer entry for the delayed acknowledgement");
      CHECK(diff(c.ack_deadline, now_) <= int32_t(dut_->rx_page_bytes_o ? kHeldUs : kDelayedAckUs),
            "acknowledges too late");
    }
    if (c.timer != kTimerNone) CHECK(diff(c.deadline, now_) <= 160000, "deadline far away");
  }

  // What the event began: an open, a SYN, or a SYN after TIME_WAIT.
  static bool creates(const Event& e, const Connection& b, const Connection& c) {
    return e.opens() || (e.kind == kSegment && e.lookup == kNew) || reuses(e, b, c);
  }
  static bool reuses(const Event& e, const Connection& b, const Connection& c) {
    return e.kind == kSegment && e.lookup == kHit && b.state == kTimeWait &&
           c.state == kSynReceived;
  }

  static bool legal(unsigned from, unsigned to) {
    if (from == to || to == kClosed) return true;
    switch (from) {
      case kClosed: return to == kSynReceived || to == kSynSent;
      case kSynSent: return to == kSynReceived || to == kEstablished;
      case kSynReceived:
        return to == kEstablished || to == kCloseWait || to == kFinWait1 || to == kClosing;
      case kEstablished: return to == kFinWait1 || to == kCloseWait;
      case kFinWait1: return to == kFinWait2 || to == kClosing || to == kTimeWait;
      case kFinWait2: return to == kTimeWait;
      case kCloseWait: return to == kLastAck;
      case kClosing: return to == kTimeWait;
      default: return false;
    }
  }

  void check_state(const Event& e, const Connection& b, const Connection& c) {
    int id = e.id;
    bool created = creates(e, b, c);
    bool answered = b.state == kSynSent && c.state != kSynSent;
    CHECK(legal(b.state, c.state) || reuses(e, b, c), "%s to %s", kStateNames[b.state], kStateNames[c.state]);
    if (created) {
      created_++;
      opens_ += e.opens();
      CHECK((b.state == kClosed || reuses(e, b, c)) && c.state == (e.opens() ? kSynSent : kSynReceived),
            "created in another state");
      CHECK(c.generation == ((b.generation + 1) & 15), "generation");
      CHECK(c.max == c.una + 1 && (c.una == e.isn || reuses(e, b, c)), "initial numbers");
      if (reuses(e, b, c)) CHECK(diff(c.una, b.max) > 0, "begins within the last connection's numbers");
      CHECK(c.active == e.opens(), "who opened it");
    } else {
      CHECK(c.active == b.active, "who opened it");
    }
    if (answered && c.state != kClosed) {
      CHECK(e.kind == kSegment && (e.flags & (kSyn | kRst)) == kSyn, "opened by no SYN");
      CHECK((c.state == kEstablished) == !!(e.flags & kAck), "SYN with or without ACK");
      CHECK(!(e.flags & kAck) || e.ack == b.max, "opened by a wrong ACK");
      simultaneous_ += c.state == kSynReceived;
    }
    if ((answered && c.state != kClosed) || (created && !e.opens()))
      CHECK(c.rcv_nxt == e.seq + 1 && c.rcv_read == c.rcv_nxt && c.rcv_edge == c.rcv_nxt + kRing - dut_->rx_page_bytes_o,
            "numbers of the peer's SYN");
    if (b.state == kSynSent && c.state == kClosed && e.kind == kSegment) {
      CHECK((e.flags & (kRst | kAck)) == (kRst | kAck) && e.ack == b.max, "refused by no RST");
      refused_++;
    }
    if (e.kind == kIcmp) check_icmp(e, b, c);
    if (c.state == kFinWait1 && b.state == kSynReceived) CHECK(b.fin_queued, "closed by nobody");
    if (c.state == kClosed) {
      CHECK(c.timer == kTimerNone, "a timer runs in CLOSED");
      return;
    }
    // Sending.
    CHECK(diff(c.nxt, c.una) >= 0, "snd_una > snd_nxt");
    CHECK(diff(c.max, c.nxt) >= 0, "snd_nxt > snd_max");
    CHECK(diff(c.end, c.max) >= (c.fin_sent ? -1 : 0), "snd_max > snd_end");
    CHECK(diff(c.end, c.una) <= kRing, "more than the ring holds");
    CHECK(!c.fin_sent || c.fin_queued, "FIN before close");
    CHECK(!c.fin_sent || c.max == c.end + 1, "snd_max after FIN");
    CHECK(c.cwnd >= c.mss, "cwnd %u below the MSS", c.cwnd);
    if (!created) {
      CHECK(diff(c.una, b.una) >= 0, "snd_una goes back");
      CHECK(diff(c.max, b.max) >= 0, "snd_max goes back");
      CHECK(c.una == b.una || (e.kind == kSegment && c.una == e.ack), "snd_una by no segment");
      CHECK(diff(c.una, b.max) <= 0, "acknowledged what was not sent");
      CHECK(diff(c.end, b.end) >= 0, "snd_end goes back");
      if (c.end != b.end)
        CHECK((e.kind == kTxWritten || (e.kind == kTxRequest && dut_->a_write_early)) &&
                  c.end == b.end + e.length, "snd_end by no write");
      if (e.kind == kTxWritten) {
        CHECK(b.writing && !c.writing, "writing");
        CHECK(c.end == b.end + e.length, "bytes that were given are lost in %s",
              kStateNames[c.state]);
      }
    }
    // Receiving.
    if (!created && !answered) {
      CHECK(diff(c.rcv_nxt, b.rcv_nxt) >= 0, "rcv_nxt goes back");
      CHECK(diff(c.rcv_read, b.rcv_read) >= 0, "rcv_read goes back");
      CHECK(diff(c.rcv_edge, b.rcv_edge) >= 0, "the window shrinks");
    }
    if (!c.discarded) {
      CHECK(diff(c.rcv_nxt, c.rcv_read) >= c.fin_received, "rcv_read > rcv_nxt");
      CHECK(diff(c.rcv_edge, c.rcv_nxt) >= 0, "rcv_nxt > rcv_edge");
      CHECK(diff(c.rcv_edge, c.rcv_read) <= int32_t(kRing - dut_->rx_page_bytes_o),
            "window past the ring");
    }
    // Something is outstanding or waits: somebody must come back to it.
    bool unsent = c.nxt != c.end + (c.fin_queued ? 1 : 0) && diff(c.end, c.nxt) >= 0 && !c.writing;
    bool outstanding = c.una != c.max;
    bool sending = c.state != kTimeWait;
    if (sending && outstanding)
      CHECK(c.timer == kTimerRetransmit || c.timer == kTimerReorder,
            "outstanding, and timer is %u", c.timer);
    if (sending && unsent)
      CHECK(c.timer == kTimerRetransmit || c.timer == kTimerReorder ||
                c.timer == kTimerPersist || c.in_transmit,
            "unsent, and timer is %u", c.timer);
    if (c.state == kTimeWait || c.state == kFinWait2) CHECK(c.timer == kTimerWait, "no wait");
    // Something is unread or unsaid.
    bool unread = !c.discarded && diff(c.rcv_nxt, c.rcv_read) > c.fin_received;
    if (unread && !c.accepted && c.state != kSynReceived)
      CHECK(c.delivering || c.in_deliver, "unread, and nobody delivers");
    if (c.accepted) CHECK(c.in_report, "EventAccepted waits for nothing");
    if (c.notices) CHECK(c.in_report, "a notice waits for nothing");
  }

  // An error about what is on its way ends attempts to open alone, and never makes segments longer.
  void check_icmp(const Event& e, const Connection& b, const Connection& c) {
    int id = e.id;
    bool opening = b.state == kSynSent || b.state == kSynReceived;
    CHECK(diff(e.ack, b.una) >= 0 && diff(b.max, e.ack) > 0, "an error about nothing");
    CHECK((c.state == kClosed) == (opening && e.is_hard()), "ended, or not, by an error");
    CHECK(c.state == kClosed || c.state == b.state, "another state by an error");
    bool shorter = !opening && e.icmp_kind == kUnreachable && e.icmp_code == kTooBig &&
                   e.mss < b.mss;
    CHECK(c.mss == (shorter ? e.mss : b.mss), "MSS by an error");
    errors_++;
    shorter_ += shorter;
    refused_by_error_ += c.state == kClosed;
  }

  // Neither list has pieces that overlap or touch, and each lies where it must.
  void check_pieces(const Event& e, const Connection& b, const Connection& c) {
    int id = e.id;
    (void)b;
    for (int i = 0; i < kGaps; i++) {
      const Piece& s = c.stored[i];
      const Piece& a = c.sacked[i];
      if (i) CHECK(c.stored[i - 1].valid || !s.valid, "a hole in the list of what is stored");
      if (i) CHECK(c.sacked[i - 1].valid || !a.valid, "a hole in the list of what is sacked");
      if (s.valid && !c.discarded) {
        CHECK(diff(s.left, c.rcv_nxt) > 0 && diff(s.right, s.left) > 0 &&
                  diff(c.rcv_edge, s.right) >= 0, "stored out of place");
        for (uint32_t at = s.left; at != s.right; at++) {
          bool fin = at + 1 == s.right && said_fin(id, s.right);
          CHECK(places_[id].written[at % kRing] == at || fin, "stored, but never written");
        }
      }
      if (a.valid)
        CHECK(diff(a.left, c.una) > 0 && diff(a.right, a.left) > 0 && diff(c.max, a.right) >= 0,
              "sacked out of place");
      for (int j = 0; j < i; j++) {
        const Piece& t = c.stored[j];
        if (s.valid && t.valid)
          CHECK(diff(s.left, t.right) > 0 || diff(t.left, s.right) > 0, "stored pieces touch");
        if (a.valid) CHECK(diff(a.left, c.sacked[j].right) > 0, "sacked pieces touch");
      }
    }
    delayed_ += c.ack_pending && !b.ack_pending;
    sack_recoveries_ += c.sack_ok && c.recovering && !b.recovering;
    if (c.stored[0].valid) stored_++;
    if (c.stored[kGaps - 1].valid) full_++;
    if (c.sacked[kGaps - 1].valid) sack_full_++;
  }

  bool said_fin(int id, uint32_t end) const {
    for (uint32_t fin : places_[id].fins)
      if (fin == end) return true;
    return false;
  }

  void check_receive(const Event& e, const Connection& b, const Connection& c) {
    auto& d = *dut_;
    int id = e.id;
    bool created = creates(e, b, c);
    bool answered = b.state == kSynSent && c.state != kSynSent;
    if (e.kind == kSegment && (e.flags & kFin)) {
      places_[id].fins.push_front(e.end());
      if (places_[id].fins.size() > 64) places_[id].fins.pop_back();
    }
    bool straight = e.direct && open_for_direct(b);
    if (straight) {
      CHECK(c.rcv_nxt - c.fin_received == e.end() && d.a_drops == 0, "what went straight is dropped");
      CHECK(c.discarded || c.rcv_read == e.end(), "what went straight is offered again");
      CHECK(d.a_rx_kind == d.store_direct_o, "what went straight is stored, or is not");
      for (uint32_t at = e.seq; at != e.end(); at++) places_[id].written[at % kRing] = at;
      straight_++;
    }
    if (e.kind == kSegment && e.payload) {
      CHECK(d.a_rx_valid && d.a_rx_kind < 2, "no command for a payload");
      if (d.a_rx_kind == 1) {
        CHECK(diff(d.a_rx_seq, b.rcv_nxt) >= 0, "written over what was taken");
        CHECK(e.seq + d.a_rx_skip == d.a_rx_seq, "skips the wrong bytes");
        CHECK(uint32_t(d.a_rx_skip) + d.a_rx_length <= e.payload, "more than there is");
        CHECK(diff(b.rcv_edge, d.a_rx_seq + d.a_rx_length) >= 0, "written past the window");
        for (uint32_t i = 0; i < d.a_rx_length; i++)
          places_[id].written[(d.a_rx_seq + i) % kRing] = d.a_rx_seq + i;
      }
    } else if (e.kind == kDeliver) {
      if (d.a_rx_valid && d.a_rx_kind != 3) {
        CHECK(d.a_rx_kind == 2 && d.a_rx_seq == b.rcv_read && d.a_rx_length != 0, "delivers wrongly");
        CHECK(d.a_rx_length == c.rcv_nxt - c.rcv_read - c.fin_received, "delivers not all");
        CHECK(!b.delivering && c.delivering && !c.discarded, "delivers twice");
        CHECK(d.a_rx_generation == c.generation, "delivers another session");
        offers_.push_back({id, c.generation, d.a_rx_length});
      }
    } else {
      CHECK(!d.a_rx_valid || (d.a_rx_kind == 3 && d.a_rx_pages_count), "receive command of a %s",
            kKindNames[e.kind]);
    }
    if (created || answered) {
      CHECK(!c.fin_received && c.rcv_nxt == c.rcv_read, "takes more than the SYN");
      if (e.kind == kSegment) places_[id].written.fill(c.rcv_nxt - 1);
      places_[id].fins.clear();
    } else {
      uint32_t end = c.rcv_nxt - (c.fin_received && !b.fin_received);
      bytes_in_ += end - b.rcv_nxt;
      for (uint32_t at = b.rcv_nxt; at != end; at++)
        CHECK(places_[id].written[at % kRing] == at, "acknowledges what did not come");
      CHECK(c.rcv_nxt == b.rcv_nxt || e.kind == kSegment, "rcv_nxt by no segment");
    }
    if (!created && !answered) {
      CHECK(diff(c.rcv_up, b.rcv_up) >= 0, "the urgent pointer goes back");
      bool urgent = e.kind == kSegment && (e.flags & kUrg) && c.rcv_up == e.urgent;
      CHECK(urgent || c.rcv_up == b.rcv_up || c.rcv_up == b.rcv_read, "urgent by no segment");
    }
    if (c.fin_received && !b.fin_received && !created)
      CHECK(said_fin(id, c.rcv_nxt), "FIN out of order");
    if (e.kind == kDelivered) {
      CHECK(b.delivering && !c.delivering, "delivering");
      if (!b.discarded) CHECK(c.rcv_read == b.rcv_read + e.length, "rcv_read");
    }
    if (e.kind == kSegment) {
      CHECK(d.a_drops <= 1, "counted %d times", int(d.a_drops));
      if (!created && e.payload && !straight && !(e.flags & kRst) && d.a_rx_kind == 0)
        CHECK(d.a_drops == 1, "dropped, but not counted");
    } else {
      CHECK(d.a_drops == 0, "counted what is no segment");
    }
  }

  void check_transmit(const Event& e, bool changed, const Connection& b, const Connection& c) {
    auto& d = *dut_;
    int id = e.id;
    if (!d.a_tx_valid || d.a_tx_kind != 0) return;
    int flags = d.a_tx_flags;
    uint32_t seq = d.a_tx_seq, length = d.a_tx_length;
    bool created = creates(e, b, c);
    if (flags & kRst) {
      CHECK(length == 0, "RST with data");
      if (e.kind == kSegment) {
        CHECK(!(e.flags & kRst), "RST answers RST");
        if (e.flags & kAck)
          CHECK(seq == e.ack && !(flags & kAck), "RST by ack");
        else
          CHECK(seq == 0 && (flags & kAck) && d.a_tx_ack == e.end(), "RST by end");
        CHECK(d.a_tx_remote_port == e.port, "RST to another");
      } else {
        CHECK(e.kind == kCommand && e.op == kAbort && c.state == kClosed && b.state != kSynSent,
              "RST by no abort");
        CHECK(seq == c.max || seq == c.nxt, "RST at the wrong place");
      }
      return;
    }
    CHECK(changed, "a segment of no connection");
    CHECK(d.a_tx_remote_port == c.port, "another tuple");
    bool first = c.state == kSynSent;  // nothing to acknowledge yet
    CHECK(!(flags & kAck) == first, "ACK or none");
    CHECK(d.a_tx_ack == (first ? 0 : c.rcv_nxt), "ack is not rcv_nxt");
    CHECK(d.a_tx_window == c.rcv_edge - c.rcv_nxt, "window");
    CHECK(bool(d.a_tx_has_ts) == c.ts_ok, "time stamps or none");
    if (c.ts_ok && !first) CHECK(d.a_tx_ts_echo == c.ts_recent, "echoes another time stamp");
    CHECK(!c.ack_pending || e.pages_short, "an acknowledgement goes out and still waits");
    check_blocks(id, c);
    CHECK(!first || (flags & kSyn), "no SYN in SYN_SENT");
    if (flags & kSyn) {
      CHECK((first || c.state == kSynReceived) && seq == c.una && length == 0 && d.a_tx_mss == 1460, "SYN-ACK");
      return;
    }
    CHECK(!d.a_tx_mss, "MSS without SYN");
    uint32_t end = seq + length;
    if (length) {
      CHECK(length <= c.mss, "longer than the MSS");
      CHECK(diff(seq, c.una) >= 0 && diff(c.end, end) >= 0, "bytes that are not there");
      bytes_out_ += length;
    }
    if (flags & kFin) {
      CHECK(end == c.end && c.fin_queued && !c.writing, "FIN at the wrong place");
      end++;
    }
    bool again = !created && diff(b.max, seq) > 0 && end != seq;
    if (again) {
      repeats_++;
      if (length) places_[id].rtx_reading = true;
    }
    if (end != seq && diff(end, b.max) > 0)
      CHECK(diff(c.limit, end) >= 0, "%d beyond the window", diff(end, c.limit));
    if (end != seq) CHECK(diff(c.max, end) >= 0, "snd_max does not know it");
    if (end == seq && diff(seq, c.una) < 0) probes_++;
    // At its pace: data goes when its time has come. What a timer sends again and what tells more of a
    // loss do not wait.
    bool tells = e.kind == kTimer || (e.kind == kSegment && (again || c.una == b.una));
    if (b.paced && length && !created) CHECK(e.kind == kTransmit || tells, "data before its time");
    if (length && d.pacing_o && b.rtt_known && !created)
      CHECK(c.in_transmit, "data, and nothing to hold back the next");
    if (d.a_push_transmit && d.a_paced) {
      CHECK(d.pacing_o && length && c.paced, "waits after nothing");
      paced_++;
    }
  }

  // The blocks that we tell: the first may be of what was there already, all others are stored.
  void check_blocks(int id, const Connection& c) {
    auto& d = *dut_;
    int count = d.a_tx_sack_count;
    if (!count) return;
    CHECK(c.sack_ok, "SACK that nobody agreed to");
    CHECK(count <= (c.ts_ok ? 3 : 4), "too many blocks");
    if (d.a_tx_length) CHECK(d.a_tx_length + 40 <= c.mss, "no room for the blocks");
    blocks_ += count;
    for (int i = 0; i < count; i++) {
      uint32_t left = d.a_tx_sack_left[i], right = d.a_tx_sack_right[i];
      bool stored = false;
      for (const Piece& p : c.stored)
        stored |= p.valid && diff(left, p.left) >= 0 && diff(p.right, right) >= 0;
      bool twice = i == 0 && diff(c.rcv_nxt, right) >= 0;
      repeated_blocks_ += twice;
      CHECK(diff(right, left) > 0 && (stored || twice), "a block of what is not there");
    }
  }

  void check_answers(const Event& e, const Connection& b, const Connection& c) {
    auto& d = *dut_;
    int id = e.id;
    if (e.kind == kCommand) {
      CHECK(d.a_event_valid && d.a_event_kind == kResult && d.a_event_tag == e.tag, "no result");
      bool known = e.in_range && uint32_t(e.generation) == c.generation && places_[id].told != 3;
      if (e.op == kOpen) {
        int result = e.lookup == kNew ? kOk : e.lookup == kHit ? kInUse
                     : e.lookup == kNoRoom ? kNoRoomLeft : kUnsupported;
        CHECK(d.a_event_result == result, "result of an open");
        CHECK(!e.opens() || d.a_event_generation == c.generation, "opens another session");
      } else if (d.a_event_result == kOk) {
        CHECK(known, "a command for nobody is Ok");
      }
    } else {
      CHECK(!d.a_event_valid || e.kind == kReport, "news by a %s", kKindNames[e.kind]);
    }
    bool pageless = false;
    if (e.kind == kTxRequest && d.page_bytes_o && d.a_status_valid && d.a_status_error == 2) {
      int32_t ring = kRing - int32_t(d.page_bytes_o) - diff(b.end, b.una);
      pageless = e.length && (e.partial ? ring > 0 : int32_t(e.length) <= ring);
      pageless_ += pageless;
      awaited_ += pageless && b.una == b.end;
    }
    CHECK(d.a_push_pages == (pageless && b.una == b.end), "is told of pages, or is not");
    CHECK(e.kind != kPages || c.acked || (c.state != kEstablished && c.state != kCloseWait),
          "does not hear of pages");
    // Who was refused them because of a closed window.
    bool opens = e.kind == kSegment && b.una == b.end && b.limit == b.nxt && c.limit != b.limit &&
                 b.state >= kEstablished && b.state != kTimeWait && c.state != kClosed;
    if (d.page_bytes_o && opens) CHECK(c.acked, "does not hear that the window opens");
    windows_opened_ += opens;
    if (e.kind == kTxRequest) {
      bool late = d.a_tx_valid && d.a_tx_kind == 2;
      CHECK(late != bool(d.a_status_valid), "not one status");
      requesting_ = false;
      if (late || d.a_status_error == 0) {
        uint32_t at = late ? d.a_tx_write_seq : d.a_write_seq;
        CHECK(!b.writing && c.writing, "granted twice");
        bool early = !late && d.a_write_early;
        CHECK(at == b.end && c.end == b.end + (early ? e.length : 0), "granted elsewhere");
        CHECK(!early || (!e.tentative && !e.tx_backlog && e.length <= 1000 && b.nxt == b.end),
              "early without reason");
        if (early) earlies_++;
        int32_t room = room_of(e, b);
        CHECK(int32_t(d.a_status_space) == room, "%u bytes of room, not %d", d.a_status_space, room);
        uint32_t given = e.partial ? std::min(e.length, d.a_status_space) : e.length;
        CHECK(given && int32_t(given) <= room, "more than fits");
        CHECK(!early || given == e.length, "a part sent while it comes");
        if (given < e.length) parts_++;
        CHECK(late || !places_[id].rtx_reading, "granted under a retransmission");
        CHECK(c.state == kEstablished || c.state == kCloseWait, "granted in %s",
              kStateNames[c.state]);
        if (late) places_[id].rtx_reading = false;
        write_ = {id, c.generation, given};
        if (chance(5)) write_.length = below(given + 1);     // the application gave less
        if (early) write_.length = 0;                        // they count already
        write_valid_ = true;
        places_[id].granted = given;
        write_begins_ = true;
        if (d.page_bytes_o && (e.value & 0x20) && b.una == b.end) {
          if (diff(b.limit, b.end) == int32_t(given)) to_window_++;
          if (diff(b.limit, b.end) <= 0) to_probe_++;
        }
      } else if (d.a_status_error == 2) {
        CHECK(int32_t(d.a_status_space) == room_of(e, b), "%u bytes of room when refused, not %d",
              d.a_status_space, room_of(e, b));
        CHECK(d.a_status_space < (e.partial ? 1u : e.length) || !e.length, "no space, but there is");
      }
    } else {
      CHECK(!d.a_status_valid && !(d.a_tx_valid && d.a_tx_kind == 2), "status of no request");
    }
  }

  // Bytes that a request may get: room in the ring, and pages, as docs/connections.md has it.
  int32_t room_of(const Event& e, const Connection& b) const {
    const int32_t bytes = dut_->page_bytes_o, ring = kRing - bytes - diff(b.end, b.una);
    if (!bytes) return ring;
    const int32_t in_page = b.end % bytes, window = diff(b.limit, b.end);
    const bool there = in_page && b.una != b.end, few = e.value & 0x20, scarce = e.value & 0x40;
    int32_t pages = e.value & 31;
    if (few && b.una != b.end) pages = 0;
    if (few && b.una == b.end && window <= 0) pages = scarce ? 0 : std::min(pages, 1);
    int32_t room = std::max(0, (pages + there) * bytes - in_page);
    if (few && b.una == b.end && window > 0) room = std::min(room, window);
    return std::min(room, ring);
  }

  void check_news(const Event& e, bool changed, const Connection& b, const Connection& c) {
    auto& d = *dut_;
    int id = e.id;
    (void)changed;
    if (!d.a_event_valid || d.a_event_kind == kResult) return;
    int& told = places_[id].told;
    CHECK(d.a_event_generation == c.generation, "news of another session");
    bool all_read = b.discarded || b.rcv_read + b.fin_received == b.rcv_nxt;
    switch (d.a_event_kind) {
      case kAccepted:
        CHECK(told == 0 && !places_[id].active, "EventAccepted at %d", told);
        told = 1;
        break;
      case kOpened:
        CHECK(told == 0 && places_[id].active, "EventOpened at %d", told);
        told = 1;
        opened_++;
        break;
      case kNotice: {
        uint32_t kind = d.a_event_value >> 24;
        CHECK(told == 1 || told == 2 || (told == 0 && places_[id].active && !b.accepted),
              "EventNotice at %d", told);
        CHECK(kind >= kNoticeIcmp && kind <= kNoticeUrgent, "EventNotice of kind %u", kind);
        if (kind == kNoticeUrgent)
          CHECK(int32_t(d.a_event_value & 0xFFFFFF) <= kRing + 65535, "more urgent data than can be");
        notices_[kind - kNoticeIcmp]++;
        break;
      }
      case kAcked:
        CHECK(told == 1 || told == 2, "EventAcked at %d", told);
        CHECK(int32_t(d.a_event_value) >= 0 && int32_t(d.a_event_value) <= kRing, "EventAcked value");
        break;
      case kPeerClosed:
        CHECK(told == 1, "EventPeerClosed at %d", told);
        CHECK(all_read && !b.delivering && b.fin_received, "EventPeerClosed before all data");
        told = 2;
        break;
      default:
        CHECK(told == 1 || told == 2 || (told == 0 && places_[id].active && !b.accepted),
              "final event at %d", told);
        CHECK(all_read && !b.delivering && !b.writing, "final event before all data");
        CHECK(c.state == kClosed || c.state == kTimeWait, "final in %s", kStateNames[c.state]);
        finals_[d.a_event_kind - kFinalClosed]++;
        told = 3;
        break;
    }
  }

  uint64_t seed_;
  std::unique_ptr<Vpipeline_fuzz> dut_;
  uint32_t now_ = 0;
  bool calm_ = false;
  bool pacing_ = false;  // was on
  int told_ = -1;  // whose block was the last event of its connection
  Event event_;
  bool offered_ = false;
  std::deque<Event> pending_;
  bool committed_valid_ = false;
  Connection before_{};
  std::array<Connection, kIds> state_{};
  std::array<Place, kIds> places_;
  std::deque<int> free_, transmit_, deliver_, report_, wait_, opening_;
  bool opening_in_flight_ = false;
  uint64_t half_open_dropped_ = 0;
  uint64_t pageless_ = 0, awaited_ = 0, to_window_ = 0, to_probe_ = 0, windows_opened_ = 0;
  std::array<std::deque<Entry>, kClasses> timers_;
  std::deque<Offer> offers_;
  int deliveries_ = 0;
  Offer write_{};
  bool released_ = false, write_begins_ = false;
  uint64_t freed_ = 0, rx_taken_ = 0, rx_freed_ = 0, no_page_ = 0, held_ = 0, opened_late_ = 0,
           forgotten_ = 0;
  bool pages_short_ = false;
  bool write_valid_ = false, writing_in_flight_ = false, requesting_ = false;
  uint64_t opens_ = 0, opened_ = 0, refused_ = 0, simultaneous_ = 0;
  uint64_t issued_ = 0, created_ = 0, repeats_ = 0, probes_ = 0, paced_ = 0, earlies_ = 0, parts_ = 0,
           bytes_in_ = 0, bytes_out_ = 0, straight_ = 0;
  uint64_t stored_ = 0, full_ = 0, sack_full_ = 0, blocks_ = 0, repeated_blocks_ = 0, delayed_ = 0,
           sack_recoveries_ = 0, reused_ = 0;
  uint64_t errors_ = 0, shorter_ = 0, refused_by_error_ = 0, notices_[3] = {};
  uint64_t finals_[3] = {};
  uint64_t clocks_ = 0, told_events_ = 0;
  uint64_t kinds_[kKinds] = {}, states_[kStates] = {};
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) {
    std::fprintf(stderr, "usage: pipeline_fuzz SEED EVENTS [progress]\n");
    return 2;
  }
  Fuzz fuzz(std::strtoull(argv[1], nullptr, 0));
  fuzz.run(std::strtoull(argv[2], nullptr, 0), argc == 4);
  return 0;
}
