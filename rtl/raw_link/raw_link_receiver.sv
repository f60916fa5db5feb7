// SPDX-License-Identifier: Apache-2.0

// Receiver, second half: gives frames to the applications as the connection manager has decided.
//
// Latency    1 clock from a decision to m_app_head_valid; the data follows the head in the clock
//            after it was taken.
// Throughput a frame takes 2 clocks more than its data has beats.
// Paths      data goes through; m_app_ready reaches the buffer's read enable.
//
// A frame is its head and, if the head's size is not 0, a packet of that many bytes. Frames that
// are not delivered, but have data, are taken out of the buffer. Applications with valid low must
// not look; heads and data of all are the same wires.
module raw_link_receiver
  import raw_link_pkg::*;
#(
  parameter  int DataWidth = 32,
  parameter  int Apps      = MaxApps,
  localparam int Lanes     = DataWidth / 8
) (
  input  logic                 clk,
  input  logic                 rst,

  input  delivery_t            s_delivery,
  input  logic                 s_delivery_valid,
  output logic                 s_delivery_ready,

  input  logic [DataWidth-1:0] s_data,
  input  logic [    Lanes-1:0] s_keep,
  input  logic                 s_last,
  input  logic                 s_valid,
  output logic                 s_ready,

  output delivery_t            m_app_head,
  output logic [     Apps-1:0] m_app_head_valid,
  input  logic [     Apps-1:0] m_app_head_ready,

  output logic [DataWidth-1:0] m_app_data,
  output logic [    Lanes-1:0] m_app_keep,
  output logic                 m_app_last,
  output logic [     Apps-1:0] m_app_valid,
  input  logic [     Apps-1:0] m_app_ready
);

  typedef enum logic [1:0] {
    StHead,  // offer the head of a frame, if it is to be delivered
    StData,  // its data
    StDrain  // data of a frame that is not delivered
  } state_e;

  state_e state_q;
  delivery_t delivery;
  logic delivery_valid, delivery_done, head_taken, data_taken;
  logic [Apps-1:0] app;  // one-hot; of an application that there is if the frame is delivered

  // The next frame is looked up while this one's data goes by, and waits in the connection manager.
  assign s_delivery_ready = !delivery_valid;

  always_ff @(posedge clk) begin
    if (s_delivery_ready) delivery <= s_delivery;
    delivery_valid <= s_delivery_ready ? s_delivery_valid : !delivery_done;

    if (rst) delivery_valid <= 1'b0;
  end

  always_comb begin
    for (int a = 0; a < Apps; a++) app[a] = delivery.ui_app == raw_app_t'(a);
  end

  assign m_app_head       = delivery;
  assign m_app_data       = s_data;
  assign m_app_keep       = s_keep;
  assign m_app_last       = s_last;
  assign m_app_head_valid =
      (state_q == StHead && delivery_valid && delivery.deliver) ? app : '0;
  assign m_app_valid      = (state_q == StData && s_valid) ? app : '0;

  assign head_taken       = |(m_app_head_valid & m_app_head_ready);
  assign s_ready          = state_q == StDrain || (state_q == StData && |(app & m_app_ready));
  assign data_taken       = s_valid && s_ready && s_last;
  assign delivery_done    = data_taken || (head_taken && delivery.size == '0);

  always_ff @(posedge clk) begin
    unique case (state_q)
      StHead: begin
        if (delivery_valid && !delivery.deliver) state_q <= StDrain;
        else if (head_taken && delivery.size != '0) state_q <= StData;
      end
      default: if (data_taken) state_q <= StHead;
    endcase

    if (rst) state_q <= StHead;
  end

endmodule
