/* result_slots.h - results that outlive the worker, but need not outlive the host
 *
 * Texts in one file that is mapped: writing one is writing memory, and what was written
 * is there when a worker that was killed is started again. A file for each took longer
 * than a short run. There are some places, each for a short text. */
#ifndef WORKER_SPOOL_RESULT_SLOTS_H
#define WORKER_SPOOL_RESULT_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"

enum { RESULT_SLOTS = 256, SLOT_BYTES = 512 };

struct result_slots;
typedef void
result_slots_fn(void *arg, uint64_t run_id, uint64_t rank, const char *text);

/* One worker has the folder (spool.h). */
int result_slots_open(struct result_slots **out, const char *folder, struct err *err);
void result_slots_close(struct result_slots *slots); /* NULL is welcome */
/* What an earlier worker left. */
void result_slots_each(const struct result_slots *slots,
                       result_slots_fn *fn,
                       void *arg);

/* False: there is no place, or the text has no room in one. */
bool result_slots_put(struct result_slots *slots,
                      uint64_t run_id,
                      uint64_t rank,
                      const char *text);
/* True when it was here. */
bool result_slots_drop(struct result_slots *slots, uint64_t run_id, uint64_t rank);

#endif
