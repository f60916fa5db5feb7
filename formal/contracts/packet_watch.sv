// SPDX-License-Identifier: Apache-2.0

// Follows one arbitrary byte of one arbitrary packet: what it is, where its packet starts and ends.
//
// A proof puts one of these on each side of the module and compares what they have seen. Packets
// are counted from reset, bytes from lane 0 of the packet's first beat, kept or not. The indices
// come from free inputs of the proof that are assumed not to change.
module packet_watch #(
  parameter  int DataWidth  = 32,
  parameter  int PacketBits = 3,
  parameter  int ByteBits   = 6,
  localparam int Lanes      = DataWidth / 8
) (
  input  logic                  clk,
  input  logic                  rst,
  input  logic [ DataWidth-1:0] data,
  input  logic [     Lanes-1:0] keep,
  input  logic                  last,
  input  logic                  take,
  input  logic [PacketBits-1:0] packet,
  input  logic [  ByteBits-1:0] index,

  output logic                  started_o,  // the packet's first beat has passed
  output logic [  ByteBits-1:0] start_o,    // index of its first byte
  output logic                  seen_o,     // the byte has passed
  output logic [           7:0] byte_o,
  output logic                  ended_o,    // the packet's last beat has passed
  output logic [  ByteBits-1:0] end_o,      // index behind its last byte
  output logic [PacketBits-1:0] packets_o   // packets that have passed
);

  logic [PacketBits-1:0] packets_q = '0;
  logic [ByteBits-1:0] base_q = '0;  // index of lane 0
  logic started_q = 1'b0, seen_q = 1'b0, ended_q = 1'b0;
  logic [ByteBits-1:0] start_q, end_q, lane;
  logic [7:0] byte_q;

  assign started_o = started_q;
  assign start_o   = start_q;
  assign seen_o    = seen_q;
  assign byte_o    = byte_q;
  assign ended_o   = ended_q;
  assign end_o     = end_q;
  assign packets_o = packets_q;
  assign lane      = index - base_q;

  always_ff @(posedge clk) begin
    if (take) begin
      base_q <= last ? '0 : base_q + ByteBits'(Lanes);
      if (last) packets_q <= packets_q + 1'b1;
      if (packets_q == packet && !ended_q) begin
        started_q <= 1'b1;
        ended_q   <= last;
        if (!started_q)
          start_q <= ByteBits'(stream_pkg::lanes_used(stream_pkg::lanes_t'(~keep & (keep - 1'b1))));
        if (last)
          end_q <= base_q + ByteBits'(stream_pkg::lanes_used(
              stream_pkg::lanes_t'(keep | (keep - 1'b1))
          ));
        if (lane < ByteBits'(Lanes) && keep[lane[$clog2(Lanes)-1:0]]) begin
          seen_q <= 1'b1;
          byte_q <= data[lane[$clog2(Lanes)-1:0]*8+:8];
        end
      end
    end

    if (rst) begin
      packets_q <= '0;
      base_q    <= '0;
      started_q <= 1'b0;
      seen_q    <= 1'b0;
      ended_q   <= 1'b0;
    end
  end

  // A run is cut before the counters wrap.
  always_ff @(posedge clk) begin
    if (!rst) assume (packets_q != '1 && base_q < {ByteBits{1'b1}} - ByteBits'(2 * Lanes));
  end

endmodule
