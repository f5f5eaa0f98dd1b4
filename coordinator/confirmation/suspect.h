/* suspect.h - a figure that a confirmation measures again */
#ifndef COORDINATOR_CONFIRMATION_SUSPECT_H
#define COORDINATOR_CONFIRMATION_SUSPECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/verdict/cause/ab_family.h"

struct err;
struct job;
struct store;

/* The first places are those of alternating runs; in the others the ranks are rotated
 * over their cards. */
enum { SUSPECT_ROTATIONS = 2, SUSPECT_PLACES = AB_PLACES + SUSPECT_ROTATIONS };

struct suspect {
    const char *point, *kernel, *metric, *card; /* borrowed; card "": not given */
    uint64_t rank;
    uint64_t fresh_point, base_point; /* numbers in both jobs, of this card if pinned */
    char found_card[256];             /* serial, or HOST:CARD */
    char *places[SUSPECT_PLACES]; /* HOST:CARD of each rank with blanks; NULL: none */
    bool same_program;
    char reason[160]; /* "": the suspect can run */
};

void suspects_clear(struct suspect *suspects, size_t count); /* frees the array */

/* The points of a stored job that are this point, one for each card of a pinned job. */
struct suspect_points {
    uint64_t *numbers;
    size_t count;
};
/* Finds them by the key of the point (lib/compare/point_key.h). */
int suspect_points_find(struct suspect_points *points,
                        struct store *store,
                        uint64_t job_id,
                        const char *point,
                        struct err *err);
void suspect_points_clear(struct suspect_points *points);

/* Returns true when `card` is this serial, or HOST:CARD of this card. */
bool suspect_card_is(const char *card,
                     const char *host,
                     int32_t number,
                     const char *serial);

#endif
