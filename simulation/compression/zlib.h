/* SPDX-License-Identifier: Apache-2.0 */

/* The part of zlib that Verilator's FST writer calls, so that no package of the system is needed to
 * write waveforms. The stream is valid but stored, not deflated: the writer keeps the smaller of
 * the two, so what would have been deflated is in the file as it is. */

#ifndef TOEHOLD_ZLIB_H
#define TOEHOLD_ZLIB_H

#ifdef __cplusplus
extern "C" {
#endif

typedef unsigned char Bytef;
typedef unsigned long uLong;
typedef uLong uLongf;

#define Z_OK 0
#define Z_BUF_ERROR (-5)

/* Bytes that `size` bytes may take. */
uLong compressBound(uLong size);

/* Z_OK with the length in `*to_size`, or Z_BUF_ERROR when `*to_size` is too small. */
int compress2(Bytef *to, uLongf *to_size, const Bytef *from, uLong size, int level);

#ifdef __cplusplus
}
#endif

#endif
