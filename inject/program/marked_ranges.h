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

/* Launches of one card, and launches in which other ranks take part, are selected and
 * counted separately: the ranks must select the same operations. */
enum range_scope { RANGE_ALONE, RANGE_ACROSS, RANGE_SCOPES };

/* The answer of the worker for earlier segments of a range. */
enum range_choice { RANGE_OPEN, RANGE_SELECTED, RANGE_DECLINED };

struct range {
    uint64_t id; /* from 1 */
    uint32_t domain;
    uint32_t thread;   /* that began it */
    uint32_t segments; /* replayed or passed through so far */
    enum range_choice choice[RANGE_SCOPES];
    char name[RANGE_NAME_MAX];
};

/* Returns the id, never 0: for the program 0 is an error. */
uint64_t range_begin(uint32_t domain, const char *name);
/* Returns false when the range is not open. */
bool range_end(uint64_t id, struct range *out);
bool marked_ranges_any(void);
/* Copies the n-th open range, the latest first. Returns false when there are fewer. */
bool marked_range_nth(size_t n, struct range *out);
/* Counts a segment of the range. Returns its number, from 1, and the choice for earlier
 * segments of this scope. A range that has ended has no earlier segments. */
uint32_t marked_range_begin_segment(uint64_t id,
                                    enum range_scope scope,
                                    enum range_choice *choice);
/* Stores the choice for this segment and the later ones. */
void marked_range_choose(uint64_t id, enum range_scope scope, enum range_choice choice);
/* Writes the names of the open ranges, the latest first, one per line. A name that does
 * not fit is left out. */
void marked_ranges_write(char *out, size_t size);

/* Returns the number of the domain with this name, from 1, or 0 when the table is full.
 */
uint32_t domain_open(const char *name);
void domain_write(uint32_t domain, char out[DOMAIN_NAME_MAX]); /* "" for 0 */

void marked_ranges_reset(void); /* in a child process: resets the lock only */

#endif
