/* merge_starts.h - merges the launches of several program starts (application replay)
 *
 * Application replay starts the operator once for each set of counters, and each start
 * measures one pass of every launch. A launch is identified by its device, its kernel
 * and the number of earlier launches of that kernel on the device. Launch numbers
 * cannot identify it, because they differ between starts when threads race. The first
 * start gives the launch record; later starts add their passes. A launch is complete
 * when each start has measured its pass. */
#ifndef WORKER_CAPTURE_MERGE_STARTS_H
#define WORKER_CAPTURE_MERGE_STARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct record_launch_end;
struct merge_starts;

struct merge_starts *merge_starts_create(void);
void merge_starts_destroy(struct merge_starts *merge); /* NULL is allowed */

/* Begins the next start. */
void merge_starts_next(struct merge_starts *merge);
/* Takes one record of this start. Returns true when the record is to be stored; its
 * launch number is then that of the first start. Returns false when the record repeats
 * one of the first start or belongs to a launch that the first start did not have. */
bool merge_starts_take(struct merge_starts *merge,
                       unsigned kind,
                       void *record,
                       size_t size);

size_t merge_starts_launches(const struct merge_starts *merge);
/* Writes the end record of a launch over all starts; `start_count` starts were planned.
 */
void merge_starts_end(const struct merge_starts *merge,
                      size_t launch,
                      uint32_t start_count,
                      struct record_launch_end *out);
/* Number of launches of later starts that the first start did not have. */
uint64_t merge_starts_unmatched(const struct merge_starts *merge);

#endif
