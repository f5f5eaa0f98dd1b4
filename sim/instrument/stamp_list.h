/* stamp_list.h - the time stamps of a launch's bodies, until they are reported
 *
 * While a body runs, a stamp knows only how many cycles came before it; its time is
 * known when the body has ended and the model's start and end are shared out. Two forms
 * of 24 and 32 bytes, as the card's libraries have them. */
#ifndef SIM_INSTRUMENT_STAMP_LIST_H
#define SIM_INSTRUMENT_STAMP_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STAMP_BYTES      24
#define STAMP_LCCL_BYTES 32
#define STAMPS_MAX       65536 /* of a launch; what is more is lost, as in a full buffer */

struct stamp {
    uint64_t ticks; /* first cycles of its body, then the clock of the card */
    uint64_t pc;
    uint32_t descriptor;
    uint32_t block; /* physical core << 16 | logical block */
};

struct stamp_list {
    struct stamp *rows;
    size_t count, room;
    size_t body; /* first of the body that runs */
};

void stamp_list_clear(struct stamp_list *list);
void stamp_list_add(struct stamp_list *list, const struct stamp *stamp);
/* The body took `cycles`, which are the ticks from start to end. */
void stamp_list_end_body(struct stamp_list *list,
                         uint64_t cycles,
                         uint64_t start,
                         uint64_t end);
/* In each block, what comes from the first stamp of that descriptor on is so much
 * later. */
void stamp_list_delay(struct stamp_list *list, uint32_t descriptor, uint64_t ticks);
void stamp_put(uint8_t *out, const struct stamp *stamp);
/* The form of operators with lightweight collectives: the block as such, 50 and more
 * for cubes; the operation is not told. */
void stamp_put_lccl(uint8_t *out, const struct stamp *stamp);

#endif
