// SPDX-License-Identifier: Apache-2.0

// HTTP/1.1 requests (RFC 9110, RFC 9112), one byte at a time: a pure function from the state of a
// connection's parser and a byte to the next state. A request may be cut anywhere.
//
//   method SP target SP HTTP/1.x CRLF      the request line, after empty lines if there are any
//   name ":" value CRLF                    any number of header fields
//   CRLF
//
// What it keeps of a request: GET, HEAD or another method; whether the target is "/" (with or
// without a query); the version; Host, Connection, Content-Length and Transfer-Encoding as far as
// they matter. Each request that ends (well or badly) appends a response to a short list. After one
// that ends the connection everything else is ignored: a bad request, one with a body, HTTP/1.0
// without keep-alive, Connection: close.
package http_parser_pkg;

  // ---- Responses

  typedef enum logic [2:0] {
    RespondOk             = 3'd0,
    RespondBadRequest     = 3'd1,
    RespondNotFound       = 3'd2,
    RespondNotAllowed     = 3'd3,
    RespondUriTooLong     = 3'd4,
    RespondHeaderTooLarge = 3'd5,
    RespondVersion        = 3'd6
  } http_response_e;

  localparam int Responses = 7;

  typedef struct packed {
    logic           head;  // the header alone
    http_response_e kind;
  } http_response_t;

  // The shortest request that keeps the connection open has 20 bytes ("X / HTTP/1.1", a line feed,
  // "Host:", two line feeds), so an input of MaxInputBytes completes at most MaxResponses of them,
  // the one that began before included.
  localparam int MaxInputBytes = 128;
  localparam int MaxResponses = 8;

  // Bytes of a request line and header fields that are read; more is refused.
  localparam int MaxRequestBytes = 8191;

  // ---- A byte, and what kind it is

  typedef struct packed {
    logic [7:0] code;
    logic [7:0] lower;      // in lower case
    logic       is_cr;
    logic       is_lf;
    logic       is_space;
    logic       is_tab;
    logic       is_token;   // RFC 9110 section 5.6.2
    logic       is_visible;  // in a target or a value
  } http_char_t;

  function automatic http_char_t classify(input logic [7:0] code);
    http_char_t c;
    logic is_letter = (code >= "a" && code <= "z") || (code >= "A" && code <= "Z");
    logic is_digit = code >= "0" && code <= "9";
    c.code       = code;
    c.lower      = is_letter ? code | 8'h20 : code;
    c.is_cr      = code == 8'h0d;
    c.is_lf      = code == 8'h0a;
    c.is_space   = code == " ";
    c.is_tab     = code == 8'h09;
    c.is_visible = code > " " && code != 8'h7f;
    c.is_token   = is_letter || is_digit;
    unique case (code)
      "!", "#", "$", "%", "&", "'", "*", "+", "-", ".", "^", "_", "`", "|", "~": c.is_token = 1'b1;
      default: ;
    endcase
    return c;
  endfunction

  // ---- Words that are looked for, several at once: a word is still in the race while every byte so
  // far was its own.

  localparam int Words = 4;
  localparam int WordIndexWidth = 5;

  typedef logic [Words-1:0] words_t;
  typedef logic [WordIndexWidth-1:0] word_index_t;

  localparam int WordBytes = 17;

  // Methods, field names and connection options share the four places.
  localparam logic [1:0][WordBytes*8-1:0] Methods = {
    (WordBytes * 8)'("HEAD"), (WordBytes * 8)'("GET")
  };
  localparam logic [3:0][WordBytes*8-1:0] Fields = {
    (WordBytes * 8)'("transfer-encoding"),
    (WordBytes * 8)'("content-length"),
    (WordBytes * 8)'("host"),
    (WordBytes * 8)'("connection")
  };
  localparam logic [1:0][WordBytes*8-1:0] Options = {
    (WordBytes * 8)'("keep-alive"), (WordBytes * 8)'("close")
  };
  localparam logic [WordBytes*8-1:0] Version = (WordBytes * 8)'("HTTP/0.0");

  localparam int WordGet = 0;
  localparam int WordHead = 1;
  localparam int WordConnection = 0;
  localparam int WordHost = 1;
  localparam int WordContentLength = 2;
  localparam int WordTransferEncoding = 3;
  localparam int WordClose = 0;
  localparam int WordKeepAlive = 1;

  // Length of a word: a string literal is zero beyond its first byte.
  function automatic int length_of(input logic [WordBytes*8-1:0] word);
    int length = 0;
    for (int i = 0; i < WordBytes; i++) if (word[8*i+:8] != '0) length = i + 1;
    return length;
  endfunction

  // The byte at an index, zero at its end: no byte of a word is zero.
  function automatic logic [7:0] byte_of(input logic [WordBytes*8-1:0] word,
                                         input word_index_t index);
    logic [7:0] result = '0;
    int length = length_of(word);
    for (int i = 0; i < WordBytes; i++) begin
      if (i < length && index == word_index_t'(i)) result = word[8*(length-1-i)+:8];
    end
    return result;
  endfunction

  // ---- State

  typedef enum logic [2:0] {
    PhaseStart   = 3'd0,  // before a request
    PhaseMethod  = 3'd1,
    PhaseTarget  = 3'd2,
    PhaseVersion = 3'd3,
    PhaseLine    = 3'd4,  // first byte of a header line
    PhaseName    = 3'd5,
    PhaseValue   = 3'd6,
    PhaseIgnore  = 3'd7   // the last response is decided
  } http_phase_e;

  // All zero is the state of a connection that has sent nothing yet.
  typedef struct packed {
    http_phase_e phase;
    logic        after_cr;      // only a line feed may follow
    word_index_t index;         // within the word, or the target
    words_t      missed;        // words that are out of the race
    logic        is_get;
    logic        is_head;
    logic        is_root;
    logic        is_old;        // HTTP/1.0
    logic        is_other;      // neither 1.0 nor 1.1 or later
    logic        has_host;
    logic        has_body;
    logic        in_connection;  // the value of Connection is being read
    logic        close;
    logic        keep_alive;
    logic [12:0] length;        // of the request so far
  } http_request_t;

  typedef struct packed {
    http_request_t                     request;
    logic                              closing;    // close after the last response
    logic [3:0]                        count;      // responses to give
    http_response_t [MaxResponses-1:0] responses;  // the first one in place 0
  } http_parser_t;

  // ---- Steps

  function automatic http_parser_t respond(input http_parser_t parser, input http_response_e kind,
                                           input logic head, input logic closing);
    http_parser_t next = parser;
    next.request = '0;
    for (int i = 0; i < MaxResponses; i++) begin
      if (parser.count == 4'(i)) next.responses[i] = '{head: head, kind: kind};
    end
    if (parser.count != 4'(MaxResponses)) next.count = parser.count + 4'd1;
    if (closing || parser.count == 4'(MaxResponses)) begin
      next.closing       = 1'b1;
      next.request.phase = PhaseIgnore;
    end
    return next;
  endfunction

  // A request that cannot be understood.
  function automatic http_parser_t refuse(input http_parser_t parser, input http_response_e kind);
    return respond(parser, kind, parser.request.is_head, 1'b1);
  endfunction

  // The empty line has come.
  function automatic http_parser_t complete(input http_parser_t parser);
    http_request_t r = parser.request;
    logic closing = r.close || r.has_body || (r.is_old && !r.keep_alive);
    if (r.is_other) return refuse(parser, RespondVersion);
    if (!r.is_old && !r.has_host) return refuse(parser, RespondBadRequest);
    if (!r.is_get && !r.is_head) return respond(parser, RespondNotAllowed, 1'b0, closing);
    return respond(parser, r.is_root ? RespondOk : RespondNotFound, r.is_head, closing);
  endfunction

  function automatic http_parser_t parse(input http_parser_t parser, input http_char_t c);
    http_parser_t next = parser;
    http_request_t r = parser.request;
    logic fields = r.phase == PhaseLine || r.phase == PhaseName || r.phase == PhaseValue;
    logic separator = c.is_space || c.is_tab || c.code == ",";
    words_t met, complete_words;

    // Bytes that the words expect here.
    met = '0;
    complete_words = '0;
    unique case (r.phase)
      PhaseStart, PhaseMethod:
      for (int i = 0; i < 2; i++) begin
        met[i]            = c.code == byte_of(Methods[i], r.index);
        complete_words[i] = !r.missed[i] && r.index == word_index_t'(length_of(Methods[i]));
      end
      PhaseLine, PhaseName:
      for (int i = 0; i < Words; i++) begin
        met[i]            = c.lower == byte_of(Fields[i], r.index);
        complete_words[i] = !r.missed[i] && r.index == word_index_t'(length_of(Fields[i]));
      end
      PhaseValue:
      for (int i = 0; i < 2; i++) begin
        met[i]            = c.lower == byte_of(Options[i], r.index);
        complete_words[i] = !r.missed[i] && r.index == word_index_t'(length_of(Options[i]));
      end
      PhaseVersion: met[0] = c.code == byte_of(Version, r.index);
      default: ;
    endcase

    next.request.length   = r.length + 13'd1;
    next.request.after_cr = 1'b0;

    if (r.phase == PhaseIgnore) begin
      next = parser;
    end else if (r.length == 13'(MaxRequestBytes)) begin
      next = refuse(parser, fields ? RespondHeaderTooLarge : RespondUriTooLong);
    end else if (r.after_cr && !c.is_lf) begin
      next = refuse(parser, RespondBadRequest);
    end else begin
      unique case (r.phase)
        PhaseStart, PhaseMethod: begin
          if (c.is_token) begin
            next.request.phase  = PhaseMethod;
            next.request.missed = r.missed | ~met;
            if (r.index != '1) next.request.index = r.index + 1'b1;
          end else if (r.phase == PhaseStart && c.is_cr) begin
            next.request.after_cr = 1'b1;
          end else if (r.phase == PhaseStart && c.is_lf) begin
            next.request = '0;
          end else if (r.phase == PhaseMethod && c.is_space) begin
            next.request.phase   = PhaseTarget;
            next.request.is_get  = complete_words[WordGet];
            next.request.is_head = complete_words[WordHead];
            next.request.index   = '0;
          end else begin
            next = refuse(parser, RespondBadRequest);
          end
        end

        // "/", and whatever follows a question mark.
        PhaseTarget: begin
          if (c.is_visible) begin
            if (r.index == '0) next.request.is_root = c.code == "/";
            if (r.index == word_index_t'(1)) next.request.is_root = r.is_root && c.code == "?";
            if (r.index[1] == 1'b0) next.request.index = r.index + 1'b1;
          end else if (c.is_space && r.index != '0) begin
            next.request.phase = PhaseVersion;
            next.request.index = '0;
          end else begin
            next = refuse(parser, RespondBadRequest);
          end
        end

        // HTTP/1.1: the digits are judged, the rest must be so.
        PhaseVersion: begin
          if (r.index == word_index_t'(length_of(Version)) && c.is_cr) begin
            next.request.after_cr = 1'b1;
          end else if (r.index == word_index_t'(length_of(Version)) && c.is_lf) begin
            next.request.phase  = PhaseLine;
            next.request.index  = '0;
            next.request.missed = '0;
          end else if (r.index == word_index_t'(5) || r.index == word_index_t'(7)) begin
            if (c.code < "0" || c.code > "9") begin
              next = refuse(parser, RespondBadRequest);
            end else begin
              next.request.index = r.index + 1'b1;
              if (r.index == word_index_t'(5)) next.request.is_other = c.code != "1";
              else next.request.is_old = c.code == "0";
            end
          end else if (met[0] && !r.after_cr) begin
            next.request.index = r.index + 1'b1;
          end else begin
            next = refuse(parser, RespondBadRequest);
          end
        end

        PhaseLine, PhaseName: begin
          if (c.is_token) begin
            next.request.phase  = PhaseName;
            next.request.missed = r.missed | ~met;
            if (r.index != '1) next.request.index = r.index + 1'b1;
          end else if (r.phase == PhaseName && c.code == ":") begin
            next.request.phase         = PhaseValue;
            next.request.in_connection = complete_words[WordConnection];
            next.request.has_host      = r.has_host || complete_words[WordHost];
            next.request.has_body      = r.has_body || complete_words[WordContentLength]
                                      || complete_words[WordTransferEncoding];
            next.request.index         = '0;
            next.request.missed        = '0;
          end else if (r.phase == PhaseLine && c.is_cr) begin
            next.request.after_cr = 1'b1;
          end else if (r.phase == PhaseLine && c.is_lf) begin
            next = complete(parser);
          end else begin
            next = refuse(parser, RespondBadRequest);
          end
        end

        // A list of options; what other fields say does not matter.
        PhaseValue: begin
          if (separator || c.is_cr || c.is_lf) begin
            if (r.in_connection) begin
              next.request.close      = r.close || complete_words[WordClose];
              next.request.keep_alive = r.keep_alive || complete_words[WordKeepAlive];
            end
            next.request.index    = '0;
            next.request.missed   = '0;
            next.request.after_cr = c.is_cr;
            if (c.is_lf) next.request.phase = PhaseLine;
          end else if (c.is_visible) begin
            next.request.missed = r.missed | ~met;
            if (r.index != '1) next.request.index = r.index + 1'b1;
          end else begin
            next = refuse(parser, RespondBadRequest);
          end
        end

        default: ;
      endcase
    end
    return next;
  endfunction

endpackage
