// SPDX-License-Identifier: Apache-2.0

// From the tuple of a segment to the id of its connection; gives new connections their ids.
//
// A lookup with s_open (a SYN to a port that is listened to, an active open) takes a free id and
// inserts the tuple if it is not known: LookupNew, or LookupNoRoom when all ids are taken. m_id means
// something with LookupHit and LookupNew only. Removing a tuple and releasing its id are two steps,
// as the id is still needed where the connection's last segments wait.
//
// Latency, throughput, order, start and hash_key_i are those of cuckoo_table: 4 clocks, 1 lookup a
// clock while nothing is opened or removed, opens and removals 4 to 5 clocks each, with Registers one more. Twice as many
// places as connections, so that every id can be used. With Chained they are those of chain_table: 12 clocks for
// most lookups, one at a time, and s_tuple is taken with the answer. Ids are given out in the order in which
// they were released, the longest unused first. With Registers or Chained they count as free a clock later.
module connection_lookup
  import tcp_pkg::*;
#(
  parameter  int Connections = 64,
  parameter  bit Peek        = 1'b0,  // of cuckoo_table
  parameter  bit Registers   = 1'b0,  // of cuckoo_table
  parameter  bit Chained     = 1'b0,  // chain_table in place of it
  localparam int IdWidth     = $clog2(Connections)
) (
  input  logic               clk,
  input  logic               rst,

  input  logic [      127:0] hash_key_i,  // random, not 0; taken while there is no connection

  input  tuple_t             s_tuple,
  input  logic               s_open,
  input  logic               s_valid,
  output logic               s_ready,

  output lookup_e            m_result,
  output logic [IdWidth-1:0] m_id,
  output logic               m_valid,
  input  logic               m_ready,

  input  tuple_t             s_remove_tuple,
  input  logic [IdWidth-1:0] s_remove_id,
  input  logic               s_remove_valid,
  output logic               s_remove_ready,

  // Always ready.
  input  logic [IdWidth-1:0] s_release_id,
  input  logic               s_release_valid,
  output logic               s_release_ready,

  // Found 2 clocks later (cuckoo_table with Peek).
  input  tuple_t             peek_tuple_i,
  output logic               peek_hit_o,
  output logic [IdWidth-1:0] peek_id_o,

  output logic [  IdWidth:0] free_count_o,   // ids
  output logic [  IdWidth:0] connections_o   // tuples
);

  if (Peek && Chained) begin : gen_check_peek
    $error("A chained table has no second reader: Peek needs Chained 0.");
  end
  if (Connections < 4 || Connections > 65536 || Connections != 2 ** IdWidth)
  begin : gen_check_connections
    $error("Connections must be a power of two, 4 to 65536.");
  end

  logic [IdWidth-1:0] free_id, push_id;
  logic free_valid, free_ready, push_valid;

  assign s_release_ready = 1'b1;

  if (Registers || Chained) begin : gen_release_register
    always_ff @(posedge clk) begin
      push_id    <= s_release_id;
      push_valid <= s_release_valid;

      if (rst) push_valid <= 1'b0;
    end
  end else begin : gen_no_release_register
    assign push_id    = s_release_id;
    assign push_valid = s_release_valid;
  end

  id_queue #(
    .Connections(Connections),
    .FullAtReset(1'b1),
    .Registers  (Registers || Chained)
  ) free_ids (
    .clk,
    .rst,
    .push_id,
    .push_valid,
    .m_id      (free_id),
    .m_valid   (free_valid),
    .m_ready   (free_ready),
    .count_o   (free_count_o)
  );

  if (Chained) begin : gen_chained
    localparam int HashKeyWidth = $bits(tuple_t) + IdWidth - 1;

    logic unused_inputs;
    assign unused_inputs = &{1'b0, hash_key_i[127:HashKeyWidth], peek_tuple_i};
    assign peek_hit_o    = 1'b0;
    assign peek_id_o     = '0;

    chain_table #(
      .KeyWidth  ($bits(tuple_t)),
      .ValueWidth(IdWidth)
    ) tuples (
      .clk,
      .rst,
      .hash_key_i    (hash_key_i[HashKeyWidth-1:0]),
      .s_key         (s_tuple),
      .s_insert      (s_open),
      .s_valid,
      .s_ready,
      .m_result,
      .m_value       (m_id),
      .m_valid,
      .m_ready,
      .s_remove_key  (s_remove_tuple),
      .s_remove_value(s_remove_id),
      .s_remove_valid,
      .s_remove_ready,
      .s_free_value  (free_id),
      .s_free_valid  (free_valid),
      .s_free_ready  (free_ready),
      .entries_o     (connections_o)
    );
  end else begin : gen_cuckoo
    localparam int Ways = 4;
    localparam int WayDepth = 2 * Connections / Ways;
    localparam int HashKeyWidth = $bits(tuple_t) + Ways * $clog2(WayDepth) - 1;
    localparam int EntriesWidth = $clog2(Ways * WayDepth + 5);
    logic [EntriesWidth-1:0] entries;

    // There are as many tuples as ids at most.
    assign connections_o = entries[IdWidth:0];

    logic [EntriesWidth-1:IdWidth+1] unused_entries;
    logic [127:HashKeyWidth] unused_hash_key;
    assign unused_entries  = entries[EntriesWidth-1:IdWidth+1];
    assign unused_hash_key = hash_key_i[127:HashKeyWidth];

    cuckoo_table #(
      .KeyWidth  ($bits(tuple_t)),
      .ValueWidth(IdWidth),
      .WayDepth  (WayDepth),
      .Peek      (Peek),
      .Registers (Registers)
    ) tuples (
      .clk,
      .rst,
      .hash_key_i    (hash_key_i[HashKeyWidth-1:0]),
      .s_key         (s_tuple),
      .s_insert      (s_open),
      .s_valid,
      .s_ready,
      .m_result,
      .m_value       (m_id),
      .m_valid,
      .m_ready,
      .s_remove_key  (s_remove_tuple),
      .s_remove_value(s_remove_id),
      .s_remove_valid,
      .s_remove_ready,
      .s_free_value  (free_id),
      .s_free_valid  (free_valid),
      .s_free_ready  (free_ready),
      .peek_key_i    (peek_tuple_i),
      .peek_hit_o,
      .peek_value_o  (peek_id_o),
      .entries_o     (entries)
    );
  end

endmodule
