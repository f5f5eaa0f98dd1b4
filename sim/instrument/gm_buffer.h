/* gm_buffer.h - one core's part of the buffer of an instrumented kernel
 *
 * A part has a head of 22 words, then records, each after its type and a mark. The last
 * 64 bytes of a part stay empty. The head must be zero at the start, because its counts
 * are added up. When a record does not fit, bit 63 of the length is set. The other bits
 * then count all bytes that were to be written, including lost ones. */
#ifndef SIM_INSTRUMENT_GM_BUFFER_H
#define SIM_INSTRUMENT_GM_BUFFER_H

#include <stdint.h>

#define GM_BUFFER_HEAD    176
#define GM_BUFFER_GAP     64
#define GM_BUFFER_FULL    (1ull << 63)
#define GM_BUFFER_CORES   108
#define GM_BUFFER_STRIDE  ((100ull << 20) + GM_BUFFER_GAP)
#define GM_BUFFER_MINIMUM (GM_BUFFER_HEAD + GM_BUFFER_GAP)

struct transfer_type;

void gm_buffer_add(uint8_t *part,
                   uint64_t stride,
                   const struct transfer_type *type,
                   const void *record);

#endif
