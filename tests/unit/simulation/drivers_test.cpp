// SPDX-License-Identifier: Apache-2.0

// Streams, AXI4-Lite, the application's queues, and time, without any RTL.

#include <chrono>
#include <thread>
#include <vector>

#include "check.h"
#include "engine/application.h"
#include "engine/axi_lite.h"
#include "engine/simulated_time.h"
#include "engine/stream.h"
#include "program/json.h"

using namespace toehold;

namespace {

Frame counting(std::size_t length) {
  Frame frame;
  for (std::size_t i = 0; i < length; i++) frame.bytes.push_back(static_cast<std::uint8_t>(i));
  return frame;
}

}  // namespace

TEST(frames_survive_cutting_into_beats) {
  for (const unsigned lanes : {8u, 16u, 64u}) {
    StreamSource source(lanes);
    StreamSink sink(lanes);
    for (std::size_t length = 1; length <= 200; length++) source.put(counting(length));
    std::uint64_t clock = 0;
    while (!source.empty()) {
      const StreamBeat beat = source.beat();
      source.taken(clock, clock);
      sink.put(beat, clock++, 0);
    }
    for (std::size_t length = 1; length <= 200; length++) {
      CHECK(!sink.empty());
      const Frame frame = sink.take();
      CHECK(frame.bytes == counting(length).bytes);
      CHECK_EQUAL(frame.last_clock - frame.first_clock + 1, (length + lanes - 1) / lanes);
    }
    CHECK_EQUAL(source.bytes, 200u * 201 / 2);
    CHECK_EQUAL(sink.beats, source.beats);
  }
}

TEST(a_bad_frame_is_marked_at_its_end_only) {
  StreamSource source(8);
  Frame frame = counting(20);
  frame.bad_fcs = true;
  source.put(frame);
  CHECK(!source.beat().user && !source.beat().last);
  source.taken(0, 0);
  CHECK(!source.beat().user);
  source.taken(1, 0);
  CHECK(source.beat().user && source.beat().last);
  CHECK_EQUAL(source.beat().keep, 0x0fu);
}

TEST(axi_lite_writes_whichever_ready_comes_first) {
  for (const bool address_first : {false, true}) {
    AxiLiteMaster master;
    master.start_write(0x40, 0x1234);
    AxiLitePins pins;
    master.drive(pins);
    CHECK(pins.aw_valid && pins.w_valid && !pins.b_ready);
    (address_first ? pins.aw_ready : pins.w_ready) = true;
    master.clock(pins);
    pins.aw_ready = pins.w_ready = false;
    master.drive(pins);
    CHECK_EQUAL(pins.aw_valid, !address_first);
    CHECK_EQUAL(pins.w_valid, address_first);
    (address_first ? pins.w_ready : pins.aw_ready) = true;
    master.clock(pins);
    master.drive(pins);
    CHECK(pins.b_ready && !pins.aw_valid && !pins.w_valid);
    pins.b_valid = true;
    pins.response = 2;
    master.clock(pins);
    CHECK(!master.busy() && master.failed());
  }
}

TEST(axi_lite_reads) {
  AxiLiteMaster master;
  master.start_read(0x44);
  AxiLitePins pins;
  master.drive(pins);
  CHECK(pins.ar_valid && !pins.r_ready);
  CHECK_EQUAL(pins.address, 0x44u);
  master.clock(pins);  // not ready
  pins.ar_ready = true;
  master.clock(pins);
  master.drive(pins);
  CHECK(!pins.ar_valid && pins.r_ready);
  pins.r_valid = true;
  pins.read_data = 77;
  master.clock(pins);
  CHECK(!master.busy() && !master.failed());
  CHECK_EQUAL(master.read_data(), 77u);
}

TEST(a_refused_message_is_dropped_and_the_next_one_asked_for) {
  Application application(8);
  application.send(1, std::vector<std::uint8_t>(20, 7));
  application.send(2, std::vector<std::uint8_t>(5, 8));

  AppOutputs out;
  out.request_ready = true;
  AppInputs in = application.inputs();
  CHECK(in.request_valid && in.request_session == 1 && in.request_length == 20);
  application.clock(in, out, 0, 0);
  CHECK(!application.inputs().request_valid);

  AppOutputs refusal;
  refusal.status_valid = true;
  refusal.status.error = 2;
  application.clock(application.inputs(), refusal, 1, 0);
  CHECK_EQUAL(application.statuses.size(), 1u);
  CHECK_EQUAL(application.statuses.front().length, 20u);

  in = application.inputs();
  CHECK(in.request_valid && in.request_session == 2 && !in.data_valid);
  application.clock(in, out, 2, 0);
  AppOutputs grant;
  grant.status_valid = true;
  application.clock(application.inputs(), grant, 3, 0);
  in = application.inputs();
  CHECK(in.data_valid && in.data->last);
  CHECK_EQUAL(in.data->keep, 0x1fu);
  AppOutputs take;
  take.data_ready = true;
  application.clock(in, take, 4, 0);
  CHECK_EQUAL(application.messages_pending(), 0u);
  CHECK_EQUAL(application.bytes_sent(), 5u);
}

