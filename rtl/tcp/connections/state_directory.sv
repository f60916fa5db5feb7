// SPDX-License-Identifier: Apache-2.0

// What is known of each connection's state in DRAM: whether it has been written there, and if not, the
// generation of the id's last connection. So DRAM need not be cleared at the start, a connection that
// is opened for the first time causes no read, and one that is closed causes no write.
//
// Latency    1 clock from read_enable_i to what is read, which stays until the next read's.
// Throughput one read and one write a clock; not the same id in the same clock.
// Start      after reset no state is in DRAM and every generation is 0; nothing may be written before
//            init_done_o, an eighth of Connections clocks later.
module state_directory
  import app_pkg::*;
#(
  parameter  int Connections = 64,
  localparam int IdWidth     = $clog2(Connections)
) (
  input  logic                       clk,
  input  logic                       rst,
  output logic                       init_done_o,

  input  logic                       read_enable_i,
  input  logic [        IdWidth-1:0] read_id_i,
  output logic                       stored_o,
  output logic [GenerationWidth-1:0] generation_o,

  input  logic                       write_enable_i,
  input  logic [        IdWidth-1:0] write_id_i,
  input  logic                       stored_i,
  input  logic [GenerationWidth-1:0] generation_i
);

  localparam int Group = 8;  // ids to a word
  localparam int GroupWidth = $clog2(Group);
  localparam int WordWidth = IdWidth - GroupWidth;

  if (Connections < 2 * Group || Connections != 2 ** IdWidth) begin : gen_check_connections
    $error("Connections must be a power of two and at least 16.");
  end

  typedef struct packed {
    logic                       stored;
    logic [GenerationWidth-1:0] generation;
  } note_t;

  logic [WordWidth-1:0] sweep_q;
  logic [GroupWidth-1:0] place_q;
  logic [Group-1:0] write;
  note_t note;
  note_t [Group-1:0] word, written;

  assign note = '{stored: stored_i, generation: generation_i};
  assign written = init_done_o ? {Group{note}} : '0;

  always_comb begin
    write = '0;
    write[write_id_i[GroupWidth-1:0]] = write_enable_i;
    if (!init_done_o) write = '1;
  end

  always_ff @(posedge clk) begin
    if (read_enable_i) place_q <= read_id_i[GroupWidth-1:0];
    if (!init_done_o) begin
      sweep_q     <= sweep_q + 1'b1;
      init_done_o <= sweep_q == '1;
    end

    if (rst) begin
      init_done_o <= 1'b0;
      sweep_q     <= '0;
    end
  end

  ram_simple_dual_port #(
    .Width      (Group * $bits(note_t)),
    .Depth      (Connections / Group),
    .StrobeWidth($bits(note_t)),
    .ReadLatency(1)
  ) notes (
    .clk,
    .write_enable_i (write),
    .write_address_i(init_done_o ? write_id_i[IdWidth-1:GroupWidth] : sweep_q),
    .write_data_i   (written),
    .read_enable_i,
    .read_address_i (read_id_i[IdWidth-1:GroupWidth]),
    .read_data_o    (word)
  );

  assign stored_o = word[place_q].stored;
  assign generation_o = word[place_q].generation;

endmodule
