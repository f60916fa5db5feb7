// SPDX-License-Identifier: Apache-2.0

// Key-value store that speaks the Redis protocol (RESP2, and RESP3 if it is asked for). Any number of connections at once; requests
// may come in pieces and several at a time.
//
// One worker serves the sessions in turn: what a session's ring holds goes through resp_parser_pkg a
// byte a clock; at the end of a command its reply is written, then room for it is asked for, and
// only when there is room does the command take effect. Without room the command stays where it is, and what
// follows it stays in the ring, until the session's next EventAcked: a client that does not read
// holds up itself.
//
// Keys and values are in RAM of fixed places (key_value_table, a value of MaxValue bytes for each).
// A table that is full refuses new keys and keeps those that it has.
//
// The session is closed after QUIT, after an answer to what breaks the protocol, or, with every
// request answered, when the peer has closed.
module app_key_value
  import net_headers_pkg::*;
  import app_pkg::*;
  import apps_pkg::*;
  import key_value_pkg::*;
  import resp_parser_pkg::*;
#(
  parameter  int          DataWidth   = 64,
  parameter  int          Connections = 64,
  parameter  bit          CutThrough  = 1'b0,           // s_rx_error may come
  parameter  int          Entries     = 256,            // keys
  parameter  int          Ways        = 4,
  parameter  int          MaxKey      = 32,             // bytes
  parameter  int          MaxValue    = 64,             // bytes
  parameter  logic [31:0] HashKey     = 32'h7f4a_7c15,
  localparam int          Lanes       = DataWidth / 8
) (
  input  logic                 clk,
  input  logic                 rst,

  input  logic                 enable_i,

  output app_command_t         m_command,
  output logic                 m_command_valid,
  input  logic                 m_command_ready,

  input  app_event_t           s_event,
  input  logic                 s_event_valid,
  output logic                 s_event_ready,

  input  app_offer_t           s_query,
  input  logic                 s_query_valid,
  output logic                 s_query_ready,

  output logic [         15:0] m_grant_length,
  output logic                 m_grant_valid,
  input  logic                 m_grant_ready,

  input  logic [DataWidth-1:0] s_rx_data,
  input  logic [    Lanes-1:0] s_rx_keep,
  input  logic                 s_rx_last,
  input  logic                 s_rx_error,
  input  logic                 s_rx_valid,
  output logic                 s_rx_ready,

  output app_offer_t           m_tx_request,
  output logic                 m_tx_request_valid,
  input  logic                 m_tx_request_ready,

  // Messages are whole structs; not every field matters here.
  // verilator lint_off UNUSEDSIGNAL
  input  tx_status_t           s_tx_status,
  // verilator lint_on UNUSEDSIGNAL
  input  logic                 s_tx_status_valid,
  output logic                 s_tx_status_ready,

  output logic [DataWidth-1:0] m_tx_data,
  output logic [    Lanes-1:0] m_tx_keep,
  output logic                 m_tx_last,
  output logic                 m_tx_valid,
  input  logic                 m_tx_ready
);

  if (MaxValue < 32 || MaxValue > 512 || 2 ** $clog2(MaxValue) != MaxValue) begin : gen_check_value
    $error("MaxValue must be a power of two from 32 to 512 bytes.");
  end

  // The ring of a session holds what the parser asks to keep, and a byte to go on with. Two beats fit.
  localparam int KeptBytes = MaxKey + MaxValue + KeptBeside + 1;
  localparam int RingBytes = 2 ** $clog2(KeptBytes > 2 * Lanes ? KeptBytes : 2 * Lanes);
  localparam int RingWidth = $clog2(RingBytes);
  // An inline request can be kept whole.
  localparam int MaxInline = MaxKey + MaxValue;

  // A value with its length and ends of lines, or a text.
  localparam int WantedBytes = MaxValue + 16 > LongestText ? MaxValue + 16 : LongestText;
  localparam int ReplyBytes = 2 ** $clog2(WantedBytes > 2 * Lanes ? WantedBytes : 2 * Lanes);
  localparam int ReplyWidth = $clog2(ReplyBytes + 1);

  localparam int ValueWidth = $clog2(MaxValue + 1);
  localparam int IdWidth = $clog2(Connections);
  localparam int SlotWidth = $clog2(Entries);
  localparam int IndexWidth = $clog2(MaxValue);
  localparam int CountWidth = $clog2(Entries + 1);
  localparam int NumberWidth = 21;

  typedef logic [ValueWidth-1:0] value_length_t;
  typedef logic [RingWidth-1:0] ring_t;  // a place in it

  typedef struct packed {
    resp_parser_t parser;
    position_t    position;  // of the next byte
    logic         closed;    // by us
    logic         resp3;     // the client wants this version of the protocol
  } session_state_t;

  // Where bytes come from: what the session has sent, a value, or the text of the sum.
  typedef enum logic [1:0] {
    SourceRing,
    SourceStore,
    SourceSum
  } source_e;

  // What a command changes, once there is room for its reply.
  typedef enum logic [1:0] {
    ChangeNothing,
    ChangeValue,    // it is what the client has sent
    ChangeSum,      // it is the sum
    ChangeFlush
  } change_e;

  typedef enum logic [4:0] {
    StIdle,        // wait for a session
    StLoad,        // its state is on the way
    StBegin,       // read what it has sent
    StParse,
    StEnd,         // nothing more is there
    StDecide,      // a command, or a key of several, has come
    StKey,         // the key goes to the table
    StFind,        // is looked up
    StCurrent,     // the value as a number
    StAddCurrent,
    StOperand,     // the sum is the value, or 0
    StAmount,      // what is to be added
    StAddAmount,
    StSum,
    StConvert,     // of the sum to text
    StReply,       // is being written
    StRequest,     // ask for room
    StStatus,      // hear whether there is
    StChange,      // the command takes effect, the reply goes out
    StChanged,
    StClose,
    StSave         // the state goes back
  } state_e;

  state_e state_q, state_d;
  session_state_t session_q, session_d, loaded;
  session_t name_q, name_d, work_name, push_name, input_name;
  resp_parser_t parser;
  position_t head_q, head_d, head;
  logic head_moves_q, head_moves_d, head_moves;
  source_e source_q, source_d;
  change_e change_q, change_d;
  logic second_q;  // a second clock in the same state

  assign parser = session_q.parser;

  // ---- Events, and who wants attention

  logic event_taken, event_counts, event_pushed, input_pushed, input_valid;
  logic push_valid, push_ready, work_valid, load, load_ready, loaded_valid, known, peer_closed;
  logic save_ready, saving, peek, peeked, unused_index, close_ready, accepted;
  session_t peek_session;
  position_t tail;

  assign event_taken   = s_event_valid && s_event_ready;
  assign event_counts  = s_event.kind == EventAcked || s_event.kind == EventPeerClosed;
  assign s_event_ready = !event_counts || event_pushed;
  assign accepted      = event_taken && s_event.kind == EventAccepted;
  assign saving        = state_q == StSave;

  // Events first: they are not to wait.
  stream_arbiter #(
    .T         (session_t),
    .N         (2),
    .RoundRobin(1'b0)
  ) pushes (
    .clk,
    .rst,
    .s_data ('{s_event.session, input_name}),
    .s_valid({input_valid, s_event_valid && event_counts}),
    .s_ready({input_pushed, event_pushed}),
    .m_data (push_name),
    .m_index(unused_index),
    .m_valid(push_valid),
    .m_ready(push_ready)
  );

  session_queue #(
    .Connections(Connections)
  ) work (
    .clk,
    .rst,
    .s_session(push_name),
    .s_valid  (push_valid),
    .s_ready  (push_ready),
    .m_session(work_name),
    .m_valid  (work_valid),
    .m_ready  (load)
  );

  session_memory #(
    .StateWidth ($bits(session_state_t)),
    .Connections(Connections),
    .FlagWidth  (PositionWidth)
  ) sessions (
    .clk,
    .rst,
    .event_session_i(s_event.session),
    .accepted_i     (accepted),
    .peer_closed_i  (event_taken && s_event.kind == EventPeerClosed),
    .load_i         (load),
    .load_session_i (work_name),
    .loaded_o       (loaded_valid),
    .known_o        (known),
    .state_o        (loaded),
    .peer_closed_o  (peer_closed),
    .save_i         (saving),
    .save_state_i   (session_q),
    .save_flag_i    (parser.keeping ? parser.kept_at : session_q.position),
    .save_ready_o   (save_ready),
    .peek_i         (peek),
    .peek_session_i (peek_session),
    .peeked_o       (peeked),
    .flag_o         (tail)
  );

  app_control #(
    .Ports     (1),
    .LocalPorts(KeyValuePort)
  ) control (
    .clk,
    .rst,
    .enable_i,
    .m_command,
    .m_command_valid,
    .m_command_ready,
    .event_i        (s_event),
    .event_taken_i  (event_taken),
    .s_close_session(name_q),
    .s_close_valid  (state_q == StClose),
    .s_close_ready  (close_ready)
  );

  // ---- Where bytes come from

  logic read_start, read_stop, read_slow, reading, read_valid, read, byte_valid;
  position_t read_length;
  ring_t read_from, read_position;
  logic [7:0] ring_byte, store_byte, sum_byte, source_byte;
  logic sum_busy, sum_valid, source_busy;

  key_value_input #(
    .DataWidth  (DataWidth),
    .Connections(Connections),
    .CutThrough (CutThrough),
    .RingBytes  (RingBytes)
  ) requests (
    .clk,
    .rst,
    .s_query,
    .s_query_valid,
    .s_query_ready,
    .m_grant_length,
    .m_grant_valid,
    .m_grant_ready,
    .s_rx_data,
    .s_rx_keep,
    .s_rx_last,
    .s_rx_error,
    .s_rx_valid,
    .s_rx_ready,
    .accepted_i    (accepted),
    .accepted_id_i (IdWidth'(s_event.session.id)),
    .peek_wait_i       (saving),
    .peek_o            (peek),
    .peek_session_o    (peek_session),
    .peeked_i          (peeked),
    .tail_i            (tail),
    .head_load_i       (load),
    .head_session_i    (work_name),
    .head_ready_o      (load_ready),
    .head_o            (head),
    .head_moves_o      (head_moves),
    .m_session         (input_name),
    .m_valid           (input_valid),
    .m_ready           (input_pushed),
    .read_i            (read),
    .read_address_i    ({IdWidth'(name_q.id), read_position}),
    .read_byte_o       (ring_byte)
  );

  span_reader #(
    .AddressWidth(RingWidth),
    .LengthWidth (PositionWidth)
  ) reader (
    .clk,
    .rst,
    .start_i  (read_start),
    .stop_i   (read_stop),
    .slow_i   (read_slow),
    .address_i(read_from),
    .length_i (read_length),
    .read_o   (read),
    .address_o(read_position),
    .valid_o  (read_valid),
    .busy_o   (reading)
  );

  always_comb begin
    unique case (source_q)
      SourceStore: source_byte = store_byte;
      SourceSum:   source_byte = sum_byte;
      default:     source_byte = ring_byte;
    endcase
  end

  assign byte_valid  = source_q == SourceSum ? sum_valid : read_valid;
  assign source_busy = source_q == SourceSum ? sum_busy : reading;

  // ---- Keys and values

  logic table_ready, find, found_valid, found, room, store, remove, flush;
  logic [SlotWidth-1:0] slot;
  logic [CountWidth-1:0] keys;
  value_length_t value_length, written_q;

  key_value_table #(
    .MaxKey     (MaxKey),
    .Entries    (Entries),
    .Ways       (Ways),
    .LengthWidth(ValueWidth),
    .HashKey    (HashKey)
  ) key_table (
    .clk,
    .rst,
    .ready_o       (table_ready),
    .count_o       (keys),
    .key_clear_i   (state_q == StDecide),
    .key_byte_i    (source_byte),
    .key_valid_i   (state_q == StKey && byte_valid),
    .find_i        (find),
    .done_o        (found_valid),
    .found_o       (found),
    .room_o        (room),
    .slot_o        (slot),
    .value_length_o(value_length),
    .store_i       (store),
    .store_length_i(written_q),
    .remove_i      (remove),
    .flush_i       (flush)
  );

  ram_simple_dual_port #(
    .Width      (8),
    .Depth      (Entries * MaxValue),
    .ReadLatency(2)
  ) values (
    .clk,
    .write_enable_i (state_q == StChange && byte_valid),
    .write_address_i({slot, written_q[IndexWidth-1:0]}),
    .write_data_i   (source_byte),
    .read_enable_i  (read),
    .read_address_i ({slot, read_position[IndexWidth-1:0]}),
    .read_data_o    (store_byte)
  );

  // ---- Numbers

  logic sum_set, sum_begin, sum_digit, sum_add, sum_subtract, sum_convert, sum_converted, sum_text;
  logic sum_invalid, sum_overflow, sum_small, decrement, by_one;
  logic [3:0] sum_low;
  logic [NumberWidth-1:0] sum_value;

  assign decrement = parser.verb == VerbDecr || parser.verb == VerbDecrby;
  assign by_one    = parser.verb == VerbDecr || parser.verb == VerbIncr;

  integer_sum #(
    .ValueWidth(NumberWidth)
  ) sum (
    .clk,
    .rst,
    .set_i       (sum_set),
    .value_i     (sum_value),
    .begin_i     (sum_begin),
    .byte_i      (state_q == StAmount && by_one ? "1" : source_byte),
    .byte_valid_i(sum_digit),
    .add_i       (sum_add),
    .subtract_i  (sum_subtract),
    .invalid_o   (sum_invalid),
    .overflow_o  (sum_overflow),
    .small_o     (sum_small),
    .low_o       (sum_low),
    .convert_i   (sum_convert),
    .converted_o (sum_converted),
    .text_i      (sum_text),
    .text_byte_o (sum_byte),
    .text_valid_o(sum_valid),
    .text_busy_o (sum_busy)
  );

  // ---- Replies

  typedef enum logic [1:0] {
    ReplyText,
    ReplyInteger,
    ReplyBulk
  } reply_e;

  logic reply_start, reply_bytes, reply_done, reply_send, reply_sent, sent_q;
  reply_e reply_kind;
  text_address_t reply_text;
  position_t bulk_length_q, bulk_length_d;
  ring_t bulk_from_q, bulk_from_d;
  logic [ReplyWidth-1:0] reply_length;

  key_value_reply #(
    .DataWidth (DataWidth),
    .ReplyBytes(ReplyBytes),
    .ValueWidth(ValueWidth)
  ) reply (
    .clk,
    .rst,
    .start_i      (reply_start),
    .has_bytes_i  (reply_kind != ReplyText),
    .has_length_i (reply_kind == ReplyBulk),
    .text_i       (reply_text),
    .length_i     (value_length_t'(bulk_length_d)),
    .bytes_start_o(reply_bytes),
    .bytes_busy_i (source_busy),
    .byte_i       (source_byte),
    .byte_valid_i (byte_valid),
    .done_o       (reply_done),
    .length_o     (reply_length),
    .send_i       (reply_send),
    .sent_o       (reply_sent),
    .m_data       (m_tx_data),
    .m_keep       (m_tx_keep),
    .m_last       (m_tx_last),
    .m_valid      (m_tx_valid),
    .m_ready      (m_tx_ready)
  );

  assign m_tx_request       = '{
      tentative: 1'b0, partial: 1'b0, app: KeyValueApp, session: name_q, length: 16'(reply_length)
  };
  assign m_tx_request_valid = state_q == StRequest;
  assign s_tx_status_ready  = state_q == StStatus;

  // ---- The worker

  always_comb begin
    state_d       = state_q;
    session_d     = session_q;
    name_d        = name_q;
    head_d        = head_q;
    head_moves_d  = head_moves_q;
    source_d      = source_q;
    change_d      = change_q;
    bulk_from_d   = bulk_from_q;
    bulk_length_d = bulk_length_q;
    load          = 1'b0;
    read_start    = 1'b0;
    read_stop     = 1'b0;
    read_slow     = 1'b0;
    read_from     = ring_t'(session_q.position);
    read_length   = head_q - session_q.position;
    find          = 1'b0;
    store         = 1'b0;
    remove        = 1'b0;
    flush         = 1'b0;
    sum_set       = 1'b0;
    sum_value     = '0;
    sum_begin     = 1'b0;
    sum_digit     = 1'b0;
    sum_add       = 1'b0;
    sum_subtract  = 1'b0;
    sum_convert   = 1'b0;
    sum_text      = 1'b0;
    reply_start   = 1'b0;
    reply_kind    = ReplyText;
    reply_text    = AtOk;
    reply_send    = 1'b0;

    unique case (state_q)
      StIdle:
      if (work_valid && load_ready && table_ready) begin
        name_d       = work_name;
        head_moves_d = head_moves;
        load         = 1'b1;
        state_d      = StLoad;
      end

      StLoad:
      if (loaded_valid) begin
        session_d = loaded;
        head_d    = head;
        if (!known) state_d = StIdle;
        else state_d = loaded.parser.phase == PhaseExecute ? StDecide : StBegin;
      end

      StBegin: begin
        source_d   = SourceRing;
        read_start = 1'b1;
        state_d    = StParse;
      end

      StParse:
      if (byte_valid) begin
        session_d.position = session_q.position + 1'b1;
        session_d.parser   = parse(parser, source_byte, session_q.position, position_t'(MaxKey),
                                   position_t'(MaxValue), position_t'(MaxInline));
        if (session_d.parser.phase == PhaseKey || session_d.parser.phase == PhaseExecute) begin
          read_stop = 1'b1;
          state_d   = StDecide;
        end
      end else if (!source_busy) begin
        state_d = StEnd;
      end

      // With a packet of this session on its way there may be more, and the session comes back.
      StEnd: state_d = peer_closed && !head_moves_q && !session_q.closed ? StClose : StSave;

      StDecide: begin
        change_d    = ChangeNothing;
        sum_set     = 1'b1;
        read_from   = ring_t'(parser.key_at);
        read_length = parser.key_length;
        state_d     = StReply;
        if (parser.phase == PhaseKey) begin
          if (parser.long_key) begin
            session_d.parser = after_key(parser, 1'b0);
            state_d          = session_d.parser.phase == PhaseExecute ? StDecide : StBegin;
          end else begin
            read_start = 1'b1;
            state_d    = StKey;
          end
        end else begin
          reply_start = 1'b1;
          if (parser.verb == VerbProtocol) begin
            reply_text = parser.text;
          end else if (!right_number(parser.verb, parser.argument)) begin
            reply_text = AtArguments;
          end else if ((parser.verb == VerbSet && parser.argument != 3'd3)
                       || (parser.verb == VerbHello && parser.argument > 3'd2)) begin
            reply_text = AtSyntax;
          end else if (parser.long_key && !takes_keys(parser.verb)) begin
            reply_text = AtLongKey;
          end else if (parser.long_value) begin
            reply_text = AtLongValue;
          end else begin
            unique case (parser.verb)
              VerbCommand: reply_text = AtEmpty;
              VerbConfig: reply_text = session_q.resp3 ? AtEmpty3 : AtEmpty;
              VerbQuit: session_d.parser.closing = 1'b1;
              VerbFlush: change_d = ChangeFlush;
              VerbPing, VerbEcho: begin
                reply_text = AtPong;
                if (parser.argument == 3'd2) begin
                  reply_kind    = ReplyBulk;
                  reply_text    = AtBulk;
                  source_d      = SourceRing;
                  bulk_from_d   = ring_t'(parser.value_at);
                  bulk_length_d = parser.value_length;
                end
              end
              VerbDbsize, VerbDel, VerbExists: begin
                sum_value   = parser.verb == VerbDbsize ? NumberWidth'(keys) : parser.count;
                reply_start = 1'b0;
                state_d     = StConvert;
              end
              VerbSelect: begin
                reply_start = 1'b0;
                state_d     = StOperand;
              end
              VerbHello: begin
                reply_text = session_q.resp3 ? AtHello3 : AtHello2;
                if (parser.argument != 3'd1) begin
                  reply_start = 1'b0;
                  state_d     = StOperand;
                end
              end
              VerbUnknown: reply_text = AtUnknown;
              default: begin
                reply_start = 1'b0;
                read_start  = 1'b1;
                state_d     = StKey;
              end
            endcase
          end
        end
        if (state_d == StKey) source_d = SourceRing;
      end

      StKey:
      if (!source_busy) begin
        find    = 1'b1;
        state_d = StFind;
      end

      StFind:
      if (found_valid) begin
        state_d       = StReply;
        bulk_from_d   = '0;
        bulk_length_d = position_t'(value_length);
        unique case (parser.verb)
          VerbDel, VerbExists: begin
            remove           = found && parser.verb == VerbDel;
            session_d.parser = after_key(parser, found);
            state_d          = session_d.parser.phase == PhaseExecute ? StDecide : StBegin;
          end
          VerbGet: begin
            reply_start = 1'b1;
            reply_text  = found ? AtBulk : session_q.resp3 ? AtNull3 : AtNull;
            reply_kind  = found ? ReplyBulk : ReplyText;
            source_d    = SourceStore;
          end
          VerbStrlen: begin
            sum_set   = 1'b1;
            sum_value = found ? NumberWidth'(value_length) : '0;
            state_d   = StConvert;
          end
          VerbSet: begin
            reply_start = 1'b1;
            reply_text  = found || room ? AtOk : AtFull;
            if (found || room) change_d = ChangeValue;
          end
          default: begin
            sum_begin = 1'b1;
            source_d  = SourceStore;
            if (found) begin
              read_start  = 1'b1;
              read_slow   = 1'b1;
              read_from   = '0;
              read_length = position_t'(value_length);
              state_d     = StCurrent;
            end else if (room) begin
              state_d = StOperand;
            end else begin
              reply_start = 1'b1;
              reply_text  = AtFull;
            end
          end
        endcase
      end

      StCurrent: begin
        sum_digit = byte_valid;
        if (!source_busy) state_d = StAddCurrent;
      end

      StAddCurrent:
      if (second_q) begin
        sum_add = 1'b1;
        state_d = StOperand;
        if (sum_invalid) begin
          reply_start = 1'b1;
          reply_text  = AtNoInteger;
          state_d     = StReply;
        end
      end

      StOperand: begin
        sum_begin   = 1'b1;
        source_d    = SourceRing;
        read_start  = !by_one;
        read_slow   = 1'b1;
        read_from   = ring_t'(parser.value_at);
        read_length = parser.value_length;
        state_d     = StAmount;
      end

      StAmount: begin
        sum_digit = by_one ? !second_q : byte_valid;
        if (second_q && !source_busy) state_d = StAddAmount;
      end

      StAddAmount:
      if (second_q) begin
        sum_add      = !decrement;
        sum_subtract = decrement;
        state_d      = StSum;
        if (sum_invalid) begin
          reply_start = 1'b1;
          if (parser.verb == VerbSelect) reply_text = AtDatabase;
          else reply_text = parser.verb == VerbHello ? AtVersion : AtNoInteger;
          state_d = StReply;
        end
      end

      StSum: begin
        reply_start = 1'b1;
        state_d     = StReply;
        if (parser.verb == VerbSelect) begin
          reply_text = sum_small && sum_low == '0 ? AtOk : AtDatabase;
        end else if (parser.verb == VerbHello) begin
          reply_text = AtVersion;
          if (sum_small && (sum_low == 4'd2 || sum_low == 4'd3)) begin
            reply_text      = sum_low[0] ? AtHello3 : AtHello2;
            session_d.resp3 = sum_low[0];
          end
        end else if (sum_overflow) begin
          reply_text = AtOverflow;
        end else begin
          reply_start = 1'b0;
          change_d    = ChangeSum;
          state_d     = StConvert;
        end
      end

      StConvert: begin
        sum_convert = !second_q;
        if (second_q && sum_converted) begin
          reply_start = 1'b1;
          reply_kind  = ReplyInteger;
          reply_text  = AtInteger;
          source_d    = SourceSum;
          state_d     = StReply;
        end
      end

      StReply: begin
        read_from   = bulk_from_q;
        read_length = bulk_length_q;
        if (reply_bytes) begin
          read_start = source_q != SourceSum;
          sum_text   = source_q == SourceSum;
        end
        if (reply_done) state_d = StRequest;
      end

      StRequest: if (m_tx_request_ready) state_d = StStatus;

      StStatus:
      if (s_tx_status_valid) begin
        state_d     = StSave;
        read_from   = ring_t'(parser.value_at);
        read_length = parser.value_length;
        unique case (s_tx_status.error)
          TxOk: begin
            reply_send = 1'b1;
            flush      = change_q == ChangeFlush;
            source_d   = change_q == ChangeSum ? SourceSum : SourceRing;
            read_start = change_q == ChangeValue;
            sum_text   = change_q == ChangeSum;
            state_d    = StChange;
          end
          TxNoSpace: ;  // until the next EventAcked
          default: begin
            // Nobody to answer any more.
            session_d.parser.closing = 1'b1;
            session_d.parser         = next_command(session_d.parser);
            session_d.closed         = 1'b1;
            state_d                  = StBegin;
          end
        endcase
      end

      StChange:
      if (second_q && !source_busy) begin
        store   = change_q == ChangeValue || change_q == ChangeSum;
        state_d = StChanged;
      end

      StChanged:
      if (sent_q && table_ready) begin
        session_d.parser = next_command(parser);
        state_d          = parser.closing && !session_q.closed ? StClose : StBegin;
      end

      StClose:
      if (close_ready) begin
        session_d.closed         = 1'b1;
        session_d.parser.closing = 1'b1;
        session_d.parser         = next_command(session_d.parser);
        state_d                  = StBegin;
      end

      StSave: if (save_ready) state_d = StIdle;

      default: state_d = StIdle;
    endcase
  end

  always_ff @(posedge clk) begin
    state_q       <= state_d;
    session_q     <= session_d;
    name_q        <= name_d;
    head_q        <= head_d;
    head_moves_q  <= head_moves_d;
    source_q      <= source_d;
    change_q      <= change_d;
    bulk_from_q   <= bulk_from_d;
    bulk_length_q <= bulk_length_d;
    second_q      <= state_d == state_q;
    if (state_q != StChange) written_q <= '0;
    else if (byte_valid) written_q <= written_q + 1'b1;
    if (reply_send) sent_q <= 1'b0;
    else if (reply_sent) sent_q <= 1'b1;

    if (rst) state_q <= StIdle;
  end

endmodule
