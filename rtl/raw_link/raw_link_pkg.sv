// SPDX-License-Identifier: Apache-2.0

// The raw link: its header, and what a receiver decides about a frame (docs/raw_link.md).
//
// Wire format, behind the 14 bytes of the Ethernet header:
//
//   byte 14  CID
//   byte 15  First, Ack, Action (2 bits), UIApp (2 bits), Last, Seq bit 0
//   byte 16  Seq bits 8:1
//   byte 17  Reserved (2 bits), Size bits 13:8
//   byte 18  Size bits 7:0
//   byte 19  data
package raw_link_pkg;

  import net_headers_pkg::mac_address_t;

  localparam logic [15:0] EtherTypeRawLink = 16'h88B5;  // IEEE 802 local experimental 1
  localparam int ControlBytes = 5;
  localparam int HeaderBytes = net_headers_pkg::EthernetHeaderBytes + ControlBytes;
  localparam int MaxDataBytes = 16383;
  localparam int MaxApps = 4;
  localparam int GenerationWidth = 4;
  localparam int MaxConnections = 256;

  typedef logic [8:0] raw_seq_t;
  typedef logic [13:0] raw_size_t;
  typedef logic [1:0] raw_app_t;

  typedef enum logic [1:0] {
    ActionData   = 2'd0,
    ActionAck    = 2'd1,
    ActionRefuse = 2'd2
  } action_e;

  // Why a frame was refused: UIApp of the refusal.
  localparam raw_app_t RefuseNoConnection = 2'd0;
  localparam raw_app_t RefuseTableFull = 2'd1;
  localparam raw_app_t RefuseOldFirst = 2'd2;
  localparam raw_app_t RefuseInUse = 2'd3;

  // In wire order.
  typedef struct packed {
    logic [7:0] cid;
    logic       first;
    logic       ack;
    logic [1:0] action;
    raw_app_t   ui_app;
    logic       last;
    logic       seq_low;
    logic [7:0] seq_high;
    logic [1:0] reserved;
    raw_size_t  size;
  } control_header_t;

  typedef struct packed {
    mac_address_t mac;
    logic [7:0]   cid;
  } connection_key_t;

  // Names an entry of the table for as long as it has the same connection.
  typedef struct packed {
    logic [GenerationWidth-1:0]        generation;
    logic [$clog2(MaxConnections)-1:0] index;
  } handle_t;

  // A good frame, without its data.
  typedef struct packed {
    connection_key_t key;
    logic            first;
    logic            ack;
    logic [1:0]      action;
    raw_app_t        ui_app;
    logic            last;
    raw_seq_t        seq;
    raw_size_t       size;
  } frame_t;

  // What comes of a frame: what the applications are told of one that is delivered.
  typedef struct packed {
    logic      deliver;
    logic      connected;  // handle is good; else it was a datagram
    handle_t   handle;
    raw_app_t  ui_app;
    logic      first;
    logic      last;
    raw_size_t size;
  } delivery_t;

  // An acknowledgement or a refusal to be sent.
  typedef struct packed {
    connection_key_t key;
    logic [1:0]      action;
    raw_app_t        ui_app;
    raw_seq_t        seq;
  } response_t;

  // The peer has acknowledged all up to seq.
  typedef struct packed {
    handle_t  handle;
    raw_seq_t seq;
  } acknowledged_t;

  // A frame that an application sends. has_data: a packet follows on its data stream.
  typedef struct packed {
    handle_t  handle;
    raw_app_t ui_app;
    logic     ack;
    logic     last;
    logic     has_data;
  } transmit_t;

  // Counters: one pulse each, but for lost, which is a number of frames.
  typedef struct packed {
    logic       rx_frames;
    logic       drop_fcs;
    logic       drop_runt;
    logic       drop_mac_address;
    logic       drop_ethertype;
    logic       drop_size;
    logic       drop_overflow;
    logic       drop_action;
    logic       drop_no_app;
    logic       drop_no_connection;
    logic       drop_table_full;
    logic       drop_duplicate;
    logic       drop_gap;
    logic       drop_in_use;
    logic       acknowledgements_in;
    logic       refusals_in;
    logic       delivered;
    logic [7:0] lost;
    logic       opened;
    logic       closed;
    logic       tx_frames;
    logic       acknowledgements_out;
    logic       refusals_out;
    logic       drop_tx_closed;
    logic       drop_tx_size;
  } raw_link_counters_t;

  // What a receiver does with a frame.
  typedef struct packed {
    logic               deliver;
    logic               connected;
    logic               open;
    logic               close;
    logic               move;  // what is expected changes to the frame's number plus one
    logic               acknowledged;
    logic               respond;
    response_t          response;
    raw_link_counters_t counts;
  } verdict_t;

  // known: the key has an entry, which is active or not; expected: by that entry; difference: the frame's
  // number less that, which the caller has a clock earlier; room: there is an
  // inactive entry. known and !active: the entry remembers a connection that was closed.
  function automatic verdict_t judge(input frame_t frame, input logic app_exists, input logic known,
                                     input logic active, input raw_seq_t expected,
                                     input raw_seq_t difference, input logic room);
    verdict_t v = '0;
    logic behind = known && difference[$high(difference)];
    logic in_order = difference == '0;
    logic acknowledge = 1'b0;
    logic refuse = 1'b0;
    raw_app_t reason = RefuseNoConnection;

    unique case (frame.action)
      ActionData: begin
        if (!app_exists) begin
          v.counts.drop_no_app = 1'b1;
          refuse = 1'b1;
        end else if (behind) begin
          v.counts.drop_duplicate = 1'b1;
          refuse      = frame.first && !active;
          reason      = RefuseOldFirst;
          acknowledge = !refuse;
        end else if (active && frame.first) begin
          v.counts.drop_in_use = 1'b1;
          refuse = 1'b1;
          reason = RefuseInUse;
        end else if (active && frame.ack && !in_order) begin
          v.counts.drop_gap = 1'b1;
          acknowledge = 1'b1;
        end else if (active) begin
          v.deliver     = 1'b1;
          v.connected   = 1'b1;
          v.move        = 1'b1;
          v.close       = frame.last;
          v.counts.lost = difference[7:0];
        end else if (!frame.first) begin
          v.counts.drop_no_connection = 1'b1;
          refuse = 1'b1;
        end else if (frame.last) begin
          v.deliver = 1'b1;
        end else if (!known && !room) begin
          v.counts.drop_table_full = 1'b1;
          refuse = 1'b1;
          reason = RefuseTableFull;
        end else begin
          v.deliver   = 1'b1;
          v.connected = 1'b1;
          v.open      = 1'b1;
          v.move      = 1'b1;
        end
      end
      ActionAck: begin
        v.acknowledged = known;
        v.counts.acknowledgements_in = known;
        v.counts.drop_no_connection = !known;
      end
      ActionRefuse: begin
        v.close = known && active;
        v.counts.refusals_in = known;
        v.counts.drop_no_connection = !known;
      end
      default: v.counts.drop_action = 1'b1;
    endcase

    v.counts.delivered = v.deliver;
    v.counts.opened    = v.open;
    v.counts.closed    = v.close;

    v.respond         = frame.ack && (v.deliver || acknowledge || refuse);
    v.response.key    = frame.key;
    v.response.action = refuse ? ActionRefuse : ActionAck;
    v.response.ui_app = refuse ? reason : frame.ui_app;
    if (refuse) v.response.seq = known ? expected : frame.seq;
    else v.response.seq = v.deliver ? frame.seq : expected - 1'b1;
    return v;
  endfunction

endpackage
