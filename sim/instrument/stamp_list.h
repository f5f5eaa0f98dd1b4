/* stamp_list.h - the time stamps of a launch's bodies, until they are reported
 *
 * While a body runs, a stamp contains the number of cycles before it. When the body has
 * ended, the cycles are scaled to the modelled start and end. There are two formats of
 * 24 and 32 bytes, as in the card's libraries. */
#ifndef SIM_INSTRUMENT_STAMP_LIST_H
#define SIM_INSTRUMENT_STAMP_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STAMP_BYTES      24
#define STAMP_LCCL_BYTES 32
#define STAMPS_MAX       65536 /* of a launch; what is more is lost, as in a full buffer */

struct stamp {
    uint64_t ticks; /* during the body: its cycles; later: ticks of the card's clock */
    uint64_t pc;
    uint32_t descriptor;
    uint32_t block; /* physical core << 16 | logical block */
};

struct stamp_list {
    struct stamp *rows;
    size_t count, room;
    size_t body; /* index of the first stamp of the current body */
};

void stamp_list_clear(struct stamp_list *list);
void stamp_list_add(struct stamp_list *list, const struct stamp *stamp);
/* Converts the stamps of the current body: its `cycles` correspond to the ticks from
 * start to end. */
void stamp_list_end_body(struct stamp_list *list,
                         uint64_t cycles,
                         uint64_t start,
                         uint64_t end);
/* Delays, in each block, all stamps from the first one with that descriptor on. */
void stamp_list_delay(struct stamp_list *list, uint32_t descriptor, uint64_t ticks);
void stamp_put(uint8_t *out, const struct stamp *stamp);
/* Writes the format of lightweight collectives: the logical block, 50 and more for
 * cubes, without the operation. */
void stamp_put_lccl(uint8_t *out, const struct stamp *stamp);

#endif
