// SPDX-License-Identifier: Apache-2.0

// segment_builder: every command comes out once, as what it is, in order; a release or a status is
// not shown before the last payload beat of every segment before it has been read; each segment with
// payload asks for it once, before it is done with; no sum is lost, whatever the latencies of both.
module segment_builder_props
  import net_headers_pkg::*;
  import seq_pkg::*;
  import app_pkg::*;
  import tcp_pkg::*;
(
  input logic        clk,
  input logic        rst,
  input ip_address_t ip_i,
  input tx_command_t s_command,
  input logic [ 1:0] s_command_id,
  input logic        s_command_valid,
  input logic        m_read_ready,
  input logic [63:0] s_read_data,
  input logic [ 7:0] s_read_keep,
  input logic        s_read_last,
  input logic        s_read_valid,
  input logic        m_ip_packet_ready,
  input logic        m_payload_ready,
  input logic        m_release_ready,
  input logic        m_status_ready
);

  logic s_command_ready, m_read_valid, s_read_ready, m_ip_packet_valid;
  logic [1:0] m_read_id, m_release_id, m_status_id;
  seq_t m_read_seq, m_status_write_seq;
  logic [15:0] m_read_length;
  ip_transmit_t m_ip_packet;
  logic [63:0] m_payload_data;
  logic [7:0] m_payload_keep;
  logic m_payload_last, m_payload_valid, m_release_valid, m_status_valid;
  logic count_tcp_segments_out_o;
  tx_status_t m_status;

  segment_builder #(
    .DataWidth       (64),
    .Connections     (4),
    .PayloadFifoBeats(256)
  ) dut (.*);

  logic started = 1'b0;

  always_ff @(posedge clk) begin
    started <= 1'b1;
    if (!started) assume (rst);
    else assume (!rst);
  end

  // ---- Streams ------------------------------------------------------------------------------------

  logic unused_read_first;

  stream_contract #(
    .Width ($bits(tx_command_t) + 2),
    .Assume(1'b1)
  ) command_contract (
    .clk,
    .rst,
    .data ({s_command, s_command_id}),
    .valid(s_command_valid),
    .ready(s_command_ready)
  );

  packet_contract #(
    .DataWidth(64),
    .Assume   (1'b1)
  ) read_data_contract (
    .clk,
    .rst,
    .data   (s_read_data),
    .keep   (s_read_keep),
    .last   (s_read_last),
    .error  (1'b0),
    .valid  (s_read_valid),
    .ready  (s_read_ready),
    .first_o(unused_read_first)
  );

  stream_contract #(
    .Width(50)
  ) read_contract (
    .clk,
    .rst,
    .data ({m_read_id, m_read_seq, m_read_length}),
    .valid(m_read_valid),
    .ready(m_read_ready)
  );

  stream_contract #(
    .Width(48)
  ) ip_packet_contract (
    .clk,
    .rst,
    .data ({m_ip_packet.destination, m_ip_packet.payload_length}),
    .valid(m_ip_packet_valid),
    .ready(m_ip_packet_ready)
  );

  stream_contract #(
    .Width(2)
  ) release_contract (
    .clk,
    .rst,
    .data (m_release_id),
    .valid(m_release_valid),
    .ready(m_release_ready)
  );

  stream_contract #(
    .Width(2)
  ) status_contract (
    .clk,
    .rst,
    .data (m_status_id),
    .valid(m_status_valid),
    .ready(m_status_ready)
  );

  // ---- Order --------------------------------------------------------------------------------------

  // Commands taken and done with. A segment is done with when its packet is in the output register:
  // its own pulse says so a clock later.
  localparam int Slots = 8;

  typedef struct packed {
    tx_kind_e    kind;
    logic [1:0]  id;
    logic        payload;
    logic [15:0] length;
    logic [7:0]  mark;           // a part of the command that must come out with it
    logic [2:0]  reads;  // payloads to be read for the commands before it
  } command_t;

  command_t [Slots-1:0] command_q;
  command_t oldest;
  logic [2:0] taken_q = '0, done_q = '0, requested_q = '0, ended_q = '0, required_q = '0;
  logic take, take_payload, request, read_end, packet_new, packet_new_q = 1'b0;

  assign take         = s_command_valid && s_command_ready;
  assign take_payload = take && s_command.kind == TxSegment && s_command.payload_length != '0;
  assign request      = m_read_valid && m_read_ready;
  assign read_end     = s_read_valid && s_read_ready && s_read_last;
  assign packet_new   = dut.join_valid && dut.join_ready;
  assign oldest       = command_q[done_q];

  always_ff @(posedge clk) begin
    if (take) begin
      command_q[taken_q] <= '{
          kind: s_command.kind,
          id: s_command_id,
          payload: s_command.payload_length != '0,
          length: s_command.payload_length,
          mark: s_command.kind == TxStatus ? s_command.write_seq[7:0]
              : s_command.tuple.remote_ip[7:0],
          reads: required_q
      };
      taken_q <= taken_q + 1'b1;
    end
    if (take_payload) required_q <= required_q + 1'b1;
    if (request) requested_q <= requested_q + 1'b1;
    if (read_end) ended_q <= ended_q + 1'b1;
    packet_new_q <= packet_new;
    if (packet_new || (m_release_valid && m_release_ready) || (m_status_valid && m_status_ready))
      done_q <= done_q + 1'b1;
    if (rst) begin
      taken_q      <= '0;
      done_q       <= '0;
      requested_q  <= '0;
      ended_q      <= '0;
      required_q   <= '0;
      packet_new_q <= 1'b0;
    end
  end

  always_ff @(posedge clk) begin
    if (started) begin
      assume (taken_q < 3'd7);  // a run is short
      assume (s_command.kind == TxSegment || s_command.kind == TxRelease
          || s_command.kind == TxStatus);
      // Data comes for what has been asked for.
      assume (!s_read_valid || ended_q < requested_q);
    end
  end

  always_ff @(posedge clk) begin
    if (started && !rst) begin
      assert (done_q <= taken_q);
      if (dut.payload_sum_now_valid) assert (dut.unused_payload_sum_ready);
      if (dut.header_sum_now_valid) assert (dut.unused_header_sum_ready);
      assert (requested_q == required_q || requested_q == required_q + 3'd1);
      if (m_read_valid) begin
        assert (s_command_valid && s_command.kind == TxSegment);
        assert (requested_q == required_q);
        assert (m_read_length == s_command.payload_length && m_read_length != '0);
        assert (m_read_seq == s_command.seq && m_read_id == s_command_id);
      end
      if (take_payload) assert (requested_q + 3'(request) == required_q + 3'd1);

      assert (!(m_release_valid && m_status_valid));
      if (m_release_valid) begin
        assert (done_q != taken_q && oldest.kind == TxRelease && !packet_new);
        assert (m_release_id == oldest.id);
        assert (ended_q >= oldest.reads);
      end
      if (m_status_valid) begin
        assert (done_q != taken_q && oldest.kind == TxStatus && !packet_new);
        assert (m_status_id == oldest.id && m_status_write_seq[7:0] == oldest.mark);
        assert (ended_q >= oldest.reads);
      end
      if (packet_new) begin
        assert (done_q != taken_q && oldest.kind == TxSegment);
        assert (ended_q >= oldest.reads + 3'(oldest.payload));
      end
      if (packet_new_q) begin
        assert (m_ip_packet_valid && count_tcp_segments_out_o);
        assert (m_ip_packet.destination[7:0] == command_q[3'(done_q - 1'b1)].mark);
        assert (m_ip_packet.payload_length == command_q[3'(done_q - 1'b1)].length);
      end else begin
        assert (!count_tcp_segments_out_o);
      end
    end

    cover (started && !rst && m_release_valid && oldest.reads == 3'd1 && done_q == 3'd1);
    cover (started && !rst && m_status_valid && oldest.reads == 3'd1 && done_q == 3'd2);
    cover (started && !rst && packet_new && oldest.payload && done_q == 3'd1);
  end

endmodule
