/* faults.h - how often in a row a card was at fault by itself
 *
 * A worker says of a card that it is not well: before a task, which then goes
 * elsewhere, or after one that did not end well. After some of them the card gets
 * nothing more (drains.h), until somebody has looked. A task that ends well clears the
 * count. */
#ifndef COORDINATOR_FAULTS_H
#define COORDINATOR_FAULTS_H

#include <stdint.h>

enum { FAULTS_MAX = 3 };

struct fault;

struct faults { /* all zero: none yet */
    struct fault *first;
};

void faults_clear(struct faults *faults);

/* One more; how many that makes. */
uint32_t faults_add(struct faults *faults, const char *host, int32_t card);
void faults_forget(struct faults *faults, const char *host, int32_t card);

#endif
