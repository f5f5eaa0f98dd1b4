/* card_faults.h - how often in a row a card was at fault by itself
 *
 * A worker says of a card that it is not well: before a task, which then goes
 * elsewhere, or after one, however that ended. After some of them the card gets nothing
 * more (drains.h), until somebody has looked. A task that ends well on a card that is
 * well clears the count. */
#ifndef COORDINATOR_FLEET_CARD_FAULTS_H
#define COORDINATOR_FLEET_CARD_FAULTS_H

#include <stdint.h>

enum { CARD_FAULTS_MAX = 3 };

struct fault;

struct card_faults { /* all zero: none yet */
    struct fault *first;
};

void card_faults_clear(struct card_faults *faults);

/* One more, in words; how many that makes. */
uint32_t card_faults_add(struct card_faults *faults,
                         const char *host,
                         int32_t card,
                         const char *what);
/* How many there are, and the words of the last one; 0 and "". */
uint32_t card_faults_count(struct card_faults *faults,
                           const char *host,
                           int32_t card,
                           const char **what);
void card_faults_forget(struct card_faults *faults, const char *host, int32_t card);

#endif
