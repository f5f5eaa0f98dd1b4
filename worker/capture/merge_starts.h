/* merge_starts.h - one launch, measured in several starts of its program
 *
 * Application replay runs the program once for each group of counters, and each start
 * measures a pass of every launch. A launch is told apart by its device, its kernel and
 * how many of that kernel were launched there before; numbers of launches may differ,
 * when threads race. What the first start told of a launch stays; later ones add their
 * pass to it. In the end a launch is complete when each start measured its pass. */
#ifndef WORKER_CAPTURE_MERGE_STARTS_H
#define WORKER_CAPTURE_MERGE_STARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct record_launch_end;
struct merge_starts;

struct merge_starts *merge_starts_create(void);
void merge_starts_destroy(struct merge_starts *starts); /* NULL is welcome */

/* The program starts again. */
void merge_starts_next(struct merge_starts *starts);
/* A whole record of this start. True: keep it, with the launch's number of the first
 * start put in; false: it is known already, or of a launch that the first start did not
 * have. */
bool merge_starts_take(struct merge_starts *starts,
                       unsigned kind,
                       void *record,
                       size_t size);

size_t merge_starts_launches(const struct merge_starts *starts);
/* What became of a launch over all starts, of which there should have been `wanted`. */
void merge_starts_end(const struct merge_starts *starts,
                      size_t launch,
                      uint32_t wanted,
                      struct record_launch_end *out);
/* Launches of later starts that the first one did not have. */
uint64_t merge_starts_strangers(const struct merge_starts *starts);

#endif
