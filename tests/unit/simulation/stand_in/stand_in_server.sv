// SPDX-License-Identifier: Apache-2.0

// Stands in for `toe_server` where the simulation itself is under test: the same ports, none of
// the protocols.
//
// Frames are answered by themselves with the MAC and IPv4 addresses swapped (so a ping is answered
// by the sender's own kernel), after `echo` is enabled; marked frames are dropped and counted.
// Commands get a result with the same tag. What the application sends comes back to it as received
// data. Registers are plain memory, but for the counters at CounterBase. The frame and the message
// stores hold one item each.
module stand_in_server
  import toe_config_pkg::*;
#(
  parameter preset_e Preset = PresetSmall,
  parameter int DataWidth = 0,
  parameter int Width = DataWidth == 0 ? 64 : DataWidth,
  parameter int Lanes = Width / 8
) (
  input logic clk,
  input logic rst,

  input logic [31:0] now_us,
  input logic [4:0] app_enable_i,

  input  logic [Width-1:0] s_axis_rx_tdata,
  input  logic [Lanes-1:0] s_axis_rx_tkeep,
  input  logic             s_axis_rx_tlast,
  input  logic             s_axis_rx_tuser,
  input  logic             s_axis_rx_tvalid,
  output logic             s_axis_rx_tready,

  output logic [Width-1:0] m_axis_tx_tdata,
  output logic [Lanes-1:0] m_axis_tx_tkeep,
  output logic             m_axis_tx_tlast,
  output logic             m_axis_tx_tvalid,
  input  logic             m_axis_tx_tready,

  input  logic [11:0] s_axil_awaddr,
  input  logic [ 2:0] s_axil_awprot,
  input  logic        s_axil_awvalid,
  output logic        s_axil_awready,
  input  logic [31:0] s_axil_wdata,
  input  logic [ 3:0] s_axil_wstrb,
  input  logic        s_axil_wvalid,
  output logic        s_axil_wready,
  output logic [ 1:0] s_axil_bresp,
  output logic        s_axil_bvalid,
  input  logic        s_axil_bready,
  input  logic [11:0] s_axil_araddr,
  input  logic [ 2:0] s_axil_arprot,
  input  logic        s_axil_arvalid,
  output logic        s_axil_arready,
  output logic [31:0] s_axil_rdata,
  output logic [ 1:0] s_axil_rresp,
  output logic        s_axil_rvalid,
  input  logic        s_axil_rready,

  input  logic        s_app_command_valid,
  output logic        s_app_command_ready,
  input  logic [ 3:0] s_app_command_op,
  input  logic [ 7:0] s_app_command_tag,
  input  logic [23:0] s_app_command_session,
  input  logic [15:0] s_app_command_local_port,
  input  logic [31:0] s_app_command_remote_ip,
  input  logic [15:0] s_app_command_remote_port,
  input  logic [31:0] s_app_command_value,

  output logic        m_app_event_valid,
  input  logic        m_app_event_ready,
  output logic [ 3:0] m_app_event_kind,
  output logic [ 7:0] m_app_event_tag,
  output logic [ 3:0] m_app_event_result,
  output logic [23:0] m_app_event_session,
  output logic [15:0] m_app_event_local_port,
  output logic [31:0] m_app_event_remote_ip,
  output logic [15:0] m_app_event_remote_port,
  output logic [31:0] m_app_event_value,

  output logic        m_app_rx_query_valid,
  input  logic        m_app_rx_query_ready,
  output logic [23:0] m_app_rx_query_session,
  output logic [15:0] m_app_rx_query_length,
  input  logic        s_app_rx_grant_valid,
  output logic        s_app_rx_grant_ready,
  input  logic [15:0] s_app_rx_grant_length,

  output logic [Width-1:0] m_app_rx_data,
  output logic [Lanes-1:0] m_app_rx_keep,
  output logic             m_app_rx_last,
  output logic             m_app_rx_error,
  output logic             m_app_rx_valid,
  input  logic             m_app_rx_ready,
  output logic [     23:0] m_app_rx_session,

  input  logic             s_app_tx_request_valid,
  output logic             s_app_tx_request_ready,
  input  logic [     23:0] s_app_tx_request_session,
  input  logic [     15:0] s_app_tx_request_length,
  output logic             m_app_tx_status_valid,
  input  logic             m_app_tx_status_ready,
  output logic [      1:0] m_app_tx_status_error,
  output logic [     23:0] m_app_tx_status_session,
  output logic [     31:0] m_app_tx_status_space,
  input  logic [Width-1:0] s_app_tx_data,
  input  logic [Lanes-1:0] s_app_tx_keep,
  input  logic             s_app_tx_last,
  input  logic             s_app_tx_valid,
  output logic             s_app_tx_ready
);

  localparam int Space = 4096;  // bytes of the frame store, and of the message store
  localparam int CounterBase = 'h200;  // rx_frames, rx_bytes, tx_frames, tx_bytes, drop_fcs

  function automatic int count_bytes(input logic [Lanes-1:0] keep);
    int count = 0;
    for (int lane = 0; lane < Lanes; lane++) count += int'(keep[lane]);
    return count;
  endfunction

  // Where the byte at `position` of the answer comes from: source and destination swapped.
  function automatic int swapped(input int position);
    if (position < 6) return position + 6;
    if (position < 12) return position - 6;
    if (position >= 26 && position < 30) return position + 4;
    if (position >= 30 && position < 34) return position - 4;
    return position;
  endfunction

  // Frames.
  logic [7:0] frame_q[Space];
  int         frame_length_q;
  int         frame_sent_q;
  logic       frame_sending_q;
  logic [31:0] rx_frames_q, rx_bytes_q, tx_frames_q, tx_bytes_q, drop_fcs_q;

  assign s_axis_rx_tready = !frame_sending_q;
  assign m_axis_tx_tvalid = frame_sending_q;
  assign m_axis_tx_tlast  = frame_sent_q + Lanes >= frame_length_q;

  always_comb begin
    for (int lane = 0; lane < Lanes; lane++) begin
      m_axis_tx_tkeep[lane]        = frame_sent_q + lane < frame_length_q;
      m_axis_tx_tdata[8*lane+:8] = frame_q[swapped(frame_sent_q + lane) % Space];
    end
  end

  always_ff @(posedge clk) begin
    if (s_axis_rx_tvalid && s_axis_rx_tready) begin
      for (int lane = 0; lane < Lanes; lane++) begin
        frame_q[(frame_length_q+lane)%Space] <= s_axis_rx_tdata[8*lane+:8];
      end
      frame_length_q <= frame_length_q + count_bytes(s_axis_rx_tkeep);
      rx_bytes_q     <= rx_bytes_q + count_bytes(s_axis_rx_tkeep);
      if (s_axis_rx_tlast) begin
        rx_frames_q     <= rx_frames_q + 1;
        frame_sending_q <= !s_axis_rx_tuser && app_enable_i[0];
        frame_sent_q    <= 0;
        if (s_axis_rx_tuser) drop_fcs_q <= drop_fcs_q + 1;
        if (s_axis_rx_tuser || !app_enable_i[0]) frame_length_q <= 0;
      end
    end
    if (m_axis_tx_tvalid && m_axis_tx_tready) begin
      frame_sent_q <= frame_sent_q + Lanes;
      if (m_axis_tx_tlast) begin
        tx_frames_q     <= tx_frames_q + 1;
        tx_bytes_q      <= tx_bytes_q + frame_length_q;
        frame_sending_q <= 1'b0;
        frame_length_q  <= 0;
      end
    end
    if (rst) begin
      frame_sending_q <= 1'b0;
      frame_length_q  <= 0;
      rx_frames_q     <= 0;
      rx_bytes_q      <= 0;
      tx_frames_q     <= 0;
      tx_bytes_q      <= 0;
      drop_fcs_q      <= 0;
    end
  end

  // Registers. The upper half of the address space answers with an error.
  logic [31:0] registers_q[512];
  logic write_ok, read_ok;

  assign write_ok       = s_axil_awvalid && s_axil_wvalid && !s_axil_bvalid;
  assign read_ok        = s_axil_arvalid && !s_axil_rvalid;
  assign s_axil_awready = write_ok;
  assign s_axil_wready  = write_ok;
  assign s_axil_arready = read_ok;

  always_ff @(posedge clk) begin
    if (s_axil_bready) s_axil_bvalid <= 1'b0;
    if (s_axil_rready) s_axil_rvalid <= 1'b0;
    if (write_ok) begin
      s_axil_bvalid <= 1'b1;
      s_axil_bresp  <= s_axil_awaddr[11] ? 2'b10 : 2'b00;
      for (int lane = 0; lane < 4; lane++) begin
        if (s_axil_wstrb[lane] && !s_axil_awaddr[11]) begin
          registers_q[s_axil_awaddr[10:2]][8*lane+:8] <= s_axil_wdata[8*lane+:8];
        end
      end
    end
    if (read_ok) begin
      s_axil_rvalid <= 1'b1;
      s_axil_rresp  <= s_axil_araddr[11] ? 2'b10 : 2'b00;
      case (int'(s_axil_araddr))
        CounterBase:      s_axil_rdata <= rx_frames_q;
        CounterBase + 4:  s_axil_rdata <= rx_bytes_q;
        CounterBase + 8:  s_axil_rdata <= tx_frames_q;
        CounterBase + 12: s_axil_rdata <= tx_bytes_q;
        CounterBase + 16: s_axil_rdata <= drop_fcs_q;
        'h7fc:             s_axil_rdata <= now_us;
        default:          s_axil_rdata <= registers_q[s_axil_araddr[10:2]];
      endcase
    end
    if (rst) begin
      s_axil_bvalid <= 1'b0;
      s_axil_rvalid <= 1'b0;
    end
  end

  // Commands.
  assign s_app_command_ready = !m_app_event_valid;

  always_ff @(posedge clk) begin
    if (m_app_event_ready) m_app_event_valid <= 1'b0;
    if (s_app_command_valid && s_app_command_ready) begin
      m_app_event_valid       <= 1'b1;
      m_app_event_kind        <= '0;
      m_app_event_tag         <= s_app_command_tag;
      m_app_event_result      <= s_app_command_op;
      m_app_event_session     <= s_app_command_session;
      m_app_event_local_port  <= s_app_command_local_port;
      m_app_event_remote_ip   <= s_app_command_remote_ip;
      m_app_event_remote_port <= s_app_command_remote_port;
      m_app_event_value       <= s_app_command_value;
    end
    if (rst) m_app_event_valid <= 1'b0;
  end

  // Messages. Session 0 is refused, all others have Space.
  typedef enum logic [2:0] {
    StRequest,  // wait for a request
    StStatus,   // say whether the message may come
    StTake,     // take the payload
    StQuery,    // offer it back
    StGrant,    // wait for how much of it is wanted
    StGive      // give that much
  } state_e;

  state_e      state_q;
  logic [ 7:0] message_q[Space];
  logic [23:0] session_q;
  int offered_q, wanted_q, given_q;

  assign s_app_tx_request_ready  = state_q == StRequest;
  assign m_app_tx_status_valid   = state_q == StStatus;
  assign m_app_tx_status_error   = session_q == 0 ? 2'd1 : 2'd0;
  assign m_app_tx_status_session = session_q;
  assign m_app_tx_status_space   = session_q == 0 ? 0 : Space;
  assign s_app_tx_ready          = state_q == StTake;
  assign m_app_rx_query_valid    = state_q == StQuery;
  assign m_app_rx_query_session  = session_q;
  assign m_app_rx_query_length   = 16'(offered_q);
  assign s_app_rx_grant_ready    = state_q == StGrant;
  assign m_app_rx_valid          = state_q == StGive;
  assign m_app_rx_session        = session_q;
  assign m_app_rx_error          = 1'b0;
  assign m_app_rx_last           = given_q + Lanes >= wanted_q;

  always_comb begin
    for (int lane = 0; lane < Lanes; lane++) begin
      m_app_rx_keep[lane]        = given_q + lane < wanted_q;
      m_app_rx_data[8*lane+:8] = message_q[(given_q + lane) % Space];
    end
  end

  always_ff @(posedge clk) begin
    case (state_q)
      StRequest: begin
        session_q <= s_app_tx_request_session;
        offered_q <= 0;
        if (s_app_tx_request_valid) state_q <= StStatus;
      end
      StStatus: if (m_app_tx_status_ready) state_q <= session_q == 0 ? StRequest : StTake;
      StTake: begin
        if (s_app_tx_valid) begin
          for (int lane = 0; lane < Lanes; lane++) begin
            message_q[(offered_q + lane) % Space] <= s_app_tx_data[8*lane+:8];
          end
          offered_q <= offered_q + count_bytes(s_app_tx_keep);
          if (s_app_tx_last) state_q <= StQuery;
        end
      end
      StQuery: if (m_app_rx_query_ready) state_q <= StGrant;
      StGrant: begin
        given_q  <= 0;
        wanted_q <= int'(s_app_rx_grant_length);
        if (s_app_rx_grant_valid) state_q <= s_app_rx_grant_length == 0 ? StQuery : StGive;
      end
      default: begin
        if (m_app_rx_ready) begin
          given_q <= given_q + Lanes;
          if (m_app_rx_last) state_q <= StRequest;
        end
      end
    endcase
    if (rst) state_q <= StRequest;
  end

endmodule
