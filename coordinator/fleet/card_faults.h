/* card_faults.h - counts consecutive faults of each card
 *
 * A worker reports a fault of its card before a task, which then runs elsewhere, or
 * after a task, whatever its result was. At CARD_FAULTS_MAX faults in a row the card is
 * drained until a person has checked it. A task that ends well on a healthy card clears
 * the count. */
#ifndef COORDINATOR_FLEET_CARD_FAULTS_H
#define COORDINATOR_FLEET_CARD_FAULTS_H

#include <stdint.h>

enum { CARD_FAULTS_MAX = 3 };

struct fault;

struct card_faults { /* all zero: no faults */
    struct fault *first;
};

void card_faults_clear(struct card_faults *faults);

/* Counts one more fault, with its description. Returns the new count. */
uint32_t card_faults_add(struct card_faults *faults,
                         const char *host,
                         int32_t card,
                         const char *what);
/* Returns the count, and in *what the description of the last fault; 0 and "". */
uint32_t card_faults_count(const struct card_faults *faults,
                           const char *host,
                           int32_t card,
                           const char **what);
void card_faults_remove(struct card_faults *faults, const char *host, int32_t card);

#endif
