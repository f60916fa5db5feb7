// SPDX-License-Identifier: Apache-2.0

// Stand-in for the format of connection state in DRAM, in proofs about what carries it there and back.
// A state is a number of four bits; state_codec_pkg_props proves the real format.
//
//   - Every half of a line that a state takes has the number: halves that are not of the same state
//     come back as another number.
//   - Numbers below 4 are what a closed connection leaves: nothing but a generation.
//   - Of the others every second one needs an extension. What an extension of its own tells must fit.
package state_codec_pkg;

  import app_pkg::*;
  import tcp_pkg::*;
  import line_memory_pkg::*;

  typedef logic [3:0] number_t;

  function automatic connection_t at(input number_t number);
    connection_t c;
    c = '0;
    c.snd_una = 32'(number);
    c.generation = number;
    return c;
  endfunction

  function automatic logic is_at(input connection_t c, input number_t number);
    return c.snd_una[3:0] == number && c.generation == number;
  endfunction

  function automatic number_t number_of(input connection_t c);
    return c.snd_una[3:0];
  endfunction

  localparam int HalfBits = LineBits / 2;
  localparam int StateHalves = 3;
  localparam int StateBits = StateHalves * HalfBits;
  localparam int LinesPerState = (StateHalves + 1) / 2;
  localparam int MostLines = LinesPerState + 1;
  localparam int ConnectionsPerExtension = 8;

  typedef logic [StateBits-1:0] state_bits_t;
  typedef logic [LineBits-1:0] extension_bits_t;

  typedef struct packed {
    logic [SessionIdWidth-1:0] owner;
    number_t                   number;
  } extension_t;

  localparam logic ExtensionFits = 1'b1;

  function automatic state_bits_t pack_state(input connection_t c);
    return {StateHalves{HalfBits'(number_of(c))}};
  endfunction

  function automatic extension_bits_t pack_extension(input connection_t c,
                                                     input logic [SessionIdWidth-1:0] id);
    return LineBits'(extension_t'{owner: id, number: number_of(c)});
  endfunction

  function automatic logic [SessionIdWidth-1:0] owner_of(input extension_bits_t bits);
    extension_t e = extension_t'(bits[$bits(extension_t)-1:0]);
    return e.owner;
  endfunction

  function automatic connection_t unpack_state(input state_bits_t bits, input logic extended,
                                               input extension_bits_t extension);
    number_t number = number_t'(bits);
    extension_t e = extension_t'(extension[$bits(extension_t)-1:0]);
    logic fits = !extended || e.number == number;
    for (int i = 1; i < StateHalves; i++)
    if (number_t'(bits[i*HalfBits+:HalfBits]) != number) fits = 1'b0;
    return at(fits ? number : ~number);
  endfunction

  function automatic logic is_blank(input connection_t c);
    return number_of(c) < 4'd4;
  endfunction

  function automatic logic needs_extension(input connection_t c);
    return !is_blank(c) && number_of(c) [1];
  endfunction

  function automatic connection_t blank_state(input logic [GenerationWidth-1:0] generation);
    return at(number_t'(generation));
  endfunction

endpackage
