/* record_rank.h - whose record it is, where one process drives several cards
 *
 * A record names its card, or its launch, which ran on one card. Who sees a launch's
 * record knows its card from then on; what comes before it has to wait. */
#ifndef WORKER_CAPTURE_RECORD_RANK_H
#define WORKER_CAPTURE_RECORD_RANK_H

#include <stddef.h>
#include <stdint.h>

struct record_rank;

enum { RECORD_RANK_LATER = -1 }; /* nobody knows yet */

/* The cards, in the order of their ranks. */
struct record_rank *record_rank_create(const uint32_t *cards, size_t count);
void record_rank_destroy(struct record_rank *lanes); /* NULL is welcome */

/* The rank among these that the record belongs to; 0 for what is of the process, and
 * for what is of no card of ours. The record is as long as its kind wants. */
int record_rank_find(struct record_rank *lanes,
                     unsigned kind,
                     const void *record,
                     size_t size);

#endif
