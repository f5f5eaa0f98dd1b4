/* child_pool.h - many pieces of work, several at once, each in a child process
 *
 * What a piece says is handed over in the order of the pieces, whoever was done first.
 * A child that crashes, or takes too long, loses the piece it was at and nothing else:
 * another child takes its place. It inherits what the parent knows by then, so a piece
 * can be tried again another way. */
#ifndef PARSERS_RUN_CHILD_POOL_H
#define PARSERS_RUN_CHILD_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/text.h"

enum { CHILD_POOL_MAX = 64 };

/* Where in its piece a child is; the parent reads it when the child is dead. */
struct child_pool_place;
void child_pool_at(struct child_pool_place *place, uint32_t step);

struct child_pool_work {
    size_t count;
    size_t parallel;   /* children at once; at least 1, at most CHILD_POOL_MAX */
    uint64_t limit_ms; /* for one piece; 0: none */
    void *arg;
    /* In a child. -1 ends the whole work with this error. */
    int (*run)(size_t index,
               struct child_pool_place *place,
               struct text *said,
               void *arg,
               struct err *err);
    /* In the parent, piece by piece. */
    void (*said)(size_t index, const char *bytes, size_t size, void *arg);
    /* In the parent: the piece was lost at `step`. True: it is tried again; else
     * said() hears what `last` was left with. */
    bool (*lost)(size_t index,
                 uint32_t step,
                 const char *why,
                 struct text *last,
                 void *arg);
};

int child_pool_run(const struct child_pool_work *work, struct err *err);
/* Processors that this process may use. */
size_t child_pool_processors(void);

#endif
