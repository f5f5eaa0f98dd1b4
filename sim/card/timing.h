/* timing.h - a card between the launches that run on it: its clock, its cache */
#ifndef SIM_CARD_TIMING_H
#define SIM_CARD_TIMING_H

#include <pthread.h>
#include <stdint.h>

#include "sim/card/card.h"

struct l2;

struct card {
    pthread_mutex_t mutex;
    struct l2 *l2;
    uint64_t floor; /* ticks that the clock has reached */
    uint64_t l2_session;
    uint32_t records;
    struct card_run *waiting; /* launches that wait for other cards */
};

struct card *card_of(uint32_t index);
/* Both with the card's mutex held. NULL: no memory for the model. */
uint64_t card_now(const struct card *card);
struct l2 *card_l2(uint32_t index);

#endif
