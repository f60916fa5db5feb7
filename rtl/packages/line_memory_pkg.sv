// SPDX-License-Identifier: Apache-2.0

// How blocks ask for lines of a memory that is far away: the ports of caches and tables in DRAM.
//
// A request reads or writes one line, all of it or the bytes that its strobe names. Each request has
// one response, reads and writes alike. Responses come in any order, told apart by their tag, which
// the client does not use again before its response. A client takes every response at once.
// Requests of one client for the same line are carried out in the order in which they were made.
package line_memory_pkg;

  localparam int LineBytes = 64;
  localparam int LineBits = 8 * LineBytes;
  localparam int LineTagWidth = 8;

  typedef struct packed {
    logic                    write;
    logic [31:0]             address;  // in lines, in the client's part of memory
    logic [LineTagWidth-1:0] tag;
    logic [LineBytes-1:0]    strobe;   // of a write
    logic [LineBits-1:0]     data;     // of a write
  } line_request_t;

  typedef struct packed {
    logic                    write;
    logic [LineTagWidth-1:0] tag;
    logic [LineBits-1:0]     data;  // of a read
  } line_response_t;

  // Who asks for lines, and the size of each one's part of memory: lines for each connection.
  localparam int StateClient = 0;  // connection state
  localparam int IndexClient = 1;  // tuples
  localparam int QueueClient = 2;  // queues of connections
  localparam int LineClients = 3;
  // Beside them, where transmit rings get memory by pages.
  localparam int PageTableClient = 3;
  localparam int PagePoolClient = 4;
  localparam int PageWaitClient = 5;
  localparam int PagingLineClients = 6;
  // Where receive rings do.
  localparam int RxPageTableClient = 6;
  localparam int RxPagePoolClient = 7;
  localparam int RxPagingLineClients = 8;

  // How many there are.
  function automatic int line_clients(input int tx_page_bytes, input int rx_page_bytes);
    return rx_page_bytes != 0 ? RxPagingLineClients
        : tx_page_bytes != 0 ? PagingLineClients : LineClients;
  endfunction

  localparam int LinesPerConnection = 4;

  // Of the engine's AXI4 ports.
  localparam int MemoryAddressWidth = 40;
  localparam int MemoryIdWidth = 6;

endpackage
