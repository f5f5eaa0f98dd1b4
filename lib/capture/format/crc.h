/* crc.h - CRC-32C (Castagnoli), by the processor's own instruction where it has one
 *
 * Check value of "123456789": e3069283. libc only. */
#ifndef LIB_CAPTURE_FORMAT_CRC_H
#define LIB_CAPTURE_FORMAT_CRC_H

#include <stddef.h>
#include <stdint.h>

/* Goes on from `crc`, 0 at the start: crc32c(crc32c(0, a), b) is that of a then b. */
uint32_t crc32c(uint32_t crc, const void *bytes, size_t size);
/* The same by a table only: what the other one is measured against. */
uint32_t crc32c_by_table(uint32_t crc, const void *bytes, size_t size);

#endif
