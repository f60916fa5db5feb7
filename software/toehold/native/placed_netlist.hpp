// SPDX-License-Identifier: Apache-2.0
//
// A netlist that is placed on an ECP5, and when each of its nets arrives: by what cells take, and wires
// by the tiles they cross and the input they go to. Numbers in text, as toehold/placement.py writes and reads them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <utility>
#include <vector>

// Of a tile: four slices with K0, K1, FF0, FF1 each, and what writes RAM of look-up tables.
constexpr int BELS = 17;
constexpr int FREE = -1;

enum class Cell : int { Lut, OtherComb, FlipFlop, Ram, Fixed };
enum class Shape : int { Half, Slice, Rigid, Tile, Ram, Fixed };

struct CellAt {
  Cell kind = Cell::Fixed;
  int x = 0, y = 0, bel = 0;
  int control = 0, reset = 0;  // of a flip-flop: its set of clock, enable and reset; its reset
  bool uses_m = false;
  int group = FREE;
};

struct Group {
  Shape shape = Shape::Fixed;
  std::vector<int> cells;
};

struct Connection {
  int net, sink;
  bool wireless;
  bool is_end;
  int input_ps;  // of a wire to that input, more than to others
};

struct Arc {
  int connection, to, delay;  // through the sink to another net
};

struct Net {
  int driver, start;  // when it arrives at the driver's output if nothing is waited for
};

struct Place {
  int cell, tile, bel;
};

struct Lateness {
  int64_t longest = 0, total = 0, ends = 0;
};

class PlacedNetlist {
 public:
  PlacedNetlist(std::istream& in, int goal) : goal_(goal) { read(in); }

  // Finds when each net arrives and when it is required, for the goal.
  Lateness analyse();
  void write(std::ostream& out) const;

 protected:
  int wire(const CellAt& a, const CellAt& b) const {
    const int dx = std::abs(a.x - b.x), dy = std::abs(a.y - b.y);
    const int near = std::min(dx, near_) + std::min(dy, near_);
    return wire_ps_ + near_ps_ * near + far_ps_ * (dx + dy - near);
  }
  int delay(const Connection& c) const {
    return c.wireless ? 0 : wire(cells_[nets_[c.net].driver], cells_[c.sink]) + c.input_ps;
  }
  int tile_at(int x, int y) const {
    return x < 0 || y < 0 || x >= width_ || y >= height_ ? FREE : tile_at_[y * width_ + x];
  }
  int& slot(int tile, int bel) { return slots_[tile * BELS + bel]; }
  void set(const Place& p) {
    CellAt& c = cells_[p.cell];
    c.x = tiles_[p.tile].first;
    c.y = tiles_[p.tile].second;
    c.bel = p.bel;
  }

  int goal_;
  int width_ = 0, height_ = 0;  // of the part, in tiles
  std::vector<std::pair<int, int>> tiles_;
  std::vector<int> slots_;    // of a tile: its cells, by bel
  std::vector<bool> closed_;  // of a tile: it has RAM, so nothing else may go there
  std::vector<CellAt> cells_;
  std::vector<Group> groups_;
  std::vector<Net> nets_;
  std::vector<Connection> connections_;
  std::vector<Arc> arcs_;
  std::vector<std::vector<int>> arcs_of_;  // of a connection
  std::vector<std::vector<int>> into_;     // of a net: arcs whose end it is
  std::vector<std::vector<int>> connections_of_net_;
  std::vector<int> arrival_, required_;    // of a net

 private:
  void read(std::istream& in);
  void order_nets();

  int wire_ps_ = 0, near_ = 0, near_ps_ = 0, far_ps_ = 0;
  std::vector<int> tile_at_;
  std::vector<int> order_;  // nets, each behind those it waits for
};

