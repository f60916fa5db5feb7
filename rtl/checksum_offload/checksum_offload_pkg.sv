// SPDX-License-Identifier: Apache-2.0

// What the parts of the checksum offload peripheral hand to each other.
//
// A descriptor has 16 bytes, aligned, little-endian:
//
//   byte  0  address (32)
//         4  byte count (16)
//         6  seed (16)
//         8  result (32), written by the peripheral: the layout of the register `result`
//        12  free for software
package checksum_offload_pkg;

  localparam int AddressWidth = 32;
  localparam int DescriptorBytes = 16;

  typedef logic [AddressWidth-1:0] address_t;
  typedef logic [AddressWidth-1:4] descriptor_address_t;  // in units of DescriptorBytes

  // The first eight bytes of a descriptor.
  typedef struct packed {
    logic [15:0] seed;
    logic [15:0] length;
    address_t    address;
  } job_t;

  // On an error the checksum is all ones, which no packet with a right checksum has.
  typedef struct packed {
    logic        bus_error;
    logic        length_error;
    logic [15:0] checksum;
  } result_t;

  // The result as a word of memory, and as the register of that name.
  function automatic logic [31:0] result_word(input logic ready, input result_t result);
    return {ready, result.bus_error, result.length_error, 13'b0, result.checksum};
  endfunction

endpackage
