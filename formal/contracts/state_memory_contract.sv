// SPDX-License-Identifier: Apache-2.0

// What connection_pipeline and its memory of states promise each other; connection_sequencer promises
// what a pipeline would that writes as late. Each one's proof assumes the other's part and asserts its
// own, so that together they are one memory.
//
// The pipeline  takes events of one connection DecideClocks or more apart; writes the state of an
//               event's connection DecideClocks + 2 clocks after it took the event, or not at all,
//               and writes nothing else.
// The memory    gives an event, ReadLatency clocks after it was taken and for KeepClocks, what was
//               written last of its connection, unless that was written in the very clock in which
//               the event was taken. What comes then, what comes of other connections, in other
//               clocks, and for events of no connection, is free.
//
// For one connection, whose state is a number. What of a state must be that number is the proof's
// to say: fits_i, about number_o, in clocks with due_o. At reset it is 0.
module state_memory_contract #(
  parameter  bit AssumePipeline = 1'b0,
  parameter  bit AssumeMemory   = 1'b0,
  parameter  int IdWidth        = 2,
  parameter  int DecideClocks   = 4,
  parameter  int ReadLatency    = 2,
  parameter  int KeepClocks     = 1,             // fewer than there are between two events
  localparam int CommitLatency  = DecideClocks + 2,
  localparam int Shown          = ReadLatency + KeepClocks - 1,  // the last clock in which it is
  localparam int NumberWidth    = 4
) (
  input  logic                   clk,
  input  logic                   rst,
  input  logic [    IdWidth-1:0] chosen_i,        // an arbitrary constant
  input  logic                   take_i,          // the pipeline takes an event
  input  logic                   named_i,         // of a connection,
  input  logic [    IdWidth-1:0] id_i,            // this one
  input  logic                   write_i,
  input  logic [    IdWidth-1:0] write_id_i,
  input  logic [NumberWidth-1:0] write_number_i,
  output logic                   due_o,           // what is read now is to be
  output logic [NumberWidth-1:0] number_o,        // this
  input  logic                   fits_i           // and is
);

  typedef struct packed {
    logic               valid;
    logic [IdWidth-1:0] id;
  } event_t;

  event_t event_q[CommitLatency];  // that were taken, the latest first
  logic [NumberWidth-1:0] number_q;  // written last
  logic [NumberWidth-1:0] fetched_q[Shown];
  logic [Shown-1:0] fetches_q;
  logic takes, recent, writes, latest_is_due;

  assign takes = take_i && named_i;
  assign writes = write_i && write_id_i == chosen_i;
  assign latest_is_due = takes && id_i == chosen_i && !writes;

  always_comb begin
    recent = 1'b0;
    for (int i = 0; i < DecideClocks - 1; i++)
    if (event_q[i].valid && event_q[i].id == id_i) recent = 1'b1;
  end

  always_comb begin
    due_o    = 1'b0;
    number_o = '0;
    for (int i = ReadLatency - 1; i < Shown; i++) begin
      if (fetches_q[i]) begin
        due_o    = 1'b1;
        number_o = fetched_q[i];
      end
    end
  end

  always_ff @(posedge clk) begin
    event_q[0] <= '{valid: takes, id: id_i};
    for (int i = 1; i < CommitLatency; i++) event_q[i] <= event_q[i-1];
    if (writes) number_q <= write_number_i;
    fetches_q    <= Shown'({fetches_q, latest_is_due});
    fetched_q[0] <= number_q;
    for (int i = 1; i < Shown; i++) fetched_q[i] <= fetched_q[i-1];

    if (rst) begin
      for (int i = 0; i < CommitLatency; i++) event_q[i].valid <= 1'b0;
      number_q  <= '0;
      fetches_q <= '0;
    end
  end

  logic apart, of_an_event, newest;

  assign apart = !(takes && recent);
  assign of_an_event = !write_i
      || (event_q[CommitLatency-1].valid && event_q[CommitLatency-1].id == write_id_i);
  assign newest = !due_o || fits_i;

  if (AssumePipeline) begin : gen_assume_pipeline
    always_ff @(posedge clk) if (!rst) assume (apart && of_an_event);
  end else begin : gen_assert_pipeline
    always_ff @(posedge clk) begin
      if (!rst) begin
        pipeline_apart : assert (apart);
        pipeline_write : assert (of_an_event);
      end
    end
  end

  if (AssumeMemory) begin : gen_assume_memory
    always_ff @(posedge clk) if (!rst) assume (newest);
  end else begin : gen_assert_memory
    always_ff @(posedge clk) if (!rst) memory_newest : assert (newest);
  end

endmodule
