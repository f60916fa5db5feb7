# SPDX-License-Identifier: Apache-2.0
# Generated from registers/checksum_offload.rdl by `make registers`; not edited.
"""Addresses and fields of the registers, for `toehold.registers`."""

# name: (address, readable, writable, reset,
#        {field: (low bit, width, reset)}, description)
REGISTERS = {
    'address': (0, False, True, 0, {'value': (0, 32, 0)}, 'Address of the first byte; any.'),
    'byte_count': (4, False, True, 0, {'value': (0, 16, 0)}, 'Bytes to be summed, 1 to 65,535.'),
    'control': (8, True, True, 0, {'start': (0, 1, 0)}, 'Starts a checksum of the bytes that address and byte_count name.'),
    'status': (12, True, False, None, {'ready': (0, 1, None), 'busy': (1, 1, None), 'length_error': (2, 1, None), 'bus_error': (3, 1, None), 'ring_error': (4, 1, None)}, 'How the checksum that was started last stands.'),
    'result': (16, True, False, None, {'checksum': (0, 16, None), 'length_error': (29, 1, None), 'bus_error': (30, 1, None), 'ready': (31, 1, None)}, 'The checksum and, so that one read is enough, the bits of status that belong to it. A result that is written to memory has the same layout.'),
    'seed': (20, False, True, 0, {'value': (0, 16, 0)}, "Ones' complement sum that is added: that of the pseudo-header, or 0."),
    'interrupt_enable': (24, False, True, 0, {'done': (0, 1, 0), 'batch': (1, 1, 0)}, 'Which events raise the interrupt.'),
    'interrupt_pending': (28, True, True, 0, {'done': (0, 1, 0), 'batch': (1, 1, 0)}, 'Events since they were cleared last; writing ones clears.'),
    'ring_control': (32, False, True, 0, {'enable': (0, 1, 0), 'mask': (16, 12, 0)}, 'The ring of descriptors. Its base and size change only while it is disabled.'),
    'ring_base': (36, False, True, 0, {'value': (4, 28, 0)}, 'Address of the first descriptor, aligned to the size of the ring.'),
    'ring_produced': (40, False, True, 0, {'value': (0, 16, 0)}, 'The doorbell: descriptors filled since the ring was enabled, modulo 65,536; never more ahead of ring_completed than the ring holds.'),
    'ring_completed': (44, True, False, None, {'value': (0, 16, None)}, 'Descriptors whose result is in memory, counted like ring_produced.'),
}
