// SPDX-License-Identifier: Apache-2.0

// One configuration: every choice of an engine in one struct, and the named presets.
package toe_config_pkg;

  typedef struct packed {
    int DataWidth;      // bits of the frame and payload streams: 64, 128, 256 or 512
    int Connections;    // connections at once, TIME_WAIT included; a power of two
    int TxRingBytes;    // transmit buffer of each connection; a power of two, at most 65536
    int RxRingBytes;    // receive buffer of each connection; a power of two, at most 65536
    int ListenPorts;    // ports that can be listened to at once
    int ArpEntries;     // neighbours remembered; a power of two
    int Mtu;            // largest IP packet, bytes
  } toe_config_t;

  typedef enum int {
    PresetSmall      = 0,
    PresetDatacenter = 1
  } preset_e;

  // An ECP5 board, everything on chip.
  localparam toe_config_t SmallConfig = '{
      DataWidth: 64,
      Connections: 64,
      TxRingBytes: 2048,
      RxRingBytes: 2048,
      ListenPorts: 8,
      ArpEntries: 16,
      Mtu: 1500
  };

  // Larger rings and more connections; on chip still, so for parts with UltraRAM.
  localparam toe_config_t DatacenterConfig = '{
      DataWidth: 64,
      Connections: 256,
      TxRingBytes: 16384,
      RxRingBytes: 16384,
      ListenPorts: 16,
      ArpEntries: 64,
      Mtu: 1500
  };

  // A preset by its number, with another data width if data_width is not 0.
  function automatic toe_config_t preset_config(input int preset, input int data_width);
    toe_config_t config_v;
    config_v = preset == int'(PresetDatacenter) ? DatacenterConfig : SmallConfig;
    if (data_width != 0) config_v.DataWidth = data_width;
    return config_v;
  endfunction

  // Largest TCP payload of one segment without options.
  function automatic int max_segment(input toe_config_t config_v);
    return config_v.Mtu - 40;  // IPv4 and TCP header
  endfunction

  // Settings that software can change while the engine runs (registers).
  typedef struct packed {
    logic [31:0] rto_initial_us;
    logic [31:0] rto_min_us;
    logic [31:0] rto_max_us;
    logic [31:0] time_wait_us;
    logic [3:0]  syn_retries;
    logic [3:0]  data_retries;
  } tcp_settings_t;

endpackage
