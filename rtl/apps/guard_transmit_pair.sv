// SPDX-License-Identifier: Apache-2.0

// Two guard_transmit that take turns, so that an application may ask for the room of its next packet
// while the last one is on its way: what each promises to the engine holds for every packet, and
// statuses and packets come in the order of the requests.
//
// An application that has broken its word still owes the rest of a packet; the next one that it was
// granted runs out of patience behind that, as if it had not come at all.
//
// Latency    as guard_transmit; no clock of its own on any channel.
// Throughput packets without a clock between them, where requests, statuses and payload come in time.
// Paths      those of guard_transmit; whose turn it is is a function of registers.
module guard_transmit_pair
  import app_pkg::*;
#(
  parameter  int         DataWidth = 64,
  parameter  int         Patience  = 32,
  parameter  logic [7:0] AbortTag  = 8'hff,
  localparam int         Lanes     = DataWidth / 8
) (
  input  logic                 clk,
  input  logic                 rst,

  input  app_offer_t           s_tx_request,
  input  logic                 s_tx_request_valid,
  output logic                 s_tx_request_ready,

  output tx_status_t           m_tx_status,
  output logic                 m_tx_status_valid,
  input  logic                 m_tx_status_ready,

  input  logic [DataWidth-1:0] s_tx_data,
  input  logic [    Lanes-1:0] s_tx_keep,
  input  logic                 s_tx_last,
  input  logic                 s_tx_valid,
  output logic                 s_tx_ready,

  output app_offer_t           m_tx_request,
  output logic                 m_tx_request_valid,
  input  logic                 m_tx_request_ready,

  input  tx_status_t           s_tx_status,
  input  logic                 s_tx_status_valid,
  output logic                 s_tx_status_ready,

  output logic [DataWidth-1:0] m_tx_data,
  output logic [    Lanes-1:0] m_tx_keep,
  output logic                 m_tx_last,
  output logic                 m_tx_valid,
  input  logic                 m_tx_ready,

  output app_command_t         m_abort,
  output logic                 m_abort_valid,
  input  logic                 m_abort_ready
);

  // Of each of the two, in the place of its number.
  logic [1:0] request_ready, ask_valid, answer_ready, status_valid;
  logic [1:0] data_ready, out_last, out_valid, abort_valid;
  app_offer_t [1:0] ask;
  tx_status_t [1:0] status;
  logic [1:0][DataWidth-1:0] out_data;
  logic [1:0][Lanes-1:0] out_keep;
  app_command_t [1:0] abort;

  // Whose turn it is. Requests and statuses alternate.
  logic request_q, ask_q, answer_q, status_q;
  // A packet that the engine waits for, and one that the application has been granted. Those who have none
  // are passed over; of two the one that has waited goes on.
  logic [1:0] owed_q, granted_q;
  logic out, out_q, in, in_q, abort_out, abort_q;
  logic answered;

  assign out                = owed_q[out_q] ? out_q : !out_q;
  assign in                 = granted_q[in_q] ? in_q : !in_q;
  assign abort_out          = abort_valid[abort_q] ? abort_q : !abort_q;
  assign answered           = s_tx_status_valid && s_tx_status_ready;

  assign s_tx_request_ready = request_ready[request_q];
  assign m_tx_request       = ask[ask_q];
  assign m_tx_request_valid = ask_valid[ask_q];
  assign s_tx_status_ready  = answer_ready[answer_q];
  assign m_tx_status        = status[status_q];
  assign m_tx_status_valid  = status_valid[status_q];
  assign s_tx_ready         = data_ready[in];
  assign m_tx_data          = out_data[out];
  assign m_tx_keep          = out_keep[out];
  assign m_tx_last          = out_last[out];
  assign m_tx_valid         = out_valid[out];
  assign m_abort            = abort[abort_out];
  assign m_abort_valid      = abort_valid[abort_out];

  for (genvar i = 0; i < 2; i++) begin : gen_guard
    guard_transmit #(
      .DataWidth(DataWidth),
      .Patience (Patience),
      .AbortTag (AbortTag)
    ) guard (
      .clk,
      .rst,
      .s_tx_request,
      .s_tx_request_valid(s_tx_request_valid && request_q == 1'(i)),
      .s_tx_request_ready(request_ready[i]),
      .m_tx_status       (status[i]),
      .m_tx_status_valid (status_valid[i]),
      .m_tx_status_ready (m_tx_status_ready && status_q == 1'(i)),
      .s_tx_data,
      .s_tx_keep,
      .s_tx_last,
      .s_tx_valid        (s_tx_valid && in == 1'(i) && granted_q[i]),
      .s_tx_ready        (data_ready[i]),
      .m_tx_request      (ask[i]),
      .m_tx_request_valid(ask_valid[i]),
      .m_tx_request_ready(m_tx_request_ready && ask_q == 1'(i)),
      .s_tx_status,
      .s_tx_status_valid (s_tx_status_valid && answer_q == 1'(i)),
      .s_tx_status_ready (answer_ready[i]),
      .m_tx_data         (out_data[i]),
      .m_tx_keep         (out_keep[i]),
      .m_tx_last         (out_last[i]),
      .m_tx_valid        (out_valid[i]),
      .m_tx_ready        (m_tx_ready && out == 1'(i) && owed_q[i]),
      .m_abort           (abort[i]),
      .m_abort_valid     (abort_valid[i]),
      .m_abort_ready     (m_abort_ready && abort_out == 1'(i))
    );
  end

  always_ff @(posedge clk) begin
    if (s_tx_request_valid && s_tx_request_ready) request_q <= !request_q;
    if (m_tx_request_valid && m_tx_request_ready) ask_q <= !ask_q;
    if (answered) answer_q <= !answer_q;
    if (m_tx_status_valid && m_tx_status_ready) status_q <= !status_q;
    out_q   <= out;
    in_q    <= in;
    abort_q <= abort_out;

    for (int i = 0; i < 2; i++) begin
      if (answered && answer_q == 1'(i) && s_tx_status.error == TxOk) begin
        owed_q[i]    <= 1'b1;
        granted_q[i] <= 1'b1;
      end
      if (m_tx_valid && m_tx_ready && m_tx_last && out == 1'(i)) owed_q[i] <= 1'b0;
      if (s_tx_valid && s_tx_ready && s_tx_last && in == 1'(i)) granted_q[i] <= 1'b0;
    end

    if (rst) begin
      request_q <= 1'b0;
      ask_q     <= 1'b0;
      answer_q  <= 1'b0;
      status_q  <= 1'b0;
      owed_q    <= '0;
      granted_q <= '0;
      out_q     <= 1'b0;
      in_q      <= 1'b0;
      abort_q   <= 1'b0;
    end
  end

endmodule
