// SPDX-License-Identifier: Apache-2.0

// Every byte that the HTTP server sends, as text. Bytes from 8'h80 up are not text but marks, and
// tell the responder what to put in or leave out:
//
//   a counter's name    its value in decimal, NumberBytes characters
//   IfLast, Else, End   between the first two: in the last response of a connection only;
//                       between the last two: in all others
//   EndOfHeader         a response to HEAD ends here
//   EndOfResponse       every other one here
package http_text_pkg;

  import http_parser_pkg::*;

  localparam int NumberBytes = 10;

  // Counters: the fields of app_statistics_t from the first one on.
  localparam logic [7:0] FirstNumber = 8'h80;
  localparam logic [7:0] UptimeUs = 8'h80;
  localparam logic [7:0] FramesIn = 8'h81;
  localparam logic [7:0] BytesIn = 8'h82;
  localparam logic [7:0] FramesOut = 8'h83;
  localparam logic [7:0] BytesOut = 8'h84;
  localparam logic [7:0] SegmentsIn = 8'h85;
  localparam logic [7:0] SegmentsOut = 8'h86;
  localparam logic [7:0] Retransmissions = 8'h87;
  localparam logic [7:0] ConnectionsNow = 8'h88;
  localparam logic [7:0] Accepted = 8'h89;
  localparam logic [7:0] Resets = 8'h8a;
  localparam logic [7:0] Drops = 8'h8b;

  localparam logic [7:0] IfLast = 8'hf0;
  localparam logic [7:0] Else = 8'hf1;
  localparam logic [7:0] End = 8'hf2;
  localparam logic [7:0] EndOfHeader = 8'hf3;
  localparam logic [7:0] EndOfResponse = 8'hf4;

  // A byte with what it means.
  typedef struct packed {
    logic       is_number;
    logic       is_if_last;
    logic       is_else;
    logic       is_end;
    logic       is_end_of_header;
    logic       is_end_of_response;
    logic [7:0] code;
  } http_token_t;

  function automatic http_token_t token_of(input logic [7:0] code);
    http_token_t token;
    token.code               = code;
    token.is_number          = code[7:4] == FirstNumber[7:4];
    token.is_if_last         = code == IfLast;
    token.is_else            = code == Else;
    token.is_end             = code == End;
    token.is_end_of_header   = code == EndOfHeader;
    token.is_end_of_response = code == EndOfResponse;
    return token;
  endfunction

  localparam logic [15:0] Eol = 16'h0d0a;

  // A text is as long as it is, and is laid out as it is sent.
  // verilog_lint: waive-start explicit-parameter-storage-type
  // verilog_format: off

  // ---- Pages

  localparam PageTop = {
    "<!DOCTYPE html>\n",
    "<html lang=\"en\">\n",
    "<head>\n",
    "<meta charset=\"utf-8\">\n",
    "<meta name=\"viewport\" content=\"width=device-width\">\n",
    "<title>Toehold</title>\n",
    "<style>\n",
    "body{font:16px/1.5 sans-serif;max-width:34em;margin:3em auto;padding:0 1em;color:#222}\n",
    "table{border-collapse:collapse;width:100%}\n",
    "td{padding:.2em 0;border-bottom:1px solid #ddd}\n",
    "td+td{text-align:right;font-variant-numeric:tabular-nums}\n",
    "</style>\n",
    "</head>\n",
    "<body>\n"
  };

  localparam PageEnd = {"</body>\n", "</html>\n"};

  localparam CounterPage = {
    PageTop,
    "<h1>Toehold</h1>\n",
    "<p>This page comes from a TCP/IP endpoint in hardware. No processor had a part in it.</p>\n",
    "<table>\n",
    "<tr><td>Uptime in microseconds<td>", UptimeUs, "\n",
    "<tr><td>Frames received<td>", FramesIn, "\n",
    "<tr><td>Bytes received<td>", BytesIn, "\n",
    "<tr><td>Frames sent<td>", FramesOut, "\n",
    "<tr><td>Bytes sent<td>", BytesOut, "\n",
    "<tr><td>Frames dropped<td>", Drops, "\n",
    "<tr><td>TCP segments received<td>", SegmentsIn, "\n",
    "<tr><td>TCP segments sent<td>", SegmentsOut, "\n",
    "<tr><td>Retransmissions<td>", Retransmissions, "\n",
    "<tr><td>Connections now<td>", ConnectionsNow, "\n",
    "<tr><td>Connections accepted<td>", Accepted, "\n",
    "<tr><td>Connections reset<td>", Resets, "\n",
    "</table>\n",
    "<p>Reload for newer figures.</p>\n",
    PageEnd
  };

  localparam ErrorTop = {
    "<!DOCTYPE html>\n",
    "<html lang=\"en\">\n",
    "<head><meta charset=\"utf-8\"><title>Toehold</title></head>\n",
    "<body><h1>"
  };

  localparam ErrorEnd = {"</h1></body>\n", "</html>\n"};

  // ---- Headers

  localparam HeaderTop = "HTTP/1.1 ";

  localparam HeaderMiddle = {
    Eol,
    "Server: Toehold", Eol,
    "Cache-Control: no-store", Eol,
    "Content-Type: text/html; charset=utf-8", Eol,
    "Connection: ", IfLast, "close", Else, "keep-alive", End, Eol,
    "Content-Length: "
  };

  localparam HeaderEnd = {Eol, Eol, EndOfHeader};

  localparam Ok = "200 OK";
  localparam BadRequest = "400 Bad Request";
  localparam NotFound = "404 Not Found";
  localparam NotAllowed = "405 Method Not Allowed";
  localparam UriTooLong = "414 URI Too Long";
  localparam HeaderTooLarge = "431 Request Header Fields Too Large";
  localparam VersionNotSupported = "505 HTTP Version Not Supported";

  localparam Allow = {Eol, "Allow: GET, HEAD"};

  // ---- Content-Length

  localparam int MaxBodyBytes = 4096;

  // Bytes that a text of so many bytes has on the wire.
  function automatic int wire_bytes(input logic [MaxBodyBytes*8-1:0] text, input int bytes);
    int result = 0;
    for (int i = 0; i < bytes; i++) begin
      if (!text[8*i+7]) result += 1;
      else if (text[8*i+:8] < IfLast) result += NumberBytes;
    end
    return result;
  endfunction

  localparam int PageBytes = wire_bytes((MaxBodyBytes * 8)'(CounterPage), $bits(CounterPage) / 8);

  function automatic logic [7:0] digit(input int value);
    return 8'(int'("0") + value % 10);
  endfunction

  // The page is of four digits, the others of three; http_text checks it.
  function automatic logic [31:0] four_digits(input int value);
    return {digit(value / 1000), digit(value / 100), digit(value / 10), digit(value)};
  endfunction

  function automatic logic [23:0] error_length(input int reason_bits);
    int value = ($bits(ErrorTop) + reason_bits + $bits(ErrorEnd)) / 8;
    return {digit(value / 100), digit(value / 10), digit(value)};
  endfunction

  // ---- Responses, in the order of http_response_e

  localparam ResponseOk = {
    HeaderTop, Ok, HeaderMiddle, four_digits(PageBytes), HeaderEnd, CounterPage, EndOfResponse
  };
  localparam ResponseBadRequest = {
    HeaderTop, BadRequest, HeaderMiddle, error_length($bits(BadRequest)), HeaderEnd,
    ErrorTop, BadRequest, ErrorEnd, EndOfResponse
  };
  localparam ResponseNotFound = {
    HeaderTop, NotFound, HeaderMiddle, error_length($bits(NotFound)), HeaderEnd,
    ErrorTop, NotFound, ErrorEnd, EndOfResponse
  };
  localparam ResponseNotAllowed = {
    HeaderTop, NotAllowed, Allow, HeaderMiddle, error_length($bits(NotAllowed)), HeaderEnd,
    ErrorTop, NotAllowed, ErrorEnd, EndOfResponse
  };
  localparam ResponseUriTooLong = {
    HeaderTop, UriTooLong, HeaderMiddle, error_length($bits(UriTooLong)), HeaderEnd,
    ErrorTop, UriTooLong, ErrorEnd, EndOfResponse
  };
  localparam ResponseHeaderTooLarge = {
    HeaderTop, HeaderTooLarge, HeaderMiddle, error_length($bits(HeaderTooLarge)), HeaderEnd,
    ErrorTop, HeaderTooLarge, ErrorEnd, EndOfResponse
  };
  localparam ResponseVersion = {
    HeaderTop, VersionNotSupported, HeaderMiddle, error_length($bits(VersionNotSupported)),
    HeaderEnd, ErrorTop, VersionNotSupported, ErrorEnd, EndOfResponse
  };

  localparam Text = {
    ResponseOk, ResponseBadRequest, ResponseNotFound, ResponseNotAllowed, ResponseUriTooLong,
    ResponseHeaderTooLarge, ResponseVersion
  };

  // verilog_format: on
  // verilog_lint: waive-stop explicit-parameter-storage-type

  localparam int TextBytes = $bits(Text) / 8;
  localparam int TextAddressWidth = $clog2(TextBytes);

  typedef logic [TextAddressWidth-1:0] text_address_t;

  // Where each begins.
  localparam int StartBadRequest = $bits(ResponseOk) / 8;
  localparam int StartNotFound = StartBadRequest + $bits(ResponseBadRequest) / 8;
  localparam int StartNotAllowed = StartNotFound + $bits(ResponseNotFound) / 8;
  localparam int StartUriTooLong = StartNotAllowed + $bits(ResponseNotAllowed) / 8;
  localparam int StartHeaderTooLarge = StartUriTooLong + $bits(ResponseUriTooLong) / 8;
  localparam int StartVersion = StartHeaderTooLarge + $bits(ResponseHeaderTooLarge) / 8;

  function automatic text_address_t start_of(input http_response_e kind);
    unique case (kind)
      RespondOk:             return '0;
      RespondBadRequest:     return text_address_t'(StartBadRequest);
      RespondNotFound:       return text_address_t'(StartNotFound);
      RespondNotAllowed:     return text_address_t'(StartNotAllowed);
      RespondUriTooLong:     return text_address_t'(StartUriTooLong);
      RespondHeaderTooLarge: return text_address_t'(StartHeaderTooLarge);
      default:               return text_address_t'(StartVersion);
    endcase
  endfunction

endpackage
