// SPDX-License-Identifier: Apache-2.0

// An application of the raw link that sends the data of each frame back on its connection. A Last
// is answered with Last. Frames without data, and datagrams, which have no connection to answer on,
// are not answered.
//
// Latency    1 clock from a head to the head of the answer; data goes through.
// Throughput 1 beat a clock; a frame takes 2 clocks more than its data has beats.
// Paths      s_app_ready reaches m_app_ready, and m_app_* reach s_app_*, combinationally.
//
// Named from the side of raw_link: m_app_* come from it, s_app_* go to it.
module raw_link_pong
  import raw_link_pkg::*;
#(
  parameter  int DataWidth = 32,
  localparam int Lanes     = DataWidth / 8
) (
  input  logic                 clk,
  input  logic                 rst,

  // verilator lint_off UNUSEDSIGNAL
  input  delivery_t            m_app_head,  // only what is delivered comes; First is of no interest
  // verilator lint_on UNUSEDSIGNAL
  input  logic                 m_app_head_valid,
  output logic                 m_app_head_ready,
  input  logic [DataWidth-1:0] m_app_data,
  input  logic [    Lanes-1:0] m_app_keep,
  input  logic                 m_app_last,
  input  logic                 m_app_valid,
  output logic                 m_app_ready,

  output transmit_t            s_app_head,
  output logic                 s_app_head_valid,
  input  logic                 s_app_head_ready,
  output logic [DataWidth-1:0] s_app_data,
  output logic [    Lanes-1:0] s_app_keep,
  output logic                 s_app_last,
  output logic                 s_app_valid,
  input  logic                 s_app_ready
);

  typedef enum logic [1:0] {
    StHead,    // wait for a frame
    StAnswer,  // offer the answer's head
    StData,    // send its data back
    StDrain    // data that is not answered
  } state_e;

  state_e state_q;
  logic   data_end;

  assign m_app_head_ready = state_q == StHead;
  assign s_app_head_valid = state_q == StAnswer;
  assign s_app_data       = m_app_data;
  assign s_app_keep       = m_app_keep;
  assign s_app_last       = m_app_last;
  assign s_app_valid      = state_q == StData && m_app_valid;
  assign m_app_ready      = state_q == StDrain || (state_q == StData && s_app_ready);
  assign data_end         = m_app_valid && m_app_ready && m_app_last;

  always_ff @(posedge clk) begin
    unique case (state_q)
      StHead: begin
        s_app_head <= '{
            handle: m_app_head.handle,
            ui_app: m_app_head.ui_app,
            ack: 1'b0,
            last: m_app_head.last,
            has_data: 1'b1
        };
        if (m_app_head_valid && m_app_head.size != '0) begin
          state_q <= m_app_head.connected ? StAnswer : StDrain;
        end
      end
      StAnswer: if (s_app_head_ready) state_q <= StData;
      default: if (data_end) state_q <= StHead;
    endcase

    if (rst) state_q <= StHead;
  end

endmodule
