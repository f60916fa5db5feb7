// SPDX-License-Identifier: Apache-2.0

// raw_link_registers: of each frame that the processor gives, exactly size bytes leave behind its
// head, the last of them with last; what is offered stays; of each frame that it takes, all of the
// data is taken and nothing of the next.
module raw_link_registers_props
  import raw_link_pkg::*;
(
  input logic        clk,
  input logic        rst,
  input logic        cpu_valid_i,
  input logic [ 4:2] cpu_address_i,
  input logic        cpu_write_i,
  input logic [31:0] cpu_data_i,
  input delivery_t   m_app_head,
  input logic        m_app_head_valid,
  input logic [31:0] m_app_data,
  input logic [ 3:0] m_app_keep,
  input logic        m_app_last,
  input logic        m_app_valid,
  input logic        s_app_head_ready,
  input logic        s_app_ready
);

  logic cpu_ready_o, m_app_head_ready, m_app_ready;
  logic s_app_head_valid, s_app_last, s_app_valid;
  logic [31:0] cpu_data_o, s_app_data;
  logic [3:0] s_app_keep;
  transmit_t s_app_head;

  raw_link_registers dut (.*);

  logic started = 1'b0;
  always_ff @(posedge clk) begin
    started <= 1'b1;
    if (!started) assume (rst);
  end

  // The processor holds what it asks for.
  stream_contract #(
    .Width (36),
    .Assume(1'b1)
  ) cpu_contract (
    .clk,
    .rst,
    .data ({cpu_address_i, cpu_write_i, cpu_data_i}),
    .valid(cpu_valid_i),
    .ready(cpu_ready_o)
  );

  stream_contract #(
    .Width($bits(transmit_t))
  ) head_contract (
    .clk,
    .rst,
    .data (s_app_head),
    .valid(s_app_head_valid),
    .ready(s_app_head_ready)
  );

  stream_contract #(
    .Width(37)
  ) data_contract (
    .clk,
    .rst,
    .data ({s_app_last, s_app_keep, s_app_data}),
    .valid(s_app_valid),
    .ready(s_app_ready)
  );

  // ---- Frames that are given -------------------------------------------------------------------

  raw_size_t size_q;  // of the frame whose head was taken
  logic [14:0] given_q, given;  // its bytes that have left

  assign given = given_q + 15'($countones(s_app_keep));

  always_ff @(posedge clk) begin
    if (s_app_valid && s_app_ready) given_q <= given;
    if (s_app_head_valid && s_app_head_ready) begin
      size_q  <= cpu_data_i[13:0];
      given_q <= '0;
    end
    if (rst) begin
      size_q  <= '0;
      given_q <= '0;
    end
  end

  always_ff @(posedge clk) begin
    if (started && !rst) begin
      assert (15'(dut.left_q) + given_q == 15'(size_q));
      if (s_app_head_valid) assert (s_app_head.has_data == (cpu_data_i[13:0] != '0));
      if (s_app_valid) begin
        assert (s_app_keep != '0 && (s_app_keep & (s_app_keep + 1'b1)) == '0);
        assert (s_app_last || s_app_keep == '1);
        assert (s_app_last == (given == 15'(size_q)));
      end
      if (s_app_head_valid) assert (cpu_ready_o == s_app_head_ready);
      if (s_app_valid) assert (cpu_ready_o == s_app_ready);
    end
    cover (started && !rst && given_q == 15'd6 && size_q == 14'd6);
  end

  // ---- Frames that are taken -------------------------------------------------------------------

  logic data_left_q;

  always_ff @(posedge clk) begin
    if (m_app_valid && m_app_ready && m_app_last) data_left_q <= 1'b0;
    if (m_app_head_valid && m_app_head_ready) data_left_q <= m_app_head.size != '0;
    if (rst) data_left_q <= 1'b0;

    // The next head comes when the data before is gone (raw_link_receiver).
    if (data_left_q) assume (!m_app_head_valid);
  end

  always_ff @(posedge clk) begin
    if (started && !rst) begin
      assert (dut.receiving_q == data_left_q);
      assert (!(m_app_head_ready && m_app_ready));
      if (m_app_ready) assert (data_left_q && cpu_ready_o == m_app_valid);
      if (m_app_ready && m_app_valid) assert (cpu_data_o == m_app_data);
      if (m_app_head_ready) assert (cpu_ready_o == m_app_head_valid);
      // Nothing else waits.
      if (cpu_valid_i && !m_app_ready && !m_app_head_ready && !s_app_valid && !s_app_head_valid)
        assert (cpu_ready_o);
    end
    cover (started && !rst && m_app_ready && m_app_valid && m_app_last && m_app_head.size == 14'd5);
  end

endmodule
