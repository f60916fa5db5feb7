// SPDX-License-Identifier: Apache-2.0

// Registers in a stream, or none: where a configuration decides whether a path is cut.
//
// Places     0  wires
//            1  stream_register with Half: 1 clock, a transfer every second clock, m_data is a register
//            2  stream_register with Wide: 1 clock, 1 transfer a clock
module stream_stage #(
  parameter type T      = logic [31:0],
  parameter int  Places = 0
) (
  input  logic clk,
  input  logic rst,

  input  T     s_data,
  input  logic s_valid,
  output logic s_ready,

  output T     m_data,
  output logic m_valid,
  input  logic m_ready
);

  if (Places < 0 || Places > 2) begin : gen_check_places
    $error("Places must be 0, 1 or 2.");
  end

  if (Places != 0) begin : gen_register
    stream_register #(
      .T   (T),
      .Half(Places == 1),
      .Wide(Places == 2)
    ) places (
      .clk,
      .rst,
      .s_data,
      .s_valid,
      .s_ready,
      .m_data,
      .m_valid,
      .m_ready
    );
  end else begin : gen_wires
    assign m_data  = s_data;
    assign m_valid = s_valid;
    assign s_ready = m_ready;

    logic unused_clock;
    assign unused_clock = &{1'b0, clk, rst};
  end

endmodule
