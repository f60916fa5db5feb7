// SPDX-License-Identifier: Apache-2.0

// A request of the Redis protocol (RESP2), byte by byte, as a pure function. Bytes may come in any
// pieces: all that is remembered between two of them is resp_parser_t.
//
//   request   *3\r\n$3\r\nSET\r\n$1\r\nk\r\n$2\r\nab\r\n     count, then each argument with its length
//   inline    SET k ab\r\n                                 words between blanks; no quotes
//
// What argument is the key and which the value follows from the command's name. Their bytes are not
// remembered here: the parser says where they are, and from where on the caller has to keep what
// came (keeping, kept_at). That is never more than a key, a value and KeptBeside bytes. A key or value that is
// too long is passed over and marked.
//
// PhaseKey and PhaseExecute take no byte: the caller looks up the key, or executes the command, and
// then calls after_key or next_command.
//
// What breaks the protocol is answered, and nothing after it is read (PhaseIgnore).
package resp_parser_pkg;

  import key_value_pkg::*;

  // A byte's place in what a session has sent, modulo 2048: places are compared over up to 1024.
  localparam int PositionWidth = 11;
  typedef logic [PositionWidth-1:0] position_t;

  // Bytes between key and value: end of line, "$", a length, end of line; and the last end of line.
  localparam int KeptBeside = 16;

  // As Redis has them.
  localparam logic [29:0] MostArguments = 30'd1048576;
  localparam logic [29:0] LongestBulk = 30'd536870912;

  typedef enum logic [3:0] {
    PhaseStart   = 4'd0,  // before a request
    PhaseCount   = 4'd1,  // how many arguments
    PhaseDollar  = 4'd2,
    PhaseLength  = 4'd3,  // of an argument
    PhaseBytes   = 4'd4,  // its bytes
    PhaseEnd     = 4'd5,  // the end of line behind it
    PhaseBlank   = 4'd6,  // inline: between words
    PhaseWord    = 4'd7,
    PhaseKey     = 4'd8,  // a key of several has come
    PhaseExecute = 4'd9,  // all of the command has
    PhaseIgnore  = 4'd10  // the last reply is decided
  } resp_phase_e;

  // All zero is the state of a connection that has sent nothing yet.
  typedef struct packed {
    resp_phase_e            phase;
    logic                   is_inline;
    logic                   after_cr;
    logic                   negative;
    logic [3:0]             digits;
    logic [29:0]            number;        // count or length; bytes left; bytes of the line
    logic [20:0]            left;          // arguments to come, with the one at work
    logic [2:0]             argument;      // its number; 4 stands for more, too
    logic [NameBytes*8-1:0] name;
    logic                   long_name;
    verb_e                  verb;
    text_address_t          text;          // VerbProtocol: what is wrong
    logic                   long_key;
    logic                   long_value;
    position_t              key_at;
    position_t              key_length;
    position_t              value_at;
    position_t              value_length;
    logic                   keeping;
    position_t              kept_at;
    logic [20:0]            count;         // keys found so far
    logic                   closing;       // close after the reply
  } resp_parser_t;

  function automatic resp_parser_t next_command(input resp_parser_t parser);
    resp_parser_t next = '0;
    next.closing = parser.closing;
    next.phase   = parser.closing ? PhaseIgnore : PhaseStart;
    return next;
  endfunction

  function automatic resp_parser_t refuse(input resp_parser_t parser, input text_address_t text);
    resp_parser_t next = parser;
    next.phase   = PhaseExecute;
    next.verb    = VerbProtocol;
    next.text    = text;
    next.keeping = 1'b0;
    next.closing = 1'b1;
    return next;
  endfunction

  // The key has been looked up; now for the next one.
  function automatic resp_parser_t after_key(input resp_parser_t parser, input logic found);
    resp_parser_t next = parser;
    next.keeping = 1'b0;
    next.count   = parser.count + 21'(found);
    if (parser.left == '0) next.phase = PhaseExecute;
    else next.phase = parser.is_inline ? PhaseBlank : PhaseDollar;
    return next;
  endfunction

  // An argument of so many bytes begins at `at`. Of words the length is not known yet: 0.
  function automatic resp_parser_t begin_argument(
      input resp_parser_t parser, input position_t at, input logic [29:0] length,
      input position_t max_key, input position_t max_value);
    resp_parser_t next = parser;
    logic key = is_key(parser.verb, parser.argument);
    logic value = is_value(parser.verb, parser.argument);
    logic long_key = length > 30'(max_key);
    logic long_value = length > 30'(max_value);
    if (key) begin
      next.key_at     = at;
      next.key_length = position_t'(length);
      // Of several keys, each by itself.
      next.long_key   = long_key;
    end
    if (value) begin
      next.value_at     = at;
      next.value_length = position_t'(length);
      next.long_value   = long_value;
    end
    if ((key && !long_key) || (value && !long_value)) begin
      next.keeping = 1'b1;
      if (!parser.keeping) next.kept_at = at;
    end else begin
      // Nothing that counts, or too much of it: it ends in an error.
      next.keeping = 1'b0;
    end
    return next;
  endfunction

  // A byte of it.
  function automatic resp_parser_t take_byte(input resp_parser_t parser, input logic [7:0] code);
    resp_parser_t next = parser;
    if (parser.argument == '0) begin
      next.name      = {parser.name[NameBytes*8-9:0],
                        code >= "a" && code <= "z" ? code & 8'hdf : code};
      next.long_name = parser.long_name || parser.name[NameBytes*8-1-:8] != '0 || code == '0;
    end
    return next;
  endfunction

  function automatic resp_parser_t end_argument(input resp_parser_t parser, input logic last);
    resp_parser_t next = parser;
    if (parser.argument == '0 && !parser.long_name) next.verb = verb_of(parser.name);
    if (parser.argument != 3'd4) next.argument = parser.argument + 1'b1;
    next.left = parser.is_inline ? 21'(!last) : parser.left - 1'b1;
    if (takes_keys(parser.verb) && parser.argument != '0) next.phase = PhaseKey;
    else if (next.left == '0) next.phase = PhaseExecute;
    else next.phase = parser.is_inline ? PhaseBlank : PhaseDollar;
    return next;
  endfunction

  // A digit of a count or length. A line of them ends with the byte after its CR, whatever that is.
  function automatic resp_parser_t take_digit(input resp_parser_t parser, input logic [7:0] code);
    resp_parser_t next = parser;
    text_address_t fault = parser.phase == PhaseCount ? AtCount : AtLength;
    if (code == 8'h0d && parser.digits != '0) begin
      next.after_cr = 1'b1;
    end else if (code == "-" && parser.digits == '0 && !parser.negative) begin
      next.negative = 1'b1;
    end else if (code >= "0" && code <= "9" && parser.digits != 4'd9
                 && !(parser.digits != '0 && parser.number == '0)) begin
      next.number = (parser.number << 3) + (parser.number << 1) + 30'(code[3:0]);
      next.digits = parser.digits + 1'b1;
    end else begin
      next = refuse(parser, fault);
    end
    return next;
  endfunction

  function automatic resp_parser_t parse(input resp_parser_t parser, input logic [7:0] code,
                                         input position_t at, input position_t max_key,
                                         input position_t max_value, input position_t max_inline);
    resp_parser_t next = parser;
    logic lf = code == 8'h0a;
    logic blank = code == " " || code == 8'h09 || code == 8'h0d || lf;

    unique case (parser.phase)
      PhaseStart: begin
        next = '0;
        if (code == "*") begin
          next.phase = PhaseCount;
        end else if (!blank) begin
          next.is_inline = 1'b1;
          next.number    = 30'd1;
          next.phase     = PhaseWord;
          next           = take_byte(next, code);
        end
      end

      PhaseCount: begin
        if (!parser.after_cr) begin
          next = take_digit(parser, code);
        end else if (parser.number > MostArguments && !parser.negative) begin
          next = refuse(parser, AtCount);
        end else begin
          next       = '0;
          next.left  = 21'(parser.number);
          next.phase = parser.negative || parser.number == '0 ? PhaseStart : PhaseDollar;
        end
      end

      PhaseDollar: begin
        next.number   = '0;
        next.digits   = '0;
        next.negative = 1'b0;
        next.after_cr = 1'b0;
        next.phase    = PhaseLength;
        if (code != "$") next = refuse(parser, AtDollar);
      end

      PhaseLength: begin
        if (!parser.after_cr) begin
          next = take_digit(parser, code);
        end else if (parser.number > LongestBulk || parser.negative) begin
          next = refuse(parser, AtLength);
        end else begin
          next          = begin_argument(parser, at + 1'b1, parser.number, max_key, max_value);
          next.after_cr = 1'b0;
          next.phase    = parser.number == '0 ? PhaseEnd : PhaseBytes;
        end
      end

      PhaseBytes: begin
        next        = take_byte(parser, code);
        next.number = parser.number - 1'b1;
        if (parser.number == 30'd1) next.phase = PhaseEnd;
      end

      // Two bytes, whatever they are.
      PhaseEnd: begin
        next.after_cr = 1'b1;
        if (parser.after_cr) begin
          next          = end_argument(parser, 1'b0);
          next.after_cr = 1'b0;
        end
      end

      PhaseBlank, PhaseWord: begin
        next.number = parser.number + 1'b1;
        if (parser.number == 30'(max_inline)) begin
          next = refuse(parser, AtInline);
        end else if (parser.phase == PhaseWord && blank) begin
          next        = end_argument(parser, lf);
          next.number = parser.number + 1'b1;
        end else if (lf) begin
          next.phase = PhaseExecute;
        end else if (!blank) begin
          if (parser.phase == PhaseBlank) begin
            next        = begin_argument(parser, at, '0, max_key, max_value);
            next.number = parser.number + 1'b1;
            next.phase  = PhaseWord;
          end
          if (is_key(parser.verb, parser.argument)) begin
            next.key_length = next.key_length + 1'b1;
            next.long_key   = next.key_length > max_key;
          end
          if (is_value(parser.verb, parser.argument)) begin
            next.value_length = next.value_length + 1'b1;
            next.long_value   = next.value_length > max_value;
          end
          next = take_byte(next, code);
        end
      end

      default: ;
    endcase
    return next;
  endfunction

endpackage
