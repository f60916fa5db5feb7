// SPDX-License-Identifier: Apache-2.0

// Pieces of the sequence space that lie beyond a gap: what was received out of order, and what the
// peer says it has (RFC 2018). A list holds up to Gaps of them, without holes from [0] on, and no two
// overlap or touch. So a new piece reaches into one of them at most from below, into one at most
// from above, and swallows those between.
//
// compare: relate() tells how each piece of a list lies to l <= s < r. judge and update: the rest.
package tcp_pieces_pkg;

  import seq_pkg::*;
  import tcp_pkg::*;

  typedef piece_t [Gaps-1:0] pieces_t;

  typedef struct packed {
    logic valid;
    logic starts_before;  // left < l
    logic starts_with;    // left = l
    logic reaches;        // l <= right
    logic reaches_in;     // l < right
    logic starts_by;      // left <= r
    logic starts_in;      // left < r
    logic ends_after;     // r < right
    logic ends_with;      // r = right
  } relation_t;

  typedef relation_t [Gaps-1:0] relations_t;

  function automatic relations_t relate(input pieces_t pieces, input seq_t l, input seq_t r);
    relations_t relations;
    for (int i = 0; i < Gaps; i++) begin
      relations[i].valid = pieces[i].valid;
      relations[i].starts_before = seq_lt(pieces[i].left, l);
      relations[i].starts_with = pieces[i].left == l;
      relations[i].reaches_in = seq_lt(l, pieces[i].right);
      relations[i].reaches = relations[i].reaches_in || l == pieces[i].right;
      relations[i].starts_in = seq_lt(pieces[i].left, r);
      relations[i].starts_by = relations[i].starts_in || r == pieces[i].left;
      relations[i].ends_after = seq_lt(r, pieces[i].right);
      relations[i].ends_with = r == pieces[i].right;
    end
    return relations;
  endfunction

  // Pieces that become one with l <= s < r.
  function automatic logic [Gaps-1:0] touched(input relations_t relations);
    for (int i = 0; i < Gaps; i++) begin
      touched[i] = relations[i].valid && relations[i].reaches && relations[i].starts_by;
    end
  endfunction

  // The piece made of l <= s < r and all that it touches.
  function automatic piece_t join_touched(input pieces_t pieces, input relations_t relations,
                                          input seq_t l, input seq_t r, input logic fin);
    piece_t joined;
    logic [Gaps-1:0] touches = touched(relations);
    logic starts_itself = 1'b1;
    logic ends_itself = 1'b1;
    seq_t left = '0;
    seq_t right = '0;
    joined = '{valid: 1'b1, fin: fin, left: '0, right: '0};
    for (int i = 0; i < Gaps; i++) begin
      if (touches[i] && relations[i].starts_before) begin
        starts_itself = 1'b0;
        left |= pieces[i].left;
      end
      if (touches[i] && relations[i].ends_after) begin
        ends_itself = 1'b0;
        right |= pieces[i].right;
      end
      if (touches[i] && pieces[i].fin) joined.fin = 1'b1;
    end
    joined.left = left | (starts_itself ? l : '0);
    joined.right = right | (ends_itself ? r : '0);
    return joined;
  endfunction

  // A new list is put together from numbers first, and its pieces move once: for each place, which
  // of the old list (or, by the highest bit, the new piece) stands there. No bit: none does.
  typedef logic [Gaps-1:0][Gaps:0] arrangement_t;

  // The list without some of its pieces; the rest keeps its order.
  function automatic arrangement_t remove_pieces(input logic [Gaps-1:0] gone);
    int place;
    remove_pieces = '0;
    for (int i = 0; i < Gaps; i++) begin
      place = 0;
      for (int j = 0; j < i; j++) if (!gone[j]) place++;
      for (int k = 0; k <= i; k++) begin
        if (!gone[i] && place == k) remove_pieces[k][i] = 1'b1;
      end
    end
  endfunction

  localparam logic [Gaps:0] NewPiece = {1'b1, {Gaps{1'b0}}};

  // A piece in front of a list, if there is room.
  function automatic arrangement_t put_first(input arrangement_t list);
    put_first = {list[Gaps-2:0], NewPiece};
  endfunction

  // A piece among those of a list that is kept by place in the sequence space. `below` says which
  // of them lie before it.
  function automatic arrangement_t put_sorted(input arrangement_t list,
                                              input logic [Gaps-1:0] below);
    for (int i = 0; i < Gaps; i++) begin
      if (below[i]) put_sorted[i] = list[i];
      else if (i == 0 || below[i-1]) put_sorted[i] = NewPiece;
      else put_sorted[i] = list[i-1];
    end
  endfunction

  function automatic pieces_t arrange(input arrangement_t list, input pieces_t pieces,
                                      input piece_t piece);
    for (int i = 0; i < Gaps; i++) begin
      arrange[i] = list[i][Gaps] ? piece : '0;
      for (int j = 0; j < Gaps; j++) if (list[i][j]) arrange[i] |= pieces[j];
    end
  endfunction

  // All of l <= s < r is in one of the pieces.
  function automatic logic is_within(input relations_t relations);
    is_within = 1'b0;
    for (int i = 0; i < Gaps; i++) begin
      is_within |= relations[i].valid && (relations[i].starts_before || relations[i].starts_with)
          && (relations[i].ends_after || relations[i].ends_with);
    end
  endfunction

  // Room for one more once the touched ones are one with it.
  function automatic logic has_room(input relations_t relations);
    return !relations[Gaps-1].valid || touched(relations) != '0;
  endfunction

endpackage
