/* record_rank.h - whose record it is, where one process drives several cards
 *
 * A record names its card, or its launch, which ran on one card. Who sees a launch's
 * record knows its card from then on; what comes before it has to wait. */
#ifndef WORKER_CAPTURE_RECORD_RANK_H
#define WORKER_CAPTURE_RECORD_RANK_H

#include <stddef.h>
#include <stdint.h>

struct lanes;

enum { LANES_LATER = -1 }; /* nobody knows yet */

/* The cards, in the order of their ranks. */
struct lanes *lanes_create(const uint32_t *cards, size_t count);
void lanes_destroy(struct lanes *lanes); /* NULL is welcome */

/* The rank among these that the record belongs to; 0 for what is of the process, and
 * for what is of no card of ours. The record is as long as its kind wants. */
int lanes_find(struct lanes *lanes, unsigned kind, const void *record, size_t size);

#endif
