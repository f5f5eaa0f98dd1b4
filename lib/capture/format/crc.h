/* crc.h - CRC-32C (Castagnoli), with the instruction of the processor if it has one
 *
 * Check value of "123456789": e3069283. Uses libc only. */
#ifndef LIB_CAPTURE_FORMAT_CRC_H
#define LIB_CAPTURE_FORMAT_CRC_H

#include <stddef.h>
#include <stdint.h>

/* Continues from `crc`, which is 0 at the start: crc32c(crc32c(0, a), b) is the CRC of
 * a followed by b. */
uint32_t crc32c(uint32_t crc, const void *bytes, size_t size);
/* Computes the same without the instruction; the reference for tests. */
uint32_t crc32c_by_table(uint32_t crc, const void *bytes, size_t size);

#endif
