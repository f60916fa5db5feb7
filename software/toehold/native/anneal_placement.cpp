// SPDX-License-Identifier: Apache-2.0
//
// Moves placed cells of an ECP5 so that late paths get shorter, by simulated annealing: at a low
// temperature, from the placement that is given, as it is good already but for what is late.
//
//     anneal_placement IN OUT GOAL MOVES SEED
//
// GOAL      clock period to reach, in picoseconds
// MOVES     how many moves are tried for each group of cells
// IN, OUT   the netlist (placed_netlist.hpp), and the places of its cells
//
// What a placement costs: for each cell how late the latest of what it waits for is, and the latest
// that waits for it, so that nothing is gained where one gets what the other loses; half the
// perimeter of each net's box; how full tiles are, and how many pins blocks of them have; and where
// there would be more wire than can be routed. How late something is comes from an analysis of all paths, made anew after so many moves,
// and from how its wire has changed since.
//
// On standard output, before and after: the longest path (ps), what ends are late by in all (ps),
// and how many are late.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <random>
#include <vector>

#include "placed_netlist.hpp"

namespace {

// Nets with more ends are not counted in the length of wires, nor moved with all their ends.
constexpr int MOST_ENDS = 40;

// What lateness costs: so much at the goal, and e times as much for each so many picoseconds, evenly
// beyond LATEST_PS. At first all that is late is to get better. When it is colder than SHARP_BELOW of
// the way it is the latest that counts: of two ends a nanosecond apart 150 times as much, not seven.
struct Price {
  float at_goal, grows_each_ps;
};
constexpr Price BROAD = {500, 500}, SHARP = {2400, 200};
constexpr float SHARP_BELOW = 0.63F;
constexpr int LATEST_PS = 6000, EARLIEST_PS = -6000, STEP_PS = 8;
// What is nearer to the goal than this is on a late path, and among the latest what is nearer to them.
constexpr int LATE_PATH_PS = 700, LATEST_PATH_PS = 500;
// Where more ends are late the goal is as much later as it takes: beyond what can be reached the price of
// lateness would leave no other.
constexpr size_t LATE_ENDS = 4000;
// Beside the latest connection in front of a cell the others count for so much.
constexpr float OTHERS = 0.2F;

// In the same unit: a tile of half a perimeter; what a tile holds beyond ROOMY, squared, where a
// look-up table is two and a flip-flop one.
constexpr float LENGTH_COST = 120, FULL_COST = 60;
constexpr int ROOMY = 8;
// Of a block of tiles, so many each way: what its pins that a wire leads to or from are beyond so
// many for each tile, squared. A wide choice has many of them in few tiles, and hardly a wire between.
constexpr int BLOCK = 2, ROOMY_PINS = 24;
constexpr float PINS_COST = 20;

// The part by squares of so many tiles each way. A net's wire is taken as spread evenly over its box,
// and a square costs for what it has of that beyond ROUTABLE tiles of wire for each tile, squared.
constexpr int SQUARE = 8;
constexpr float ROUTABLE = 45, CROWD_COST = 25;
// Beyond so many pins a net's wire is longer than half the perimeter of its box, by so much for each.
constexpr float STRAIGHT_PINS = 2.5F, LONGER_BY_PIN = 0.04F;

// So often the weights are found anew; the temperature at first, and how far cells go then (tiles).
constexpr int ROUNDS = 400;
constexpr float HOTTEST = 5000;
constexpr int FARTHEST = 50;

// Of moves of several cells together: every so many is one; how near each other they stand, and how
// near the wished place there has to be room.
constexpr int TOGETHER_EVERY = 3, TOGETHER = 10, ROOM_WITHIN = 3;
// Of all that one waits for: how many steps back, and how many groups at most; of a carry chain that goes
// with it, how many cells.
constexpr int DEEPEST = 5, MOST_TOGETHER = 40, MOST_RIGID = 40;
// Of so many block RAMs the nearest to the wished place is the one to change places with. One move of so
// many is of two RAMs with what stands near them, of each so many groups at most.
constexpr int RAMS_TRIED = 16, RAMS_EVERY = 40, MOST_NEAR_RAM = 40;

class Annealer : public PlacedNetlist {
 public:
  Annealer(std::istream& in, int goal, int seed) : PlacedNetlist(in, goal), random_(seed) { prepare(); }

  void run(int moves_per_group);

 private:
  void prepare();
  void set_price(const Price& price);
  int ease() const;
  void weigh(float keep, int longest);
  float cost_of(int late) const;
  float timing_cost();
  float length_cost() const;
  float length_cost_moved();
  float fullness(int tile) const;
  float pins_cost(int tile) const;
  void fill(const Place& p);
  void clear(const Place& p);

  struct Box {
    int x0, x1, y0, y1;
    bool operator==(const Box& o) const { return x0 == o.x0 && x1 == o.x1 && y0 == o.y0 && y1 == o.y1; }
    int half_perimeter() const { return x1 - x0 + y1 - y0; }
  };
  Box box_of(int net) const;
  void spread(int net, const Box& box, int sign);
  void find_boxes();
  void keep_boxes();
  void forget_boxes();

