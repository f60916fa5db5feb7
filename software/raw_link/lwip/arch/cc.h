/* SPDX-License-Identifier: Apache-2.0 */

/* What lwIP asks of a compiler: picolibc's headers have the rest. */

#ifndef ARCH_CC_H
#define ARCH_CC_H

#include <stddef.h>

/* picolibc's memcpy copies bytes. */
void *copy_words(void *to, const void *from, size_t bytes);
#define MEMCPY(to, from, bytes) copy_words(to, from, bytes)

#define LWIP_NO_CTYPE_H 1
#define LWIP_PLATFORM_DIAG(x)
#define LWIP_PLATFORM_ASSERT(x)
#define LWIP_RAND() 4u /* for numbers that nobody has to guess here */

#endif
