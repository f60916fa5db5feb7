// SPDX-License-Identifier: Apache-2.0

// Sender: acknowledgements and refusals, and the frames of applications with the next number of
// their connection; headers, and padding to 60 bytes.
//
// Latency    from a response to the first beat out: 3 clocks; from the head of a frame: 5.
// Throughput 1 beat a clock; between frames up to 5 clocks, which an 8-bit MAC does not notice, and
//            one of the same width only where it leaves fewer between frames.
// Paths      m_* are registers.
//
// Responses come first. A frame whose connection is gone is dropped and counted. The FCS is the
// MAC's part.
module raw_link_sender
  import net_headers_pkg::*;
  import raw_link_pkg::*;
#(
  parameter  int          DataWidth = 32,
  parameter  logic [15:0] EtherType = EtherTypeRawLink,
  localparam int          Lanes     = DataWidth / 8
) (
  input  logic                 clk,
  input  logic                 rst,

  input  mac_address_t         mac_i,

  input  response_t            s_response,
  input  logic                 s_response_valid,
  output logic                 s_response_ready,

  input  transmit_t            s_head,
  input  raw_size_t            s_size,
  input  logic                 s_head_valid,
  output logic                 s_head_ready,

  input  logic [DataWidth-1:0] s_data,
  input  logic [    Lanes-1:0] s_keep,
  input  logic                 s_last,
  input  logic                 s_valid,
  output logic                 s_ready,

  // Who is at the other end, and the next number; found and the rest a clock later. valid comes a clock
  // before the handle, as ready comes a clock after valid.
  output handle_t              m_lookup_handle,
  output logic                 m_lookup_valid,
  input  logic                 m_lookup_ready,
  input  logic                 s_lookup_found,
  input  connection_key_t      s_lookup_key,
  input  raw_seq_t             s_lookup_seq,

  output logic [DataWidth-1:0] m_data,
  output logic [    Lanes-1:0] m_keep,
  output logic                 m_last,
  output logic                 m_valid,
  input  logic                 m_ready,

  output raw_link_counters_t   counts_o
);

  typedef enum logic [2:0] {
    StIdle,    // nothing to send yet; takes responses
    StLookup,  // ask for the connection of a frame
    StFound,   // and take the answer
    StHeader,  // the header of a frame or of a response, until it has left
    StWait,    // until the frame before has its data
    StDrain    // data that goes nowhere
  } state_e;

  state_e state_q;
  handle_t handle_q;
  mac_address_t destination_q;
  control_header_t control_q, response_control, head_control;
  ethernet_header_t ethernet;
  logic [HeaderBytes*8-1:0] header, header_bytes;
  logic is_response_q, has_data_q, header_valid, header_taken, framer_idle;
  logic data_ready, drained;

  assign response_control = '{
      cid: s_response.key.cid,
      action: s_response.action,
      ui_app: s_response.ui_app,
      seq_high: s_response.seq[8:1],
      seq_low: s_response.seq[0],
      default: '0
  };
  assign head_control = '{
      cid: s_lookup_key.cid,
      ack: s_head.ack,
      action: ActionData,
      ui_app: s_head.ui_app,
      last: s_head.last,
      seq_high: s_lookup_seq[8:1],
      seq_low: s_lookup_seq[0],
      size: s_size,
      default: '0
  };
  assign ethernet = '{destination: destination_q, source: mac_i, ether_type: EtherType};
  assign header   = {ethernet, control_q};

  always_comb begin
    for (int b = 0; b < HeaderBytes; b++) begin
      header_bytes[b*8+:8] = header[(HeaderBytes-1-b)*8+:8];
    end
  end

  assign s_response_ready = state_q == StIdle;
  assign m_lookup_handle  = handle_q;
  assign m_lookup_valid   =
      state_q == StLookup || (state_q == StIdle && s_head_valid && !s_response_valid);
  assign s_head_ready     = state_q == StFound;
  assign header_valid     = state_q == StHeader;
  assign drained          = state_q == StDrain && s_valid && s_last;

  // Data goes to the frame whose header has gone before, or nowhere: then the framer has none.
  assign s_ready = (state_q == StDrain) || data_ready;

  always_ff @(posedge clk) begin
    counts_o <= '0;

    unique case (state_q)
      StIdle: begin
        handle_q      <= s_head.handle;
        destination_q <= s_response.key.mac;
        control_q     <= response_control;
        is_response_q <= s_response_valid;
        if (s_response_valid) state_q <= StHeader;
        else if (s_head_valid) state_q <= StLookup;
      end
      StLookup: if (m_lookup_ready) state_q <= StFound;
      StFound: begin
        destination_q <= s_lookup_key.mac;
        control_q     <= head_control;
        if (s_lookup_found) state_q <= StHeader;
        else if (s_head.has_data) state_q <= StWait;
        else state_q <= StIdle;
        counts_o.drop_tx_closed <= !s_lookup_found;
      end
      StHeader: begin
        if (header_taken) begin
          state_q <= StIdle;
          counts_o.tx_frames            <= 1'b1;
          counts_o.acknowledgements_out <= is_response_q && control_q.action == ActionAck;
          counts_o.refusals_out         <= is_response_q && control_q.action != ActionAck;
        end
      end
      StWait: if (framer_idle) state_q <= StDrain;
      default: if (drained) state_q <= StIdle;
    endcase
    has_data_q <= state_q == StFound ? s_head.has_data : has_data_q && state_q != StIdle;

    if (rst) begin
      state_q  <= StIdle;
      counts_o <= '0;
    end
  end

  raw_link_framer #(
    .DataWidth(DataWidth)
  ) framer (
    .clk,
    .rst,
    .s_header       (header_bytes),
    .s_has_data     (has_data_q),
    .s_header_valid (header_valid),
    .s_header_ready (header_taken),
    .idle_o         (framer_idle),
    .s_data,
    .s_keep,
    .s_last,
    .s_valid        (s_valid && state_q != StDrain),
    .s_ready        (data_ready),
    .m_data,
    .m_keep,
    .m_last,
    .m_valid,
    .m_ready
  );

endmodule
