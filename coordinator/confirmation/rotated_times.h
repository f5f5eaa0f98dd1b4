/* rotated_times.h - the slow card or link of a launch whose ranks were rotated over
 * their cards
 *
 * The duration of a rank contains its waiting for others, so the computing times and
 * the transfers between ranks decide: those of program A now against those in the base
 * (drift), and those of B against A (code). */
#ifndef COORDINATOR_CONFIRMATION_ROTATED_TIMES_H
#define COORDINATOR_CONFIRMATION_ROTATED_TIMES_H

#include <stddef.h>
#include <stdint.h>

#include "lib/verdict/cause/ab_cause.h"
#include "lib/verdict/cause/placed_cause.h"

enum rotated_side {
    ROTATED_BEFORE, /* A in the base */
    ROTATED_BASE,   /* A now */
    ROTATED_FRESH,  /* B now */
};

struct rotated_time {
    enum rotated_side side;
    size_t placement; /* from 0: as the suspect ran; not used for ROTATED_BEFORE */
    size_t rank;
    size_t peer; /* PLACED_COMPUTING: a computing time */
    uint32_t repeat;
    double us;
};

struct rotated_times;

struct rotated_times *rotated_times_create(void);
void rotated_times_destroy(struct rotated_times *times); /* NULL is allowed */
/* `card` is its serial or HOST:CARD. Times that are not positive are left out. */
void rotated_times_add(struct rotated_times *times,
                       const struct rotated_time *time,
                       const char *card);

struct rotated_answer {
    enum cause code;                     /* CAUSE_CARD or CAUSE_NONE */
    enum cause drift;                    /* CAUSE_CARD, CAUSE_LINK or CAUSE_NONE */
    const char *code_card;               /* names live as long as the times; "": none */
    const char *drift_card, *drift_peer; /* both ends of a link, sorted */
};
/* `margin` is a natural logarithm. */
struct rotated_answer rotated_times_judge(const struct rotated_times *times,
                                          double margin);

#endif
