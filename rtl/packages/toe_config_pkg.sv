// SPDX-License-Identifier: Apache-2.0

// One configuration: every choice of an engine in one struct, and the named presets.
package toe_config_pkg;

  // DecideClocks of an engine that decides one event after the other (connection_sequencer), for parts
  // with less room.
  localparam int OneEventClocks = 15;

  typedef struct packed {
    int DataWidth;      // bits of the frame and payload streams: 64, 128, 256 or 512
    int Connections;    // connections at once, TIME_WAIT included; a power of two
    int TxRingBytes;    // transmit buffer of each connection; a power of two, at most 1 MiB
    int RxRingBytes;    // receive buffer of each connection; a power of two, at most 1 MiB
    int ListenPorts;    // ports that can be listened to at once
    int ArpEntries;     // neighbours remembered; a power of two
    int Mtu;            // largest IP packet, bytes: 576 to 9216
    int DecideClocks;   // between two events of one connection: 4 for fast parts, to 7; or
                        // OneEventClocks between any two. From 5 on other ways take a clock more,
                        // too (has_slow_parts)
    int DelayedAckUs;   // how long an acknowledgement may wait, unless software says otherwise
    int RtoMinUs;       // least retransmission timeout, the same
    int ReorderPackets; // payload packets that later segments may overtake; 0: none does
    int StateCacheEntries;  // connections whose state is on chip at once; 0: all of them
    int StateCacheWays;     // of a set
    int StateCachePolicy;   // of cache_policy_e
    int TupleCacheEntries;  // tuples that are found on chip; 0: all of them, in a table on chip
    int StateInDram;    // 1: what the engine knows of connections lies behind m_axi_state
    int TxRingsInDram;  // 1: transmit buffers lie behind m_axi_payload,
    int RxRingsInDram;  // 1: receive buffers do
    int TxPageBytes;    // transmit buffers get memory by pages of so many bytes, as they need it: a
                        // power of two, a 16th to half of TxRingBytes; 0: each has a ring of its own
    int TxPages;        // for all of them; a power of two
    int RxPageBytes;    // the same of receive buffers, from a pool of their own
    int RxPages;
    int CutThrough;     // 1: payload may reach the application before its checksum is known
    int StoreDirect;    // 1: what it took so is written to the receive ring, too
    int TransmitWindow; // newest messages that are sent without reading a ring, and may be while
                        // they come; a power of two, 0: none
  } toe_config_t;

  // What leaves the cache of connection state (state_policy).
  typedef enum int {
    PolicyHeat   = 0,
    PolicyRecent = 1
  } cache_policy_e;

  // What the cache of connection state did, one pulse each.
  typedef struct packed {
    logic hit;
    logic miss;        // a state was not there,
    logic merged;      // or an event waits for one with others
    logic fetch;       // it is read from memory,
    logic line;        // a line at a time
    logic write_back;  // another leaves for it, and had changed
    logic forgotten;   // what a connection in trouble remembered was gone
  } cache_counts_t;

  typedef enum int {
    PresetSmall      = 0,
    PresetDatacenter = 1,
    PresetBulk       = 2,
    PresetCached     = 3,
    PresetLowLatency = 4,
    PresetScale      = 5,
    PresetTiny       = 6,
    PresetMillion    = 7
  } preset_e;

  // An ECP5 board, everything on chip.
  localparam toe_config_t SmallConfig = '{
      DataWidth: 64,
      Connections: 64,
      TxRingBytes: 2048,
      RxRingBytes: 2048,
      ListenPorts: 8,
      ArpEntries: 16,
      Mtu: 1500,
      DecideClocks: OneEventClocks,
      DelayedAckUs: 40000,
      RtoMinUs: 200000,
      ReorderPackets: 0,
      StateCacheEntries: 0,
      StateCacheWays: 4,
      StateCachePolicy: int'(PolicyHeat),
      TupleCacheEntries: 0,
      StateInDram: 0,
      TxRingsInDram: 0,
      RxRingsInDram: 0,
      TxPageBytes: 0,
      TxPages: 0,
      RxPageBytes: 0,
      RxPages: 0,
      CutThrough: 0,
      StoreDirect: 0,
      TransmitWindow: 0
  };

  // Larger rings and more connections; on chip still, so for parts with UltraRAM.
  localparam toe_config_t DatacenterConfig = '{
      DataWidth: 64,
      Connections: 256,
      TxRingBytes: 16384,
      RxRingBytes: 16384,
      ListenPorts: 16,
      ArpEntries: 64,
      Mtu: 1500,
      DecideClocks: 4,
      DelayedAckUs: 64,
      RtoMinUs: 1000,
      ReorderPackets: 0,
      StateCacheEntries: 0,
      StateCacheWays: 4,
      StateCachePolicy: int'(PolicyHeat),
      TupleCacheEntries: 0,
      StateInDram: 0,
      TxRingsInDram: 0,
      RxRingsInDram: 0,
      TxPageBytes: 0,
      TxPages: 0,
      RxPageBytes: 0,
      RxPages: 0,
      CutThrough: 0,
      StoreDirect: 0,
      TransmitWindow: 16
  };

  // Few connections over long paths: windows that need the window scale option (RFC 7323), and
  // jumbo frames where the network has them.
  localparam toe_config_t BulkConfig = '{
      DataWidth: 64,
      Connections: 16,
      TxRingBytes: 262144,
      RxRingBytes: 262144,
      ListenPorts: 8,
      ArpEntries: 16,
      Mtu: 9000,
      DecideClocks: 4,
      DelayedAckUs: 40000,
      RtoMinUs: 200000,
      ReorderPackets: 0,
      StateCacheEntries: 0,
      StateCacheWays: 4,
      StateCachePolicy: int'(PolicyHeat),
      TupleCacheEntries: 0,
      StateInDram: 0,
      TxRingsInDram: 0,
      RxRingsInDram: 0,
      TxPageBytes: 0,
      TxPages: 0,
      RxPageBytes: 0,
      RxPages: 0,
      CutThrough: 0,
      StoreDirect: 0,
      TransmitWindow: 0
  };

  // The shortest way from the wire to an application and back, for 1,024 connections: payload is
  // handed on as it comes, and stored only if the application does not take it at once.
  localparam toe_config_t LowLatencyConfig = '{
      DataWidth: 64,
      Connections: 1024,
      TxRingBytes: 4096,
      RxRingBytes: 4096,
      ListenPorts: 16,
      ArpEntries: 64,
      Mtu: 1500,
      DecideClocks: 4,
      DelayedAckUs: 64,
      RtoMinUs: 200000,
      ReorderPackets: 0,
      StateInDram: 0,
      StateCacheEntries: 0,
      StateCacheWays: 4,
      StateCachePolicy: int'(PolicyHeat),
      TupleCacheEntries: 0,
      TxRingsInDram: 0,
      RxRingsInDram: 0,
      TxPageBytes: 0,
      TxPages: 0,
      RxPageBytes: 0,
      RxPages: 0,
      CutThrough: 1,
      StoreDirect: 0,
      TransmitWindow: 16
  };

  // As small as can be with state and payload in DRAM: most events find their connection there. Transmit
  // rings share an eighth of the memory that they would need side by side, receive rings a quarter.
  localparam toe_config_t CachedConfig = '{
      DataWidth: 64,
      Connections: 64,
      TxRingBytes: 4096,
      RxRingBytes: 2048,
      ListenPorts: 8,
      ArpEntries: 16,
      Mtu: 1500,
      DecideClocks: OneEventClocks,
      DelayedAckUs: 40000,
      RtoMinUs: 200000,
      ReorderPackets: 16,
      StateCacheEntries: 8,
      StateCacheWays: 4,
      StateCachePolicy: int'(PolicyHeat),
      TupleCacheEntries: 8,
      StateInDram: 1,
      TxRingsInDram: 1,
      RxRingsInDram: 1,
      TxPageBytes: 256,
      TxPages: 128,
      RxPageBytes: 256,
      RxPages: 128,
      CutThrough: 0,
      StoreDirect: 0,
      TransmitWindow: 0
  };

  // A quarter of a million connections: state and payload in DRAM, 4,096 states on chip.
  localparam toe_config_t ScaleConfig = '{
      DataWidth: 64,
      Connections: 262144,
      TxRingBytes: 65536,
      RxRingBytes: 65536,
      ListenPorts: 16,
      ArpEntries: 64,
      Mtu: 1500,
      DecideClocks: 4,
      DelayedAckUs: 64,
      RtoMinUs: 200000,
      ReorderPackets: 64,
      StateCacheEntries: 4096,
      StateCacheWays: 8,
      StateCachePolicy: int'(PolicyHeat),
      TupleCacheEntries: 8192,
      StateInDram: 1,
      TxRingsInDram: 1,
      RxRingsInDram: 1,
      TxPageBytes: 0,
      TxPages: 0,
      RxPageBytes: 0,
      RxPages: 0,
      CutThrough: 0,
      StoreDirect: 0,
      TransmitWindow: 16
  };

  // A million, most of them idle, in 8 GiB of DRAM: rings of each direction share 2 GiB of pages.
  localparam toe_config_t MillionConfig = '{
      DataWidth: 64,
      Connections: 1048576,
      TxRingBytes: 65536,
      RxRingBytes: 65536,
      ListenPorts: 16,
      ArpEntries: 64,
      Mtu: 1500,
      DecideClocks: 4,
      DelayedAckUs: 64,
      RtoMinUs: 200000,
      ReorderPackets: 64,
      StateCacheEntries: 4096,
      StateCacheWays: 8,
      StateCachePolicy: int'(PolicyHeat),
      TupleCacheEntries: 8192,
      StateInDram: 1,
      TxRingsInDram: 1,
      RxRingsInDram: 1,
      TxPageBytes: 4096,
      TxPages: 524288,
      RxPageBytes: 4096,
      RxPages: 524288,
      CutThrough: 0,
      StoreDirect: 0,
      TransmitWindow: 16
  };

  // The least of an ECP5-85F: what tools build without optional features (TOEHOLD_FEATURES=0, tcp_pkg).
  localparam toe_config_t TinyConfig = '{
      DataWidth: 64,
      Connections: 16,
      TxRingBytes: 4096,
      RxRingBytes: 4096,
      ListenPorts: 4,
      ArpEntries: 8,
      Mtu: 1500,
      DecideClocks: OneEventClocks,
      DelayedAckUs: 40000,
      RtoMinUs: 200000,
      ReorderPackets: 0,
      StateCacheEntries: 0,
      StateCacheWays: 4,
      StateCachePolicy: int'(PolicyHeat),
      TupleCacheEntries: 0,
      StateInDram: 0,
      TxRingsInDram: 0,
      RxRingsInDram: 0,
      TxPageBytes: 0,
      TxPages: 0,
      RxPageBytes: 0,
      RxPages: 0,
      CutThrough: 0,
      StoreDirect: 0,
      TransmitWindow: 0
  };

  // Whether a connection_sequencer decides, and no pipeline.
  function automatic bit decides_one(input toe_config_t config_v);
    return config_v.DecideClocks == OneEventClocks;
  endfunction

  // A preset by its number, with another data width if data_width is not 0.
  function automatic toe_config_t preset_config(input int preset, input int data_width);
    toe_config_t config_v;
    unique case (preset)
      int'(PresetDatacenter): config_v = DatacenterConfig;
      int'(PresetBulk): config_v = BulkConfig;
      int'(PresetCached): config_v = CachedConfig;
      int'(PresetLowLatency): config_v = LowLatencyConfig;
      int'(PresetScale): config_v = ScaleConfig;
      int'(PresetTiny): config_v = TinyConfig;
      int'(PresetMillion): config_v = MillionConfig;
      default: config_v = SmallConfig;
    endcase
    if (data_width != 0) config_v.DataWidth = data_width;
    // A wider line brings events faster than one after the other.
    if (config_v.DataWidth > 64 && decides_one(config_v)) config_v.DecideClocks = 7;
    return config_v;
  endfunction

  // Whether it is for parts that need more registers, at the price of a few clocks: between the queues and
  // the arbiter of events, on the way to IP, in the lookup. Initial sequence numbers take their time, too.
  function automatic bit has_slow_parts(input toe_config_t config_v);
    return config_v.DecideClocks > 4;
  endfunction

  // Clocks from an event that is accepted to the write of its connection's state.
  function automatic int commit_latency(input toe_config_t config_v);
    return decides_one(config_v) ? OneEventClocks - 1 : config_v.DecideClocks + 2;
  endfunction

  // Largest TCP payload of one segment without options.
  function automatic int max_segment(input toe_config_t config_v);
    return config_v.Mtu - 40;  // IPv4 and TCP header
  endfunction

  // What a transmit buffer holds. A page less than its ring where it has pages, so that no page holds
  // its first bytes and its last.
  function automatic int transmit_room(input toe_config_t config_v);
    return config_v.TxRingBytes - config_v.TxPageBytes;
  endfunction

  // What a receive buffer holds, and the most that a window may be; the same.
  function automatic int receive_room(input toe_config_t config_v);
    return config_v.RxRingBytes - config_v.RxPageBytes;
  endfunction

  // Bytes of a FIFO that keeps a packet while another comes or goes; a power of two.
  function automatic int packet_fifo_bytes(input toe_config_t config_v);
    return 2 ** $clog2(2 * config_v.Mtu);
  endfunction

  // By how much windows are scaled so that 16 bits tell the whole receive ring (RFC 7323).
  function automatic int receive_scale(input toe_config_t config_v);
    return config_v.RxRingBytes > 65536 ? $clog2(config_v.RxRingBytes) - 16 : 0;
  endfunction

  // Settings that software can change while the engine runs (registers).
  typedef struct packed {
    logic [31:0] rto_initial_us;
    logic [31:0] rto_min_us;
    logic [31:0] rto_max_us;
    logic [31:0] time_wait_us;
    logic [31:0] delayed_ack_us;      // an acknowledgement may wait so long; 0: none does
    logic [31:0] user_timeout_us;     // a connection ends after so long without an answer; 0: never
    logic [31:0] keepalive_tick_us;
    logic [7:0]  keepalive_idle;      // ticks of silence before the first probe
    logic [31:0] keepalive_interval_us;
    logic [3:0]  keepalive_probes;
    logic [31:0] challenge_interval_us;  // of a connection's challenge ACKs, at least
    logic [3:0]  syn_retries;
    logic [3:0]  syn_ack_retries;
    logic [3:0]  data_retries;
    logic        window_scale;        // offered and accepted: window scale,
    logic        timestamps;          // time stamps,
    logic        sack;                // SACK
    logic        no_delay;            // new connections: Nagle's algorithm off
    logic        keepalive;           // new connections: keepalive on
    logic        cubic_friendly;      // congestion windows move as in CUBIC's Reno-friendly region
    logic        pacing;              // segments are spread over the round trip
  } tcp_settings_t;

endpackage
