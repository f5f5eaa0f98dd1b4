/* child_pool.h - runs items of work in child processes, at most N at a time
 *
 * The outputs are delivered in the order of the items, whichever child finishes first.
 * A child that crashes or exceeds the time limit loses only its current item; another
 * child replaces it. The new child inherits the parent's current state, so the parent
 * can have an item repeated in another way. */
#ifndef PARSERS_CHILD_POOL_CHILD_POOL_H
#define PARSERS_CHILD_POOL_CHILD_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/text.h"

enum { CHILD_POOL_MAX = 64 };

/* Position of a child within its item, in shared memory. The parent reads the position
 * after the death of the child. */
struct child_pool_position;
void child_pool_set_step(struct child_pool_position *position, uint32_t step);

struct child_pool_work {
    size_t count;      /* of items */
    size_t parallel;   /* children at a time; clamped to 1 .. CHILD_POOL_MAX */
    uint64_t limit_ms; /* for one item; 0: none */
    /* The address space to which run() limits its process; 0: no limit. */
    uint64_t memory_bytes;
    /* A child that is killed from outside, for example because memory ran out, stops
     * all work with ERR_NO_RESOURCE. Otherwise it loses its item like a crashed one. */
    bool stops_when_killed;
    void *arg;
    /* Runs in a child. A result of -1 stops all work with this error. */
    int (*run)(size_t index,
               struct child_pool_position *position,
               struct text *output,
               void *arg,
               struct err *err);
    /* Runs in the parent, once for each item. */
    void (*on_output)(size_t index, const char *bytes, size_t size, void *arg);
    /* Runs in the parent when a child died at `step` of an item. Returns true to repeat
     * the item. on_output() receives what this function wrote to `output`, followed by
     * the output of the repetition. */
    bool (*on_lost)(size_t index,
                    uint32_t step,
                    const char *why,
                    struct text *output,
                    void *arg);
    /* Runs in the parent about every tick_ms, for each item that a child works on, with
     * its step and the time since its begin; or NULL. */
    void (*on_tick)(size_t index, uint32_t step, uint64_t spent_ms, void *arg);
    uint64_t tick_ms;
};

int child_pool_run(const struct child_pool_work *work, struct err *err);
/* Returns the number of processors that this process may use. */
size_t child_pool_processors(void);

#endif
