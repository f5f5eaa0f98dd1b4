/* intervals.h - sets of half-open intervals of time */
#ifndef PARSERS_BUSY_TIME_INTERVALS_H
#define PARSERS_BUSY_TIME_INTERVALS_H

#include <stddef.h>
#include <stdint.h>

struct interval {
    int64_t start, end; /* ns */
};

/* A member of the caller's struct; all zero is the empty set. After intervals_merge()
 * the items are sorted, disjoint and do not touch; the other functions need that. */
struct intervals {
    struct interval *items;
    size_t count, room;
};

void intervals_clear(struct intervals *set);
/* Drops an interval that ends at its start or before. */
void intervals_add(struct intervals *set, int64_t start, int64_t end);
void intervals_merge(struct intervals *set);

int64_t intervals_length(const struct intervals *set);
/* Returns how much of [start, end) the set covers. */
int64_t intervals_cover(const struct intervals *set, int64_t start, int64_t end);
/* Returns the length of what both sets cover inside [start, end). */
int64_t intervals_shared(const struct intervals *a,
                         const struct intervals *b,
                         int64_t start,
                         int64_t end);
/* Returns the index of the first item that ends after the time. */
size_t intervals_first_after(const struct intervals *set, int64_t time);

#endif