inline void PlacedNetlist::read(std::istream& in) {
  int tiles, cells, groups, nets, connections, arcs;
  in >> wire_ps_ >> near_ >> near_ps_ >> far_ps_ >> width_ >> height_ >> tiles >> cells >> groups >> nets >> connections >> arcs;
  tile_at_.assign(width_ * height_, FREE);
  for (int i = 0; i < tiles; ++i) {
    int x, y;
    in >> x >> y;
    tile_at_[y * width_ + x] = i;
    tiles_.emplace_back(x, y);
  }
  slots_.assign(tiles * BELS, FREE);
  closed_.assign(tiles, false);
  cells_.resize(cells);
  for (int i = 0; i < cells; ++i) {
    CellAt& c = cells_[i];
    int kind, m;
    in >> kind >> c.x >> c.y >> c.bel >> c.control >> c.reset >> m;
    c.kind = static_cast<Cell>(kind);
    c.uses_m = m != 0;
    const int tile = tile_at(c.x, c.y);
    if (c.bel >= 0 && tile != FREE) slot(tile, c.bel) = i;
  }
  groups_.resize(groups);
  for (int g = 0; g < groups; ++g) {
    int shape, count;
    in >> shape >> count;
    groups_[g].shape = static_cast<Shape>(shape);
    for (int i = 0; i < count; ++i) {
      int cell;
      in >> cell;
      groups_[g].cells.push_back(cell);
      cells_[cell].group = g;
    }
    const CellAt& first = cells_[groups_[g].cells.at(0)];
    if (groups_[g].shape == Shape::Tile) closed_[tile_at(first.x, first.y)] = true;
  }
  nets_.resize(nets);
  for (Net& n : nets_) in >> n.driver >> n.start;
  connections_.resize(connections);
  connections_of_net_.resize(nets);
  for (int i = 0; i < connections; ++i) {
    int wireless, end;
    in >> connections_[i].net >> connections_[i].sink >> wireless >> end >> connections_[i].input_ps;
    connections_[i].wireless = wireless != 0;
    connections_[i].is_end = end != 0;
    connections_of_net_[connections_[i].net].push_back(i);
  }
  arcs_.resize(arcs);
  arcs_of_.resize(connections);
  into_.resize(nets);
  for (int i = 0; i < arcs; ++i) {
    in >> arcs_[i].connection >> arcs_[i].to >> arcs_[i].delay;
    arcs_of_[arcs_[i].connection].push_back(i);
    into_[arcs_[i].to].push_back(i);
  }
  if (!in) {
    std::cerr << "the input ends too early\n";
    std::exit(1);
  }
  arrival_.assign(nets, 0);
  required_.assign(nets, 0);
  order_nets();
}

// Each net behind those it waits for.
inline void PlacedNetlist::order_nets() {
  std::vector<int> waits(nets_.size());
  std::vector<int> ready;
  for (size_t n = 0; n < nets_.size(); ++n) {
    waits[n] = static_cast<int>(into_[n].size());
    if (waits[n] == 0) ready.push_back(static_cast<int>(n));
  }
  while (!ready.empty()) {
    const int n = ready.back();
    ready.pop_back();
    order_.push_back(n);
    for (int c : connections_of_net_[n])
      for (int a : arcs_of_[c])
        if (--waits[arcs_[a].to] == 0) ready.push_back(arcs_[a].to);
  }
  if (order_.size() != nets_.size()) {
    std::cerr << "there is a loop in the netlist\n";
    std::exit(1);
  }
}

inline Lateness PlacedNetlist::analyse() {
  Lateness found;
  for (int n : order_) {
    int latest = nets_[n].start;
    for (int a : into_[n]) {
      const Connection& c = connections_[arcs_[a].connection];
      latest = std::max(latest, arrival_[c.net] + delay(c) + arcs_[a].delay);
    }
    arrival_[n] = latest;
  }
  for (auto n = order_.rbegin(); n != order_.rend(); ++n) {
    int soonest = 1 << 29;
    for (int i : connections_of_net_[*n]) {
      const Connection& c = connections_[i];
      const int wire = delay(c);
      if (c.is_end) {
        soonest = std::min(soonest, goal_ - wire);
        const int64_t time = arrival_[*n] + wire;
        found.longest = std::max(found.longest, time);
        if (time > goal_) {
          found.total += time - goal_;
          ++found.ends;
        }
      }
      for (int a : arcs_of_[i]) soonest = std::min(soonest, required_[arcs_[a].to] - arcs_[a].delay - wire);
    }
    required_[*n] = soonest;
  }
  return found;
}

inline void PlacedNetlist::write(std::ostream& out) const {
  for (const CellAt& c : cells_) out << c.x << ' ' << c.y << ' ' << c.bel << '\n';
}
