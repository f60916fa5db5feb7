// SPDX-License-Identifier: Apache-2.0

// Block RAM of ECP5 for the simulation of netlists: 18 Kbit with two ports. The cell models that come
// with Yosys have its ports alone. Written after the vendor's public memory usage guide, for the
// modes that Yosys maps to; the others are refused.
//
// Widths     1, 2, 4, 9, 18, each port its own; 36 is one port to write (A) and one to read (B).
// Latency    1 clock.
// Writes     the writing port shows what it showed before (NORMAL), the new word (WRITETHROUGH), or
//            the old one (READBEFOREWRITE). From 18 bits on the lowest address bits are byte enables.
// Reset      of the output alone, whether enabled or not; RESETMODE says if it waits for the clock.
// Collision  a word that is read at one port while any of its bits is written at the other comes
//            inverted: the guide leaves it undefined, and who relies on it shall be found.
// Contents   INITVAL_*, 16 words of 18 bits in each, 20 bits apart.
//
// Names are the vendor's.
// verilog_lint: waive-start parameter-name-style
// verilog_format: off
module DP16KD #(
  parameter logic [319:0] INITVAL_00 = '0,
  parameter logic [319:0] INITVAL_01 = '0,
  parameter logic [319:0] INITVAL_02 = '0,
  parameter logic [319:0] INITVAL_03 = '0,
  parameter logic [319:0] INITVAL_04 = '0,
  parameter logic [319:0] INITVAL_05 = '0,
  parameter logic [319:0] INITVAL_06 = '0,
  parameter logic [319:0] INITVAL_07 = '0,
  parameter logic [319:0] INITVAL_08 = '0,
  parameter logic [319:0] INITVAL_09 = '0,
  parameter logic [319:0] INITVAL_0A = '0,
  parameter logic [319:0] INITVAL_0B = '0,
  parameter logic [319:0] INITVAL_0C = '0,
  parameter logic [319:0] INITVAL_0D = '0,
  parameter logic [319:0] INITVAL_0E = '0,
  parameter logic [319:0] INITVAL_0F = '0,
  parameter logic [319:0] INITVAL_10 = '0,
  parameter logic [319:0] INITVAL_11 = '0,
  parameter logic [319:0] INITVAL_12 = '0,
  parameter logic [319:0] INITVAL_13 = '0,
  parameter logic [319:0] INITVAL_14 = '0,
  parameter logic [319:0] INITVAL_15 = '0,
  parameter logic [319:0] INITVAL_16 = '0,
  parameter logic [319:0] INITVAL_17 = '0,
  parameter logic [319:0] INITVAL_18 = '0,
  parameter logic [319:0] INITVAL_19 = '0,
  parameter logic [319:0] INITVAL_1A = '0,
  parameter logic [319:0] INITVAL_1B = '0,
  parameter logic [319:0] INITVAL_1C = '0,
  parameter logic [319:0] INITVAL_1D = '0,
  parameter logic [319:0] INITVAL_1E = '0,
  parameter logic [319:0] INITVAL_1F = '0,
  parameter logic [319:0] INITVAL_20 = '0,
  parameter logic [319:0] INITVAL_21 = '0,
  parameter logic [319:0] INITVAL_22 = '0,
  parameter logic [319:0] INITVAL_23 = '0,
  parameter logic [319:0] INITVAL_24 = '0,
  parameter logic [319:0] INITVAL_25 = '0,
  parameter logic [319:0] INITVAL_26 = '0,
  parameter logic [319:0] INITVAL_27 = '0,
  parameter logic [319:0] INITVAL_28 = '0,
  parameter logic [319:0] INITVAL_29 = '0,
  parameter logic [319:0] INITVAL_2A = '0,
  parameter logic [319:0] INITVAL_2B = '0,
  parameter logic [319:0] INITVAL_2C = '0,
  parameter logic [319:0] INITVAL_2D = '0,
  parameter logic [319:0] INITVAL_2E = '0,
  parameter logic [319:0] INITVAL_2F = '0,
  parameter logic [319:0] INITVAL_30 = '0,
  parameter logic [319:0] INITVAL_31 = '0,
  parameter logic [319:0] INITVAL_32 = '0,
  parameter logic [319:0] INITVAL_33 = '0,
  parameter logic [319:0] INITVAL_34 = '0,
  parameter logic [319:0] INITVAL_35 = '0,
  parameter logic [319:0] INITVAL_36 = '0,
  parameter logic [319:0] INITVAL_37 = '0,
  parameter logic [319:0] INITVAL_38 = '0,
  parameter logic [319:0] INITVAL_39 = '0,
  parameter logic [319:0] INITVAL_3A = '0,
  parameter logic [319:0] INITVAL_3B = '0,
  parameter logic [319:0] INITVAL_3C = '0,
  parameter logic [319:0] INITVAL_3D = '0,
  parameter logic [319:0] INITVAL_3E = '0,
  parameter logic [319:0] INITVAL_3F = '0,
  parameter int DATA_WIDTH_A = 18,
  parameter int DATA_WIDTH_B = 18,
  parameter string REGMODE_A = "NOREG",
  parameter string REGMODE_B = "NOREG",
  parameter string RESETMODE = "SYNC",
  parameter string ASYNC_RESET_RELEASE = "SYNC",
  parameter string CSDECODE_A = "0b000",
  parameter string CSDECODE_B = "0b000",
  parameter string WRITEMODE_A = "NORMAL",
  parameter string WRITEMODE_B = "NORMAL",
  parameter string CLKAMUX = "CLKA",
  parameter string CLKBMUX = "CLKB",
  parameter string GSR = "ENABLED"
) (
  input logic DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5,
    DIA4, DIA3, DIA2, DIA1, DIA0,
  input logic ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1,
    ADA0,
  input logic CLKA, CEA, OCEA, WEA, RSTA, CSA2, CSA1, CSA0,
  output logic DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6,
    DOA5, DOA4, DOA3, DOA2, DOA1, DOA0,
  input logic DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6, DIB5,
    DIB4, DIB3, DIB2, DIB1, DIB0,
  input logic ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1,
    ADB0,
  input logic CLKB, CEB, OCEB, WEB, RSTB, CSB2, CSB1, CSB0,
  output logic DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6,
    DOB5, DOB4, DOB3, DOB2, DOB1, DOB0
);
  // verilog_format: on

  if (REGMODE_A != "NOREG" || REGMODE_B != "NOREG" || CSDECODE_A != "0b000" ||
      CSDECODE_B != "0b000" || CLKAMUX != "CLKA" || CLKBMUX != "CLKB") begin : gen_refuse
    $error("Output registers, decoded selects and inverted clocks are not modelled.");
  end

  localparam bit Wide = DATA_WIDTH_A == 36 || DATA_WIDTH_B == 36;
  localparam int Rows = 512;
  localparam int RowWidth = 36;

  typedef logic [RowWidth-1:0] row_t;

  // Two words of 18 bits make a row, so that a port of any width has its word in one row.
  row_t memory[Rows];

  // verilog_format: off
  localparam logic [64*320-1:0] Contents = {
      INITVAL_3F, INITVAL_3E, INITVAL_3D, INITVAL_3C, INITVAL_3B, INITVAL_3A, INITVAL_39,
      INITVAL_38, INITVAL_37, INITVAL_36, INITVAL_35, INITVAL_34, INITVAL_33, INITVAL_32,
      INITVAL_31, INITVAL_30, INITVAL_2F, INITVAL_2E, INITVAL_2D, INITVAL_2C, INITVAL_2B,
      INITVAL_2A, INITVAL_29, INITVAL_28, INITVAL_27, INITVAL_26, INITVAL_25, INITVAL_24,
      INITVAL_23, INITVAL_22, INITVAL_21, INITVAL_20, INITVAL_1F, INITVAL_1E, INITVAL_1D,
      INITVAL_1C, INITVAL_1B, INITVAL_1A, INITVAL_19, INITVAL_18, INITVAL_17, INITVAL_16,
      INITVAL_15, INITVAL_14, INITVAL_13, INITVAL_12, INITVAL_11, INITVAL_10, INITVAL_0F,
      INITVAL_0E, INITVAL_0D, INITVAL_0C, INITVAL_0B, INITVAL_0A, INITVAL_09, INITVAL_08,
      INITVAL_07, INITVAL_06, INITVAL_05, INITVAL_04, INITVAL_03, INITVAL_02, INITVAL_01,
      INITVAL_00
  };
  // verilog_format: on

  initial begin
    for (int word = 0; word < 2 * Rows; word++) begin
      memory[word/2][18*(word%2)+:18] = Contents[20*word+:18];
    end
  end

  // The lowest bit of a port's word in its row. A nibble, a pair and a bit are counted within the
  // first eight of nine bits.
  function automatic int lowest(input int width, input logic [13:0] address);
    case (width)
      36:      return 0;
      18:      return 18 * int'(address[4]);
      9:       return 9 * int'(address[4:3]);
      4:       return 9 * int'(address[4:3]) + 4 * int'(address[2]);
      2:       return 9 * int'(address[4:3]) + 2 * int'(address[2:1]);
      default: return 9 * int'(address[4:3]) + int'(address[2:0]);
    endcase
  endfunction

  // The bits of a port's word, and those of them that a write changes.
  function automatic row_t word_mask(input int width);
    return row_t'((37'd1 << width) - 37'd1);
  endfunction

  function automatic row_t write_mask(input int width, input logic [13:0] address);
    case (width)
      36:      return {{9{address[3]}}, {9{address[2]}}, {9{address[1]}}, {9{address[0]}}};
      18:      return {18'd0, {9{address[1]}}, {9{address[0]}}};
      default: return word_mask(width);
    endcase
  endfunction

  logic [17:0] data_a, data_b;
  logic [13:0] address_a, address_b;

  // verilog_format: off
  assign data_a = {
      DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5, DIA4,
      DIA3, DIA2, DIA1, DIA0
  };
  assign data_b = {
      DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6, DIB5, DIB4,
      DIB3, DIB2, DIB1, DIB0
  };
  assign address_a = {
      ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0
  };
  assign address_b = {
      ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0
  };
  // verilog_format: on

  // What each port writes and reads, as bits of its row.
  logic write_a, write_b, same_row;
  row_t written_a, written_b, read_mask_a, read_mask_b, new_a, new_b, old_a, old_b;
  int low_a, low_b;

  assign low_a       = lowest(DATA_WIDTH_A, address_a);
  assign low_b       = lowest(DATA_WIDTH_B, address_b);
  assign write_a     = CEA && WEA && {CSA2, CSA1, CSA0} == '0;
  assign write_b     = !Wide && CEB && WEB && {CSB2, CSB1, CSB0} == '0;
  assign written_a   = write_a ? write_mask(DATA_WIDTH_A, address_a) << low_a : '0;
  assign written_b   = write_b ? write_mask(DATA_WIDTH_B, address_b) << low_b : '0;
  assign read_mask_a = word_mask(DATA_WIDTH_A) << low_a;
  assign read_mask_b = word_mask(DATA_WIDTH_B) << low_b;
  assign new_a       = row_t'(Wide ? {data_b, data_a} : {18'd0, data_a}) << low_a;
  assign new_b       = row_t'(data_b) << low_b;
  assign old_a       = memory[address_a[13:5]];
  assign old_b       = memory[address_b[13:5]];
  assign same_row    = address_a[13:5] == address_b[13:5];

  always_ff @(posedge CLKA) begin
    if (write_a) begin
      memory[address_a[13:5]] <= (old_a & ~written_a) | (new_a & written_a);
    end
  end

  always_ff @(posedge CLKB) begin
    if (write_b) begin
      memory[address_b[13:5]] <= (old_b & ~written_b) | (new_b & written_b);
    end
  end

  always_ff @(posedge CLKA) begin
    if (write_a && write_b && same_row) $error("Both ports write a row at once: not modelled.");
  end

  // What a read returns; `is_new` are the bits which the port itself writes.
  function automatic row_t answer(input row_t old, input row_t fresh, input row_t is_new,
                                  input row_t others, input row_t mask, input int low);
    row_t seen = ((old & ~is_new) | (fresh & is_new)) & mask;
    return ((others & mask) != '0 ? ~seen & mask : seen) >> low;
  endfunction

  row_t read_a_q = '0, read_b_q = '0;
  logic reset_a, reset_b;  // those that do not wait

  assign reset_a = RESETMODE == "ASYNC" && RSTA;
  assign reset_b = RESETMODE == "ASYNC" && RSTB;

  always_ff @(posedge CLKA or posedge reset_a) begin
    if (reset_a || RSTA) begin
      read_a_q <= '0;
    end else if (CEA && !(WEA && WRITEMODE_A == "NORMAL")) begin
      read_a_q <= answer(
          old_a,
          new_a,
          WRITEMODE_A == "WRITETHROUGH" ? written_a : '0,
          same_row ? written_b : '0,
          read_mask_a,
          low_a
      );
    end
  end

  always_ff @(posedge CLKB or posedge reset_b) begin
    if (reset_b || RSTB) begin
      read_b_q <= '0;
    end else if (CEB && (Wide || !(WEB && WRITEMODE_B == "NORMAL"))) begin
      read_b_q <= answer(
          old_b,
          new_b,
          WRITEMODE_B == "WRITETHROUGH" ? written_b : '0,
          same_row ? written_a : '0,
          read_mask_b,
          low_b
      );
    end
  end

  // verilog_format: off
  // With 36 bits the reading port has both outputs; one that is narrower has its own.
  assign {
      DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5, DOB4,
      DOB3, DOB2, DOB1, DOB0
  } = DATA_WIDTH_B == 36 ? read_b_q[35:18] : read_b_q[17:0];
  assign {
      DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5, DOA4,
      DOA3, DOA2, DOA1, DOA0
  } = DATA_WIDTH_B == 36 ? read_b_q[17:0] : read_a_q[17:0];
  // verilog_format: on

endmodule
// verilog_lint: waive-stop parameter-name-style
