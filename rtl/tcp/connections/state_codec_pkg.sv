// SPDX-License-Identifier: Apache-2.0

// Connection state as it lies in DRAM.
//
// A state takes StateHalves halves of a line, one after the other by id. An odd number is possible:
// then every second state begins in the middle of a line, and still touches LinesPerState.
package state_codec_pkg;

  import tcp_pkg::*;
  import line_memory_pkg::*;

  localparam int HalfBits = LineBits / 2;
  localparam int StateHalves = ($bits(connection_t) + HalfBits - 1) / HalfBits;
  localparam int StateBits = StateHalves * HalfBits;
  localparam int LinesPerState = (StateHalves + 1) / 2;

  typedef logic [StateBits-1:0] state_bits_t;

  function automatic state_bits_t pack_state(input connection_t connection);
    return StateBits'(connection);
  endfunction

  function automatic connection_t unpack_state(input state_bits_t bits);
    return bits[$bits(connection_t)-1:0];
  endfunction

  // What is left of a connection that is closed, when nobody waits for it and nothing names it: its
  // generation. The next one of the id begins with the rest zero.
  function automatic logic is_blank(input connection_t c);
    return c.state == TcpClosed && c.timer_entries == '0 && c.report_final == FinalNone
        && !(c.in_transmit_queue || c.in_deliver_queue || c.in_report_queue || c.in_wait_queue
             || c.in_opening_queue || c.opening_entry_old || c.report_accepted || c.report_acked
             || c.report_peer_closed || c.delivering || c.writing || c.rtx_queued);
  endfunction

  function automatic connection_t blank_state(
      input logic [app_pkg::GenerationWidth-1:0] generation);
    connection_t c;
    c = '0;
    c.generation = generation;
    return c;
  endfunction

endpackage
