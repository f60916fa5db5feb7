// SPDX-License-Identifier: Apache-2.0

// Words that the parts of tuple_index say to each other, and how a bucket lies in memory.
package tuple_index_pkg;

  import app_pkg::*;
  import tcp_pkg::*;
  import line_memory_pkg::*;

  localparam int BucketEntries = 5;

  // An entry of a bucket, 12 bytes, so that one can be written by strobe. A line has room for five.
  typedef struct packed {
    logic [10:0]               reserved;
    logic                      valid;
    logic [SessionIdWidth-1:0] id;
    tuple_t                    tuple;
  } bucket_entry_t;

  localparam int EntryBytes = $bits(bucket_entry_t) / 8;

  typedef struct packed {
    logic [LineBits-BucketEntries*8*EntryBytes-1:0] reserved;
    bucket_entry_t [BucketEntries-1:0] entry;
  } bucket_t;

  typedef logic [2:0] place_t;  // of an entry in its bucket

  // What goes through the pipeline of the index.
  typedef enum logic [1:0] {
    OpLookup = 2'd0,
    OpRemove = 2'd1,  // a connection's tuple is to go
    OpVictim = 2'd2,  // an entry has to leave its bucket for another: a slot for it, if it has none
    OpFill   = 2'd3   // what a slot knows goes to the cache, and the slot becomes free
  } index_op_e;

  // What memory, or the cache, says of a tuple.
  typedef struct packed {
    logic                      found;
    logic [SessionIdWidth-1:0] id;
  } finding_t;

  // One pulse each.
  typedef struct packed {
    logic hit;          // answered on chip
    logic miss;         // a lookup that begins to ask memory
    logic read;         // a bucket is read for a lookup,
    logic second_read;  // which was not in its first
    logic kick;         // an entry changes its bucket
    logic refused;      // there was no room for a new connection, though there was an id
  } index_counts_t;

endpackage