  bool try_move(int group, float temperature, int reach);
  bool try_together(int group, float temperature);
  bool try_rams(int reach, float temperature);
  bool go_together(float temperature);
  bool make_way();
  bool may_go(int group) const;
  bool is_planned(int group) const;
  int cell_of(int group);
  int any_planned_cell();
  void join(int cell, int other);
  void join_drivers(int group, size_t most);
  void join_sinks(int group, size_t most);
  bool accepts(float worse, float temperature);
  void touch();
  void target(int group, int reach, int& x, int& y);
  int latest_neighbour(int cell, bool in_front);

  bool plan(int group, int x, int y);
  bool plan_tile(int group, int x, int y);
  int ram_near(int group, int x, int y);
  bool plan_ram(int group, int x, int y);
  void exchange_rams(int a, int b);
  bool add_shifted(int group, int dx, int dy, int bel_step);
  void place_all();
  void put_back();
  bool tile_is_legal(int tile) const;

  std::mt19937 random_;
  std::vector<int> movable_, rams_;         // groups
  std::vector<int> hot_, hottest_;          // groups on late paths, and on the latest
  std::vector<float> base_;                 // of a connection: how late it is, less its wire
  std::vector<float> cost_;                 // by how late, from EARLIEST_PS on
  float steepest_ = 0;
  std::vector<std::vector<int>> pins_;      // of a net: its cells, each once
  std::vector<std::vector<int>> nets_of_;   // of a cell
  std::vector<std::vector<int>> joined_;    // of a cell: its connections,
  std::vector<std::vector<int>> in_;        // and those that end there
  std::vector<std::vector<int>> drives_;    // of a cell: nets
  std::vector<int> pin_count_;              // of a cell: its pins with a wire
  std::vector<int> block_of_, block_pins_;  // of a tile: its block; of a block: its cells' pins
  // A move: what is where, and would be.
  std::vector<Place> old_, new_;
  std::vector<int> planned_;                // groups in new_
  std::vector<std::pair<int, int>> ways_;   // of these, when they go together: by how many tiles
  std::vector<int> touched_tiles_, touched_nets_;
  std::vector<int> seen_net_;
  int stamp_ = 0;
  // Of counted nets the boxes, and of those of a move the ones they would have.
  std::vector<Box> box_, moved_box_;
  int across_ = 0;                          // squares in a row
  std::vector<float> wires_, area_;         // of a square: tiles of wire, and tiles
  double crowded_ = 0;                      // the cost of all squares
};

// What moving needs to look up.
void Annealer::prepare() {
  const int nets = static_cast<int>(nets_.size()), cells = static_cast<int>(cells_.size());
  const int connections = static_cast<int>(connections_.size());
  for (size_t g = 0; g < groups_.size(); ++g) {
    if (groups_[g].shape != Shape::Fixed) movable_.push_back(static_cast<int>(g));
    if (groups_[g].shape == Shape::Ram) rams_.push_back(static_cast<int>(g));
  }
  pins_.resize(nets);
  nets_of_.resize(cells);
  joined_.resize(cells);
  in_.resize(cells);
  drives_.resize(cells);
  for (int n = 0; n < nets; ++n) drives_[nets_[n].driver].push_back(n);
  for (int i = 0; i < connections; ++i) {
    const Connection& c = connections_[i];
    if (c.wireless) continue;
    in_[c.sink].push_back(i);
    joined_[nets_[c.net].driver].push_back(i);
    if (c.sink != nets_[c.net].driver) joined_[c.sink].push_back(i);
  }
  for (int n = 0; n < nets; ++n) {
    std::vector<int>& pins = pins_[n];
    pins.push_back(nets_[n].driver);
    for (int c : connections_of_net_[n]) pins.push_back(connections_[c].sink);
    std::sort(pins.begin(), pins.end());
    pins.erase(std::unique(pins.begin(), pins.end()), pins.end());
    if (pins.size() < 2 || pins.size() > MOST_ENDS) {
      pins.clear();
      continue;
    }
    for (int cell : pins) nets_of_[cell].push_back(n);
  }
  pin_count_.resize(cells);
  for (int cell = 0; cell < cells; ++cell)
    pin_count_[cell] = static_cast<int>(in_[cell].size()) + (nets_of_[cell].empty() ? 0 : 1);
  const int blocks_across = width_ / BLOCK + 1;
  for (const auto& [x, y] : tiles_) block_of_.push_back(y / BLOCK * blocks_across + x / BLOCK);
  block_pins_.assign(blocks_across * (height_ / BLOCK + 1), 0);
  for (size_t tile = 0; tile < tiles_.size(); ++tile)
    for (int bel = 0; bel < BELS; ++bel)
      if (slot(tile, bel) != FREE) block_pins_[block_of_[tile]] += pin_count_[slot(tile, bel)];
  seen_net_.assign(nets, 0);
  base_.assign(connections, 0);
  box_.resize(nets);
  across_ = (width_ + SQUARE - 1) / SQUARE;
  for (int y = 0; y < height_; y += SQUARE)
    for (int x = 0; x < width_; x += SQUARE)
      area_.push_back(static_cast<float>(std::min(SQUARE, width_ - x) * std::min(SQUARE, height_ - y)));
}

void Annealer::set_price(const Price& price) {
  cost_.clear();
  for (int late = EARLIEST_PS; late <= LATEST_PS; late += STEP_PS)
    cost_.push_back(price.at_goal * std::exp(static_cast<float>(late) / price.grows_each_ps));
  steepest_ = cost_.back() / price.grows_each_ps;
}

// How much later than the goal it would have to be so that no more than LATE_ENDS were late.
int Annealer::ease() const {
  std::vector<int> late;
  for (const Connection& c : connections_) {
    const int by = arrival_[c.net] + delay(c) - goal_;
    if (c.is_end && by > 0) late.push_back(by);
  }
  if (late.size() <= LATE_ENDS) return 0;
  std::nth_element(late.begin(), late.begin() + LATE_ENDS, late.end(), std::greater<int>());
  return late[LATE_ENDS];
}

// What each connection may take: how late it is, less the wire that it has. Of what it may take by
// the analysis before, a part stays, so that it does not swing. The analysis has found the longest path.
void Annealer::weigh(float keep, int longest) {
  hot_.clear();
  hottest_.clear();
  const int later = ease();
  const int worst = goal_ + later - longest;
  for (size_t i = 0; i < connections_.size(); ++i) {
    const Connection& c = connections_[i];
    if (c.wireless) continue;
    const int wire = delay(c);
    int slack = 1 << 20;
    if (c.is_end) slack = goal_ - wire - arrival_[c.net];
    for (int a : arcs_of_[i]) slack = std::min(slack, required_[arcs_[a].to] - arcs_[a].delay - wire - arrival_[c.net]);
    slack += later;
    const float now = static_cast<float>(-slack - wire);
    base_[i] = keep * base_[i] + (1 - keep) * now;
    if (slack < LATE_PATH_PS) {
      for (int cell : {nets_[c.net].driver, c.sink}) {
        const int g = cells_[cell].group;
        if (g == FREE || groups_[g].shape == Shape::Fixed) continue;
        hot_.push_back(g);
        if (slack - worst < LATEST_PATH_PS) hottest_.push_back(g);
      }
    }
  }
  for (std::vector<int>* groups : {&hot_, &hottest_}) {
    std::sort(groups->begin(), groups->end());
    groups->erase(std::unique(groups->begin(), groups->end()), groups->end());
  }
}

float Annealer::cost_of(int late) const {
  return late >= LATEST_PS ? steepest_ * static_cast<float>(late - LATEST_PS) + cost_.back()
                           : cost_[std::max(late - EARLIEST_PS, 0) / STEP_PS];
}

// Of what is moved: for each cell the latest it waits for and the latest that waits for it.
float Annealer::timing_cost() {
  float cost = 0, sum = 0;
  for (int g : planned_) {
    for (int cell : groups_[g].cells) {
      float most = 0;
      for (int i : in_[cell]) {
        const int late = static_cast<int>(base_[i]) + delay(connections_[i]);
        const float f = cost_of(late);
        sum += f;
        most = std::max(most, f);
      }
      cost += most;
      for (int n : drives_[cell]) {
        int latest = EARLIEST_PS;
        for (int i : connections_of_net_[n]) {
          if (connections_[i].wireless) continue;
          const int late = static_cast<int>(base_[i]) + delay(connections_[i]);
          latest = std::max(latest, late);
        }
        cost += cost_of(latest);
      }
    }
  }
  return cost + OTHERS * sum;
}

Annealer::Box Annealer::box_of(int net) const {
  Box box{1 << 20, 0, 1 << 20, 0};
  for (int cell : pins_[net]) {
    const CellAt& c = cells_[cell];
    box.x0 = std::min(box.x0, c.x);
    box.x1 = std::max(box.x1, c.x);
    box.y0 = std::min(box.y0, c.y);
    box.y1 = std::max(box.y1, c.y);
  }
  return box;
}

// Add a net's wire to the squares of a box, or take it away.
void Annealer::spread(int net, const Box& box, int sign) {
  const int length = box.half_perimeter();
  if (length == 0) return;
  const float branches = 1 + LONGER_BY_PIN * std::max(0.0F, static_cast<float>(pins_[net].size()) - STRAIGHT_PINS);
  const float tiles = static_cast<float>((box.x1 - box.x0 + 1) * (box.y1 - box.y0 + 1));
  const float density = static_cast<float>(sign * length) * branches / tiles;
  for (int sx = box.x0 / SQUARE; sx <= box.x1 / SQUARE; ++sx) {
    const int wide = std::min(box.x1, sx * SQUARE + SQUARE - 1) - std::max(box.x0, sx * SQUARE) + 1;
    for (int sy = box.y0 / SQUARE; sy <= box.y1 / SQUARE; ++sy) {
      const int high = std::min(box.y1, sy * SQUARE + SQUARE - 1) - std::max(box.y0, sy * SQUARE) + 1;
      const int square = sy * across_ + sx;
      const auto cost = [&]() {
        const float over = std::max(0.0F, wires_[square] / area_[square] - ROUTABLE);
        return CROWD_COST * over * over * area_[square];
      };
      crowded_ -= cost();
      wires_[square] += density * static_cast<float>(wide * high);
      crowded_ += cost();
    }
  }
}

// All boxes and squares anew, as what squares have is added up again and again.
void Annealer::find_boxes() {
  wires_.assign(area_.size(), 0);
  crowded_ = 0;
  for (size_t n = 0; n < nets_.size(); ++n) {
    if (pins_[n].empty()) continue;
    box_[n] = box_of(static_cast<int>(n));
    spread(static_cast<int>(n), box_[n], 1);
  }
}

// The wires of the nets of a move, as they are.
float Annealer::length_cost() const {
  int length = 0;
  for (int n : touched_nets_) length += box_[n].half_perimeter();
  return LENGTH_COST * static_cast<float>(length);
}

// The same after it, with the squares changed: keep_boxes() or forget_boxes() has to follow.
float Annealer::length_cost_moved() {
  int length = 0;
  const double before = crowded_;
  moved_box_.clear();
  for (int n : touched_nets_) {
    moved_box_.push_back(box_of(n));
    length += moved_box_.back().half_perimeter();
    if (moved_box_.back() == box_[n]) continue;
    spread(n, box_[n], -1);
    spread(n, moved_box_.back(), 1);
  }
  return LENGTH_COST * static_cast<float>(length) + static_cast<float>(crowded_ - before);
}

void Annealer::keep_boxes() {
  for (size_t i = 0; i < touched_nets_.size(); ++i) box_[touched_nets_[i]] = moved_box_[i];
}

void Annealer::forget_boxes() {
  for (size_t i = 0; i < touched_nets_.size(); ++i) {
    const int n = touched_nets_[i];
    if (moved_box_[i] == box_[n]) continue;
    spread(n, moved_box_[i], -1);
    spread(n, box_[n], 1);
  }
}

float Annealer::fullness(int tile) const {
  int load = 0;  // a look-up table has about twice the wires of a flip-flop
  for (int bel = 0; bel < 16; ++bel)
    if (slots_[tile * BELS + bel] != FREE) load += bel % 4 < 2 ? 2 : 1;
  const int over = std::max(load - ROOMY, 0);
  return FULL_COST * static_cast<float>(over * over) + pins_cost(tile);
}

float Annealer::pins_cost(int tile) const {
  const int over = std::max(block_pins_[block_of_[tile]] - BLOCK * BLOCK * ROOMY_PINS, 0);
  return PINS_COST * static_cast<float>(over * over);
}

// Of a slot that is free, and of one in which the cell is.
void Annealer::fill(const Place& p) {
  slot(p.tile, p.bel) = p.cell;
  block_pins_[block_of_[p.tile]] += pin_count_[p.cell];
}

void Annealer::clear(const Place& p) {
  slot(p.tile, p.bel) = FREE;
  block_pins_[block_of_[p.tile]] -= pin_count_[p.cell];
}

// What nextpnr asks of a tile: two resets at most, of a slice one control set, one use of each M,
// and carries in both halves or in none.
bool Annealer::tile_is_legal(int tile) const {
  int resets[2], count = 0;
  for (int s = 0; s < 4; ++s) {
    const int* at = &slots_[tile * BELS + 4 * s];
    const CellAt* lut[2] = {at[0] == FREE ? nullptr : &cells_[at[0]], at[1] == FREE ? nullptr : &cells_[at[1]]};
    const CellAt* ff[2] = {at[2] == FREE ? nullptr : &cells_[at[2]], at[3] == FREE ? nullptr : &cells_[at[3]]};
    if (lut[0] && lut[1] && lut[0]->kind != lut[1]->kind) return false;
    if (ff[0] && ff[1] && ff[0]->control != ff[1]->control) return false;
    for (int h = 0; h < 2; ++h) {
      if (!ff[h]) continue;
      if (ff[h]->uses_m && lut[h] && lut[h]->uses_m) return false;
      bool known = false;
      for (int i = 0; i < count; ++i) known |= resets[i] == ff[h]->reset;
      if (known) continue;
      if (count == 2) return false;
      resets[count++] = ff[h]->reset;
    }
  }
  return true;
}

// A group as it is, by so many tiles and bels elsewhere. Fails outside of the tiles.
bool Annealer::add_shifted(int group, int dx, int dy, int bel_step) {
  planned_.push_back(group);
  for (int cell : groups_[group].cells) {
    const CellAt& c = cells_[cell];
    const int tile = tile_at(c.x + dx, c.y + dy);
    if (tile == FREE || closed_[tile]) return false;
    new_.push_back({cell, tile, c.bel + bel_step});
  }
  return true;
}

// Where a group and what stands there would be if they changed places.
bool Annealer::plan(int group, int x, int y) {
  new_.clear();
  planned_.clear();
  const Group& g = groups_[group];
  const CellAt& first = cells_[g.cells[0]];
  const int dx = x - first.x, dy = y - first.y;
  int step = 0;
  if (g.shape == Shape::Half) {
    step = 4 * static_cast<int>(random_() % 4) + static_cast<int>(random_() % 2) - (first.bel & ~3) - (first.bel & 1);
  } else if (g.shape == Shape::Slice) {
    step = 4 * static_cast<int>(random_() % 4) - (first.bel & ~3);
  }
  if (dx == 0 && dy == 0 && step == 0) return false;
  if (!add_shifted(group, dx, dy, step)) return false;
  const size_t own = new_.size();
  for (size_t i = 0; i < own; ++i) {
    const int there = slot(new_[i].tile, new_[i].bel);
    if (there == FREE) continue;
    const int other = cells_[there].group;
    if (other == FREE || groups_[other].shape == Shape::Fixed) return false;
    if (std::find(planned_.begin(), planned_.end(), other) != planned_.end()) {
      if (other == group && g.shape != Shape::Rigid) return false;
      continue;
    }
    if (groups_[other].shape > g.shape) return false;
    if (!add_shifted(other, -dx, -dy, -step)) return false;
    for (int cell : groups_[other].cells) {
      const int bel = cells_[cell].bel - step;
      if (bel < 0 || bel >= BELS) return false;
    }
  }
  // Each place once, and free but for what moves.
  for (size_t i = 0; i < new_.size(); ++i) {
    const int there = slot(new_[i].tile, new_[i].bel);
    if (there != FREE &&
        std::find(planned_.begin(), planned_.end(), cells_[there].group) == planned_.end())
      return false;
    for (size_t j = 0; j < i; ++j)
      if (new_[i].tile == new_[j].tile && new_[i].bel == new_[j].bel) return false;
  }
  return true;
}

// Where all of two tiles would be if they changed places.
bool Annealer::plan_tile(int group, int x, int y) {
  new_.clear();
  planned_ = {group};
  const CellAt& first = cells_[groups_[group].cells[0]];
  const int from = tile_at(first.x, first.y), to = tile_at(x, y);
  if (from == to || closed_[to]) return false;
  const auto take_all = [&](int here, int there) {
    for (int bel = 0; bel < BELS; ++bel) {
      const int cell = slot(here, bel);
      if (cell == FREE) continue;
      const int own = cells_[cell].group;
      if (own == FREE || groups_[own].shape == Shape::Fixed) return false;
      new_.push_back({cell, there, bel});
      if (std::find(planned_.begin(), planned_.end(), own) != planned_.end()) continue;
      planned_.push_back(own);
      for (int other : groups_[own].cells)
        if (tile_at(cells_[other].x, cells_[other].y) != here) return false;
    }
    return true;
  };
  return take_all(from, to) && take_all(to, from);
}

void Annealer::place_all() {
  old_.clear();
  for (const Place& p : new_) {
    const CellAt& c = cells_[p.cell];
    old_.push_back({p.cell, tile_at(c.x, c.y), c.bel});
  }
  for (const Place& p : old_) clear(p);
  for (const Place& p : new_) {
    fill(p);
    set(p);
  }
}

void Annealer::put_back() {
  for (const Place& p : new_) clear(p);
  for (const Place& p : old_) {
    fill(p);
    set(p);
  }
}

// Where to try: near itself, near something it is connected with, or between two of these.
void Annealer::target(int group, int reach, int& x, int& y) {
  const Group& g = groups_[group];
  const int cell = cell_of(group);
  const CellAt& here = cells_[cell];
  const CellAt& first = cells_[g.cells[0]];
  const auto jitter = [&](int r) { return static_cast<int>(random_() % (2 * r + 1)) - r; };
  const auto& list = joined_[cell];
  int tx = here.x, ty = here.y;
  if (!list.empty() && random_() % 4 != 0) {
    const auto other = [&]() -> const CellAt& {
      const Connection& c = connections_[list[random_() % list.size()]];
      return cells_[nets_[c.net].driver == cell ? c.sink : nets_[c.net].driver];
    };
    const CellAt& a = other();
    const CellAt& b = random_() % 2 ? other() : here;
    const int part = static_cast<int>(random_() % 5);
    tx = (a.x * part + b.x * (4 - part)) / 4 + jitter(2);
    ty = (a.y * part + b.y * (4 - part)) / 4 + jitter(2);
  } else {
    tx += jitter(reach);
    ty += jitter(reach);
  }
  x = first.x + tx - here.x;
  y = first.y + ty - here.y;
}

// Another RAM near x, y; the group itself if there is none.
int Annealer::ram_near(int group, int x, int y) {
  int nearest = group, least = 1 << 20;
  for (int tries = 0; tries < RAMS_TRIED; ++tries) {
    const int other = rams_[random_() % rams_.size()];
    const CellAt& at = cells_[groups_[other].cells[0]];
    const int away = std::abs(at.x - x) + std::abs(at.y - y);
    if (other == group || away >= least) continue;
    least = away;
    nearest = other;
  }
  return nearest;
}

bool Annealer::plan_ram(int group, int x, int y) {
  planned_ = {group, ram_near(group, x, y)};
  return planned_[1] != group;
}

void Annealer::exchange_rams(int a, int b) {
  CellAt& first = cells_[groups_[a].cells[0]];
  CellAt& second = cells_[groups_[b].cells[0]];
  std::swap(first.x, second.x);
  std::swap(first.y, second.y);
  std::swap(first.bel, second.bel);
}

// The nets of what is planned.
void Annealer::touch() {
  ++stamp_;
  touched_nets_.clear();
  for (int g : planned_)
    for (int cell : groups_[g].cells)
      for (int n : nets_of_[cell])
        if (seen_net_[n] != stamp_) {
          seen_net_[n] = stamp_;
          touched_nets_.push_back(n);
        }
}

bool Annealer::accepts(float worse, float temperature) {
  return worse <= 0 ||
         (temperature > 0 && std::exp(-worse / temperature) * 4294967296.0F > static_cast<float>(random_()));
}

bool Annealer::try_move(int group, float temperature, int reach) {
  const Shape shape = groups_[group].shape;
  const bool is_ram = shape == Shape::Ram, is_tile = shape == Shape::Tile;
  int x, y;
  target(group, reach, x, y);
  if (is_ram) {
    if (!plan_ram(group, x, y)) return false;
  } else {
    if (tile_at(x, y) == FREE || !(is_tile ? plan_tile(group, x, y) : plan(group, x, y))) return false;
  }
  touch();
  float before = timing_cost() + length_cost(), after;
  if (is_ram) {
    exchange_rams(planned_[0], planned_[1]);
    after = timing_cost() + length_cost_moved();
    if (accepts(after - before, temperature)) {
      keep_boxes();
      return true;
    }
    forget_boxes();
    exchange_rams(planned_[0], planned_[1]);
    return false;
  }
  touched_tiles_.clear();
  for (const Place& p : new_) {
    const CellAt& c = cells_[p.cell];
    touched_tiles_.push_back(p.tile);
    touched_tiles_.push_back(tile_at(c.x, c.y));
  }
  std::sort(touched_tiles_.begin(), touched_tiles_.end());
  touched_tiles_.erase(std::unique(touched_tiles_.begin(), touched_tiles_.end()), touched_tiles_.end());
  for (int tile : touched_tiles_) before += fullness(tile);
  place_all();
  bool legal = true;
  if (!is_tile)
    for (int tile : touched_tiles_) legal = legal && tile_is_legal(tile);
  if (legal) {
    after = timing_cost() + length_cost_moved();
    for (int tile : touched_tiles_) after += fullness(tile);
    if (accepts(after - before, temperature)) {
      keep_boxes();
      if (is_tile)
        for (int tile : touched_tiles_) closed_[tile] = !closed_[tile];
      return true;
    }
    forget_boxes();
  }
  put_back();
  return false;
}

// The latest of a cell's connections on one side, and which cell is at its other end.
int Annealer::latest_neighbour(int cell, bool in_front) {
  int found = FREE;
  float most = -1e9F;
  const auto look = [&](int i) {
    const Connection& c = connections_[i];
    const float late = base_[i] + static_cast<float>(delay(c)) + static_cast<float>(random_() % 256);
    if (c.wireless || late <= most) return;
    most = late;
    found = in_front ? nets_[c.net].driver : c.sink;
  };
  if (in_front) {
    for (int i : in_[cell]) look(i);
  } else {
    for (int n : drives_[cell])
      for (int i : connections_of_net_[n]) look(i);
  }
  return found;
}

bool Annealer::may_go(int group) const {
  if (group == FREE) return false;
  const Group& g = groups_[group];
  return g.shape == Shape::Half || g.shape == Shape::Slice ||
         (g.shape == Shape::Rigid && g.cells.size() <= MOST_RIGID);
}

bool Annealer::is_planned(int group) const {
  return std::find(planned_.begin(), planned_.end(), group) != planned_.end();
}

// One of its cells, by chance.
int Annealer::cell_of(int group) {
  const std::vector<int>& cells = groups_[group].cells;
  return cells[random_() % cells.size()];
}

int Annealer::any_planned_cell() { return cell_of(planned_[random_() % planned_.size()]); }

// What stands near a cell goes with it.
void Annealer::join(int cell, int other) {
  const CellAt &a = cells_[cell], &b = cells_[other];
  if (may_go(b.group) && std::abs(a.x - b.x) + std::abs(a.y - b.y) <= TOGETHER && !is_planned(b.group))
    planned_.push_back(b.group);
}

void Annealer::join_drivers(int group, size_t most) {
  for (int cell : groups_[group].cells)
    for (int i : in_[cell])
      if (planned_.size() < most) join(cell, nets_[connections_[i].net].driver);
}

void Annealer::join_sinks(int group, size_t most) {
  for (int cell : groups_[group].cells)
    for (int n : drives_[cell])
      if (connections_of_net_[n].size() <= MOST_ENDS)
        for (int i : connections_of_net_[n])
          if (planned_.size() < most) join(cell, connections_[i].sink);
}

// Cells that stand together on a late path, all by the same way elsewhere, each to where there is room.
bool Annealer::try_together(int group, float temperature) {
  if (!may_go(group)) return false;
  planned_ = {group};
  // Now and then all that it waits for, and what that waits for, as none of these can go alone; or all that
  // waits for it, as the enable of a register has many ends in one place.
  const int side = static_cast<int>(random_() % 4);
  const bool from_front = side == 0, from_behind = side == 1;
  if (from_front) {
    size_t next = 0;
    for (int depth = 1 + static_cast<int>(random_() % DEEPEST); depth > 0; --depth)
      for (const size_t end = planned_.size(); next < end; ++next) join_drivers(planned_[next], MOST_TOGETHER);
  } else if (from_behind) {
    join_sinks(group, 1 + MOST_ENDS);
  }
  for (int left = 1 + static_cast<int>(random_() % 9); left > 0; --left) {
    const int cell = any_planned_cell();
    const int other = latest_neighbour(cell, random_() % 2);
    if (other != FREE) join(cell, other);
  }
  int dx = 0, dy = 0;
  for (int tries = 0; tries < 4; ++tries) {
    // What was gathered on one side of a cell goes with it to the other.
    const bool as_gathered = (from_front || from_behind) && tries < 2;
    const int cell = as_gathered ? cell_of(group) : any_planned_cell();
    const int other = latest_neighbour(cell, as_gathered ? from_behind : random_() % 2);
    if (other == FREE || is_planned(cells_[other].group)) continue;
    const int part = 1 + static_cast<int>(random_() % 4);
    dx = (cells_[other].x - cells_[cell].x) * part / 4;
    dy = (cells_[other].y - cells_[cell].y) * part / 4;
    break;
  }
  if (dx == 0 && dy == 0) return false;
  ways_.assign(planned_.size(), {dx, dy});
  return go_together(temperature);
}

// Two RAMs change places, and what stands near them goes with them: what a RAM gives comes late, so
// neither can go alone.
bool Annealer::try_rams(int reach, float temperature) {
  const int ram = rams_[random_() % rams_.size()];
  const bool with_drivers = random_() % 2, with_next = random_() % 2;
  const auto gather = [&](int group) {
    const size_t first = planned_.size(), most = first + 1 + MOST_NEAR_RAM;
    planned_.push_back(group);
    join_sinks(group, most);
    const size_t end = planned_.size();
    if (with_drivers) join_drivers(group, most);
    for (size_t next = first + 1; with_next && next < end; ++next) join_sinks(planned_[next], most);
  };
  planned_.clear();
  gather(ram);
  // To what one of them waits for the longest, or what waits for it; or anywhere.
  const CellAt& at = cells_[groups_[ram].cells[0]];
  int x = at.x + static_cast<int>(random_() % (2 * reach + 1)) - reach;
  int y = at.y + static_cast<int>(random_() % (2 * reach + 1)) - reach;
  for (int tries = 0; tries < 4; ++tries) {
    const int cell = any_planned_cell();
    const int other = latest_neighbour(cell, random_() % 2);
    if (other == FREE || is_planned(cells_[other].group)) continue;
    const int part = 1 + static_cast<int>(random_() % 4);
    x = at.x + (cells_[other].x - cells_[cell].x) * part / 4;
    y = at.y + (cells_[other].y - cells_[cell].y) * part / 4;
    break;
  }
  const int other = ram_near(ram, x, y);
  if (other == ram) return false;
  const CellAt& there = cells_[groups_[other].cells[0]];
  const int dx = there.x - at.x, dy = there.y - at.y;
  ways_.assign(planned_.size(), {dx, dy});
  gather(other);
  ways_.resize(planned_.size(), {-dx, -dy});
  return go_together(temperature);
}

// Carry chains need their places as they are: what stands there goes the other way. Fails if that is more
// than single slices.
bool Annealer::make_way() {
  for (size_t i = 0, own = planned_.size(); i < own; ++i) {
    if (groups_[planned_[i]].shape != Shape::Rigid) continue;
    const auto [dx, dy] = ways_[i];
    for (int cell : groups_[planned_[i]].cells) {
      const CellAt& c = cells_[cell];
      const int tile = tile_at(c.x + dx, c.y + dy);
      if (tile == FREE || closed_[tile]) return false;
      const int there = slot(tile, c.bel);
      if (there == FREE || is_planned(cells_[there].group)) continue;
      const int other = cells_[there].group;
      if (other == FREE || groups_[other].shape > Shape::Slice) return false;
      planned_.push_back(other);
      ways_.emplace_back(-dx, -dy);
    }
  }
  return true;
}

// All that is planned goes its way: two RAMs to each other's place, carry chains as they are, and all else to
// where there is room.
bool Annealer::go_together(float temperature) {
  if (!make_way()) return false;
  touch();
  const float before = timing_cost() + length_cost();
  float fuller = 0;
  old_.clear();
  new_.clear();
  const auto change = [&](const Place& p, bool comes) {
    fuller -= fullness(p.tile);
    comes ? fill(p) : clear(p);
    fuller += fullness(p.tile);
  };
  std::vector<int> rams;
  for (int g : planned_) {
    if (groups_[g].shape == Shape::Ram) {
      rams.push_back(g);
      continue;
    }
    for (int cell : groups_[g].cells) {
      const CellAt& c = cells_[cell];
      old_.push_back({cell, tile_at(c.x, c.y), c.bel});
      change(old_.back(), false);
    }
  }
  const auto put = [&](int g, const std::pair<int, int>& way, int step) {
    const size_t first = new_.size();
    bool fits = true;
    for (int cell : groups_[g].cells) {
      const CellAt& c = cells_[cell];
      const int tile = tile_at(c.x + way.first, c.y + way.second);
      fits = tile != FREE && !closed_[tile] && slot(tile, c.bel + step) == FREE;
      if (!fits) break;
      new_.push_back({cell, tile, c.bel + step});
      change(new_.back(), true);
    }
    for (size_t i = first; fits && i < new_.size(); ++i)
      if (i == first || new_[i].tile != new_[i - 1].tile) fits = tile_is_legal(new_[i].tile);
    while (!fits && new_.size() > first) {
      change(new_.back(), false);
      new_.pop_back();
    }
    return fits;
  };
  const auto find = [&](int g, const std::pair<int, int>& way) {
    const CellAt& first = cells_[groups_[g].cells[0]];
    const bool half = groups_[g].shape == Shape::Half;
    for (int ring = 0; ring <= ROOM_WITHIN; ++ring)
      for (int tries = 0; tries <= 2 * ring; ++tries) {
        const std::pair<int, int> near = {way.first + static_cast<int>(random_() % (2 * ring + 1)) - ring,
                                          way.second + static_cast<int>(random_() % (2 * ring + 1)) - ring};
        const int turn = static_cast<int>(random_() % 8);
        for (int i = 0; i < 8; ++i) {
          const int to = (i + turn) % 8;
          if (!half && to % 2) continue;
          const int step = 4 * (to / 2) - (first.bel & ~3) + (half ? to % 2 - (first.bel & 1) : 0);
          if (put(g, near, step)) return true;
        }
      }
    return false;
  };
  bool all = true;
  for (size_t i = 0; all && i < planned_.size(); ++i)
    if (groups_[planned_[i]].shape == Shape::Rigid) all = put(planned_[i], ways_[i], 0);
  for (size_t i = 0; all && i < planned_.size(); ++i)
    if (groups_[planned_[i]].shape <= Shape::Slice) all = find(planned_[i], ways_[i]);
  if (all) {
    if (!rams.empty()) exchange_rams(rams[0], rams[1]);
    for (const Place& p : new_) set(p);
    const float worse = timing_cost() + length_cost_moved() + fuller - before;
    if (accepts(worse, temperature)) {
      keep_boxes();
      return true;
    }
    forget_boxes();
    if (!rams.empty()) exchange_rams(rams[0], rams[1]);
  }
  put_back();
  return false;
}

void Annealer::run(int moves_per_group) {
  const int64_t moves = static_cast<int64_t>(moves_per_group) * static_cast<int64_t>(movable_.size()) / ROUNDS;

  Lateness now = analyse();
  std::printf("%lld %lld %lld\n", static_cast<long long>(now.longest), static_cast<long long>(now.total),
              static_cast<long long>(now.ends));
  if (now.total == 0) return;
  weigh(0, static_cast<int>(now.longest));
  for (int round = 0; round < ROUNDS; ++round) {
    find_boxes();
    const float left = 1 - static_cast<float>(round) / (ROUNDS - 1);
    set_price(left < SHARP_BELOW ? SHARP : BROAD);
    const float temperature = HOTTEST * left * left;
    const int reach = std::max(1, static_cast<int>(std::lround(FARTHEST * left)));
    for (int64_t i = 0; i < moves; ++i) {
      if (rams_.size() > 1 && random_() % RAMS_EVERY == 0) {
        try_rams(reach, temperature);
        continue;
      }
      const auto& from = !hot_.empty() && random_() % 3 != 0 ? hot_ : movable_;
      if (!hot_.empty() && random_() % TOGETHER_EVERY == 0) {
        const auto& late = !hottest_.empty() && random_() % 4 == 0 ? hottest_ : hot_;
        try_together(late[random_() % late.size()], temperature);
        continue;
      }
      try_move(from[random_() % from.size()], temperature, reach);
    }
    now = analyse();
    weigh(0.5F, static_cast<int>(now.longest));
  }
  std::printf("%lld %lld %lld\n", static_cast<long long>(now.longest), static_cast<long long>(now.total),
              static_cast<long long>(now.ends));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::cerr << "usage: anneal_placement IN OUT GOAL MOVES SEED\n";
    return 2;
  }
  std::ifstream in(argv[1]);
  Annealer annealer(in, std::atoi(argv[3]), std::atoi(argv[5]));
  annealer.run(std::atoi(argv[4]));
  std::ofstream out(argv[2]);
  annealer.write(out);
  return out.good() ? 0 : 1;
}