TEST(room_is_asked_for_ahead_of_payload) {
  Application application(8);
  application.set_requests(2);
  for (std::uint32_t session = 1; session <= 3; session++) application.send(session, {7, 7, 7});
  AppOutputs out;
  out.request_ready = true;
  for (std::uint32_t session = 1; session <= 2; session++) {
    const AppInputs in = application.inputs();
    CHECK(in.request_valid && in.request_session == session);
    application.clock(in, out, session, 0);
  }
  CHECK(!application.inputs().request_valid);
  CHECK_EQUAL(application.messages_pending(), 3u);

  // The first is refused: the third is asked for, and only the second has payload.
  AppOutputs refusal;
  refusal.status_valid = true;
  refusal.status.error = 2;
  application.clock(application.inputs(), refusal, 3, 0);
  AppInputs in = application.inputs();
  CHECK(in.request_valid && in.request_session == 3 && !in.data_valid);
  application.clock(in, out, 4, 0);
  AppOutputs grant;
  grant.status_valid = true;
  application.clock(application.inputs(), grant, 5, 0);
  application.clock(application.inputs(), grant, 6, 0);
  CHECK_EQUAL(application.messages_pending(), 2u);
  AppOutputs take;
  take.data_ready = true;
  for (unsigned left = 2; left > 0; left--) {
    in = application.inputs();
    CHECK(in.data_valid && in.data->last);
    application.clock(in, take, 9 - left, 0);
    CHECK_EQUAL(application.messages_pending(), left - 1);
  }
  CHECK(application.idle());
}

TEST(queries_are_answered_in_order_by_the_grant) {
  Application application(8);
  application.set_grant([](std::uint32_t session, std::uint16_t length) {
    return static_cast<std::uint16_t>(session == 1 ? length / 2 : 0);
  });
  AppOutputs query;
  query.query_valid = true;
  query.query_session = 1;
  query.query_length = 100;
  application.clock(application.inputs(), query, 0, 0);
  query.query_session = 2;
  application.clock(application.inputs(), query, 1, 0);
  AppOutputs ready;
  ready.grant_ready = true;
  AppInputs in = application.inputs();
  CHECK(in.grant_valid);
  CHECK_EQUAL(in.grant_length, 50u);
  application.clock(in, ready, 2, 0);
  in = application.inputs();
  CHECK(in.grant_valid);
  CHECK_EQUAL(in.grant_length, 0u);
}

TEST(time_by_cycles_is_exact) {
  SimulatedTime time;
  time.set_period_ps(6400);
  for (unsigned i = 0; i < 1'000'000; i++) time.tick();
  CHECK_EQUAL(time.now_us(), 6400u);
}

TEST(time_never_runs_backwards_when_the_mode_changes) {
  SimulatedTime time;
  for (unsigned i = 0; i < 1000; i++) time.tick();
  time.set_mode(TimeMode::kStepped);
  time.step_to_us(5000);
  for (unsigned i = 0; i < 1000; i++) time.tick();
  CHECK_EQUAL(time.now_us(), 5000u);
  time.set_mode(TimeMode::kWall);
  time.look();
  CHECK(time.now_us() >= 5000 && time.now_us() < 1'000'000);
  const std::uint64_t before = time.now_us();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  time.look();
  CHECK(time.now_us() >= before + 20'000 && time.now_us() < before + 5'000'000);
}

TEST(json_is_quoted) {
  JsonObject inner;
  inner.member("n", std::uint64_t{18446744073709551615u});
  JsonObject object;
  object.member("a \"b\"\\\n", "c").member("d", 0.5).member("e", true).member("f", inner);
  CHECK_EQUAL(object.text(),
              R"({"a \"b\"\\\u000a": "c", "d": 0.5, "e": true, "f": {"n": 18446744073709551615}})");
}

int main() { return run_tests(); }
