// SPDX-License-Identifier: Apache-2.0

// The commands of the key-value store, and every text that it sends.
package key_value_pkg;

  // ---- Commands

  typedef enum logic [4:0] {
    VerbUnknown,
    VerbCommand,
    VerbConfig,
    VerbDbsize,
    VerbDecr,
    VerbDecrby,
    VerbDel,
    VerbEcho,
    VerbExists,
    VerbFlush,    // FLUSHALL, FLUSHDB
    VerbGet,
    VerbHello,
    VerbIncr,
    VerbIncrby,
    VerbPing,
    VerbQuit,
    VerbSelect,
    VerbSet,
    VerbStrlen,
    VerbProtocol  // no command: the protocol was not kept to
  } verb_e;

  localparam int NameBytes = 8;  // of the longest name

  // By name in capitals, its last byte in bits 7:0.
  function automatic verb_e verb_of(input logic [NameBytes*8-1:0] name);
    unique case (name)
      64'("COMMAND"):  return VerbCommand;
      64'("CONFIG"):   return VerbConfig;
      64'("DBSIZE"):   return VerbDbsize;
      64'("DECR"):     return VerbDecr;
      64'("DECRBY"):   return VerbDecrby;
      64'("DEL"):      return VerbDel;
      64'("ECHO"):     return VerbEcho;
      64'("EXISTS"):   return VerbExists;
      64'("FLUSHALL"): return VerbFlush;
      64'("FLUSHDB"):  return VerbFlush;
      64'("GET"):      return VerbGet;
      64'("HELLO"):    return VerbHello;
      64'("INCR"):     return VerbIncr;
      64'("INCRBY"):   return VerbIncrby;
      64'("PING"):     return VerbPing;
      64'("QUIT"):     return VerbQuit;
      64'("SELECT"):   return VerbSelect;
      64'("SET"):      return VerbSet;
      64'("STRLEN"):   return VerbStrlen;
      default:         return VerbUnknown;
    endcase
  endfunction

  // Each argument of these is a key that is worked on by itself.
  function automatic logic takes_keys(input verb_e verb);
    return verb == VerbDel || verb == VerbExists;
  endfunction

  // Whether argument 1, or 2, is a key; and whether it is a value.
  function automatic logic is_key(input verb_e verb, input logic [2:0] argument);
    unique case (verb)
      VerbDel, VerbExists: return argument != 3'd0;
      VerbDecr, VerbDecrby, VerbGet, VerbIncr, VerbIncrby, VerbSet, VerbStrlen:
      return argument == 3'd1;
      default: return 1'b0;
    endcase
  endfunction

  function automatic logic is_value(input verb_e verb, input logic [2:0] argument);
    unique case (verb)
      VerbEcho, VerbHello, VerbPing, VerbSelect:   return argument == 3'd1;
      VerbDecrby, VerbIncrby, VerbSet: return argument == 3'd2;
      default:                         return 1'b0;
    endcase
  endfunction

  // Arguments, the name among them; 4 stands for more, too.
  function automatic logic right_number(input verb_e verb, input logic [2:0] arguments);
    unique case (verb)
      VerbDbsize: return arguments == 3'd1;
      VerbPing: return arguments <= 3'd2;
      VerbEcho, VerbGet, VerbIncr, VerbDecr, VerbStrlen, VerbSelect: return arguments == 3'd2;
      VerbConfig, VerbDel, VerbExists: return arguments >= 3'd2;
      VerbIncrby, VerbDecrby: return arguments == 3'd3;
      VerbSet: return arguments >= 3'd3;  // more of them: options, which it does not know
      default: return 1'b1;
    endcase
  endfunction

  // ---- Texts. Each ends with a zero, which is not sent.

  // A text is as long as it is, and is laid out as it is sent.
  // verilog_lint: waive-start explicit-parameter-storage-type
  // verilog_format: off

  localparam Eol = 16'h0d0a;
  localparam End = {Eol, 8'h00};
  localparam Error = "-ERR ";
  localparam Protocol = {Error, "Protocol error: "};

  localparam TextOk = {"+OK", End};
  localparam TextPong = {"+PONG", End};
  localparam TextNull = {"$-1", End};
  localparam TextEmpty = {"*0", End};
  // The same in RESP3, where it differs.
  localparam TextNull3 = {"_", End};
  localparam TextEmpty3 = {"%0", End};

  // Map of what a client that says HELLO is told; in RESP2 a list.
  localparam Hello = {"$6", Eol, "server", Eol, "$7", Eol, "toehold", Eol, "$5", Eol, "proto", Eol};
  localparam TextHello2 = {"*4", Eol, Hello, ":2", End};
  localparam TextHello3 = {"%2", Eol, Hello, ":3", End};
  localparam TextVersion = {"-NOPROTO unsupported protocol version", End};
  localparam TextInteger = {":", 8'h00};
  localparam TextBulk = {"$", 8'h00};
  localparam TextUnknown = {Error, "unknown command", End};
  localparam TextArguments = {Error, "wrong number of arguments", End};
  localparam TextSyntax = {Error, "syntax error", End};
  localparam TextLongKey = {Error, "key is too long", End};
  localparam TextLongValue = {Error, "value is too long", End};
  localparam TextNoInteger = {Error, "value is not an integer or out of range", End};
  localparam TextOverflow = {Error, "increment or decrement would overflow", End};
  localparam TextDatabase = {Error, "DB index is out of range", End};
  localparam TextFull = {"-OOM there is no room for another key", End};
  localparam TextCount = {Protocol, "invalid multibulk length", End};
  localparam TextLength = {Protocol, "invalid bulk length", End};
  localparam TextDollar = {Protocol, "expected '$'", End};
  localparam TextInline = {Protocol, "too big inline request", End};

  localparam Text = {
    TextOk, TextPong, TextNull, TextEmpty, TextInteger, TextBulk, TextUnknown, TextArguments,
    TextSyntax, TextLongKey, TextLongValue, TextNoInteger, TextOverflow, TextDatabase, TextFull,
    TextCount, TextLength, TextDollar, TextInline, TextNull3, TextEmpty3, TextHello2, TextHello3,
    TextVersion
  };

  // verilog_format: on
  // verilog_lint: waive-stop explicit-parameter-storage-type

  localparam int TextBytes = $bits(Text) / 8;
  localparam int TextAddressWidth = $clog2(TextBytes);

  typedef logic [TextAddressWidth-1:0] text_address_t;

  // Where each begins.
  localparam text_address_t AtOk = '0;
  localparam text_address_t AtPong = AtOk + text_address_t'($bits(TextOk) / 8);
  localparam text_address_t AtNull = AtPong + text_address_t'($bits(TextPong) / 8);
  localparam text_address_t AtEmpty = AtNull + text_address_t'($bits(TextNull) / 8);
  localparam text_address_t AtInteger = AtEmpty + text_address_t'($bits(TextEmpty) / 8);
  localparam text_address_t AtBulk = AtInteger + text_address_t'($bits(TextInteger) / 8);
  localparam text_address_t AtUnknown = AtBulk + text_address_t'($bits(TextBulk) / 8);
  localparam text_address_t AtArguments = AtUnknown + text_address_t'($bits(TextUnknown) / 8);
  localparam text_address_t AtSyntax = AtArguments + text_address_t'($bits(TextArguments) / 8);
  localparam text_address_t AtLongKey = AtSyntax + text_address_t'($bits(TextSyntax) / 8);
  localparam text_address_t AtLongValue = AtLongKey + text_address_t'($bits(TextLongKey) / 8);
  localparam text_address_t AtNoInteger = AtLongValue + text_address_t'($bits(TextLongValue) / 8);
  localparam text_address_t AtOverflow = AtNoInteger + text_address_t'($bits(TextNoInteger) / 8);
  localparam text_address_t AtDatabase = AtOverflow + text_address_t'($bits(TextOverflow) / 8);
  localparam text_address_t AtFull = AtDatabase + text_address_t'($bits(TextDatabase) / 8);
  localparam text_address_t AtCount = AtFull + text_address_t'($bits(TextFull) / 8);
  localparam text_address_t AtLength = AtCount + text_address_t'($bits(TextCount) / 8);
  localparam text_address_t AtDollar = AtLength + text_address_t'($bits(TextLength) / 8);
  localparam text_address_t AtInline = AtDollar + text_address_t'($bits(TextDollar) / 8);

  localparam text_address_t AtNull3 = AtInline + text_address_t'($bits(TextInline) / 8);
  localparam text_address_t AtEmpty3 = AtNull3 + text_address_t'($bits(TextNull3) / 8);
  localparam text_address_t AtHello2 = AtEmpty3 + text_address_t'($bits(TextEmpty3) / 8);
  localparam text_address_t AtHello3 = AtHello2 + text_address_t'($bits(TextHello2) / 8);
  localparam text_address_t AtVersion = AtHello3 + text_address_t'($bits(TextHello3) / 8);

  localparam int LongestText = 64;  // and none is longer

endpackage
