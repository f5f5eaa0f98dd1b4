/* marked_ranges.h - the open ranges that the program has marked
 *
 * A range may begin on one thread and end on another, so the table is shared by all
 * threads. The table has a fixed size; a range that does not fit is ignored. */
#ifndef INJECT_PROGRAM_MARKED_RANGES_H
#define INJECT_PROGRAM_MARKED_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RANGE_NAME_MAX = 128, DOMAIN_NAME_MAX = 64 };

struct range {
    uint64_t id; /* from 1 */
    uint32_t domain;
    char name[RANGE_NAME_MAX];
};

/* Returns the id, never 0: for the program 0 is an error. */
uint64_t range_begin(uint32_t domain, const char *name);
/* Returns false when the range is not open. */
bool range_end(uint64_t id, struct range *out);
bool marked_ranges_any(void);
/* Writes the names of the open ranges, the latest first, one per line. A name that does
 * not fit is left out. */
void marked_ranges_write(char *out, size_t size);

/* Returns the number of the domain with this name, from 1, or 0 when the table is full.
 */
uint32_t domain_open(const char *name);
void domain_write(uint32_t domain, char out[DOMAIN_NAME_MAX]); /* "" for 0 */

void marked_ranges_reset(void); /* in a child process: resets the lock only */

#endif
