/* record_rank.h - finds the rank of a record when one process uses several cards
 *
 * A record names its card, or a launch, which ran on one card. The card of a launch is
 * known after the record of the launch; records before it have to wait. */
#ifndef WORKER_CAPTURE_RECORD_RANK_H
#define WORKER_CAPTURE_RECORD_RANK_H

#include <stddef.h>
#include <stdint.h>

struct record_rank;

enum { RECORD_RANK_UNKNOWN = -1 }; /* the record of the launch has not arrived */

/* `cards` are in the order of their ranks; copied. */
struct record_rank *record_rank_create(const uint32_t *cards, size_t count);
void record_rank_destroy(struct record_rank *ranks); /* NULL is allowed */

/* Returns the index of the rank that the record belongs to, or RECORD_RANK_UNKNOWN.
 * Returns 0 for records of the process, of unknown cards and of a wrong size. */
int record_rank_find(struct record_rank *ranks,
                     unsigned kind,
                     const void *record,
                     size_t size);

#endif
