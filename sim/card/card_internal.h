/* card_internal.h - the state of a card, shared by card.c and timing.c */
#ifndef SIM_CARD_CARD_INTERNAL_H
#define SIM_CARD_CARD_INTERNAL_H

#include <pthread.h>
#include <stdint.h>

struct card_run;
struct l2;

struct card {
    pthread_mutex_t mutex;
    struct l2 *l2;
    uint64_t floor;      /* the last tick that the clock has shown */
    uint64_t busy_until; /* tick at which the last launch ends */
    uint64_t l2_session; /* session of the last record of L2 counters */
    uint32_t records;
    struct card_run *waiting; /* launches that wait for other cards */
};

struct card *card_of(uint32_t index);
/* The caller of these two holds the card's mutex. */
uint64_t card_now(const struct card *card);
struct l2 *card_l2(uint32_t index); /* NULL: no memory for the L2 model */

#endif
