/* SPDX-License-Identifier: Apache-2.0 */

/* The two functions of LZ4 that Verilator's FST writer calls, so that no package of the system is
 * needed to write waveforms. Blocks are LZ4 as everybody reads it; see compression.cpp. */

#ifndef TOEHOLD_LZ4_H
#define TOEHOLD_LZ4_H

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes that `size` bytes may take when compressed. */
int LZ4_compressBound(int size);

/* Bytes written, or 0 when `capacity` is too small. */
int LZ4_compress_default(const char *from, char *to, int size, int capacity);

#ifdef __cplusplus
}
#endif

#endif
