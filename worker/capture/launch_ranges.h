/* launch_ranges.h - the marked ranges whose launches are measured
 *
 * `patterns` has one entry per line. An entry is a pattern of range names, or several
 * divided by |. Without an entry, launches are measured everywhere; this counts as one
 * entry that all launches belong to. */
#ifndef WORKER_CAPTURE_LAUNCH_RANGES_H
#define WORKER_CAPTURE_LAUNCH_RANGES_H

#include <stddef.h>

enum { LAUNCH_RANGES_MAX = 16, LAUNCH_RANGE_BYTES_MAX = 256 };

/* Returns the number of entries, from 1 to LAUNCH_RANGES_MAX. */
size_t launch_ranges_count(const char *patterns);
/* Copies the entry; "" when there is none. */
void launch_ranges_get(const char *patterns,
                       size_t entry,
                       char out[LAUNCH_RANGE_BYTES_MAX]);
/* Returns the entry that a launch belongs to, or -1. `open_ranges` has one name per
 * line, the innermost range first. The innermost range that matches decides. */
int launch_ranges_find(const char *patterns, const char *open_ranges);

#endif
