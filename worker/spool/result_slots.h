/* result_slots.h - short results in one mapped file, which survive a crash of the
 * worker
 *
 * Writing a result is a write to memory. A worker that starts after a kill finds the
 * results; a crash of the host may lose them. One file per result took longer than a
 * short attempt. The file has RESULT_SLOTS slots of SLOT_BYTES. */
#ifndef WORKER_SPOOL_RESULT_SLOTS_H
#define WORKER_SPOOL_RESULT_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"

enum { RESULT_SLOTS = 256, SLOT_BYTES = 512 };

struct result_slots;
typedef void
result_slots_fn(void *arg, uint64_t run_id, uint64_t rank, const char *text);

/* The caller holds the lock of the spool folder (spool.h). */
int result_slots_open(struct result_slots **out, const char *folder, struct err *err);
void result_slots_close(struct result_slots *slots); /* NULL is allowed */
/* Calls fn for each result that an earlier worker left. */
void result_slots_each(const struct result_slots *slots,
                       result_slots_fn *fn,
                       void *arg);

/* Returns false when no slot is free or the text is too long for a slot. */
bool result_slots_put(struct result_slots *slots,
                      uint64_t run_id,
                      uint64_t rank,
                      const char *text);
/* Frees the slot. Returns false when no slot has this result. */
bool result_slots_drop(struct result_slots *slots, uint64_t run_id, uint64_t rank);

#endif
