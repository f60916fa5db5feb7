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
    joined = '{valid: 1'b1, fin: fin, left: l, right: r};
    for (int i = 0; i < Gaps; i++) begin
      if (touches[i] && relations[i].starts_before) joined.left = pieces[i].left;
      if (touches[i] && relations[i].ends_after) joined.right = pieces[i].right;
      if (touches[i] && pieces[i].fin) joined.fin = 1'b1;
    end
    return joined;
  endfunction

  // The list without some of its pieces; the rest keeps its order.
  function automatic pieces_t remove_pieces(input pieces_t pieces, input logic [Gaps-1:0] gone);
    pieces_t kept;
    int place;
    kept = '0;
    for (int i = 0; i < Gaps; i++) begin
      place = 0;
      for (int j = 0; j < i; j++) if (!gone[j]) place++;
      for (int k = 0; k <= i; k++) begin
        if (!gone[i] && place == k) kept[k] = pieces[i];
      end
    end
    return kept;
  endfunction

  // A piece in front of a list, if there is room.
  function automatic pieces_t put_first(input pieces_t pieces, input piece_t piece);
    put_first = {pieces[Gaps-2:0], piece};
  endfunction

  // A piece among those of a list that is kept by place in the sequence space. `below` says which
  // of them lie before it.
  function automatic pieces_t put_sorted(input pieces_t pieces, input logic [Gaps-1:0] below,
                                         input piece_t piece);
    pieces_t sorted;
    for (int i = 0; i < Gaps; i++) begin
      if (below[i]) sorted[i] = pieces[i];
      else if (i == 0 || below[i-1]) sorted[i] = piece;
      else sorted[i] = pieces[i-1];
    end
    return sorted;
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
