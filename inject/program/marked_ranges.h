/* marked_ranges.h - the ranges that the program marked, as long as they are open
 *
 * A range may begin on one thread and end on another, so they are the process's. The
 * table has a fixed size; a range that does not fit is not known, and its end is
 * nothing. */
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

/* Never 0: the program takes that for an error. */
uint64_t range_begin(uint32_t domain, const char *name);
/* False when it is not open. */
bool range_end(uint64_t id, struct range *out);
bool marked_ranges_any(void);
/* The names of the open ones, the latest first, a line each; those that fit. */
void marked_ranges_write(char *out, size_t size);

/* From 1; the same name is the same domain. 0 when there is no room. */
uint32_t domain_open(const char *name);
void domain_write(uint32_t domain, char out[DOMAIN_NAME_MAX]); /* "" for 0 */

void marked_ranges_reset(void); /* in a child: locks only, its copies are its own */

#endif
