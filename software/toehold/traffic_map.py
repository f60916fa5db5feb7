# SPDX-License-Identifier: Apache-2.0
# Generated from registers/traffic.rdl by `make registers`; not edited.
"""Addresses and fields of the registers, for `toehold.registers`."""

# name: (address, readable, writable, reset,
#        {field: (low bit, width, reset)}, description)
REGISTERS = {
    'control': (0, True, True, 2, {'run': (0, 1, 0), 'send': (1, 1, 1)}, 'What it does. The other settings may be changed while run is 0 and nothing is live.'),
    'remote_ip': (4, True, True, 0, {'value': (0, 32, 0)}, 'Address of the server; its first octet in the high byte.'),
    'remote_port': (8, True, True, 0, {'value': (0, 16, 0)}, 'Port of the server.'),
    'connections': (12, True, True, 0, {'value': (0, 16, 0)}, 'Connections that are opened when run rises.'),
    'message_bytes': (16, True, True, 0, {'value': (0, 16, 0)}, "Bytes of a message, 1 to 65,535, and no more than a connection's transmit ring holds."),
    'status': (20, True, False, None, {'live': (0, 16, None), 'opening': (16, 1, None)}, 'How the run stands.'),
    'opened': (32, True, False, None, {'value': (0, 32, None)}, 'Connections that the server answered.'),
    'refused': (36, True, False, None, {'value': (0, 32, None)}, 'Connections that the own engine refused: no room, or no such host.'),
    'closed': (40, True, False, None, {'value': (0, 32, None)}, 'Connections that ended in order.'),
    'broken': (44, True, False, None, {'value': (0, 32, None)}, 'Connections that were reset, or whose server did not answer.'),
    'messages_out': (48, True, False, None, {'value': (0, 32, None)}, 'Messages given to the engine.'),
    'bytes_out_low': (52, True, False, None, {'value': (0, 32, None)}, 'Their bytes, low half.'),
    'bytes_out_high': (56, True, False, None, {'value': (0, 32, None)}, 'Their bytes, high half.'),
    'bytes_in_low': (60, True, False, None, {'value': (0, 32, None)}, 'Bytes received and compared, low half.'),
    'bytes_in_high': (64, True, False, None, {'value': (0, 32, None)}, 'Bytes received and compared, high half.'),
    'wrong_bytes': (68, True, False, None, {'value': (0, 32, None)}, 'Of these: not what they have to be.'),
}
