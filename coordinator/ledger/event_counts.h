/* event_counts.h - number of events of each kind since the start of the process
 *
 * There are fewer than 48 kinds, so a list is enough. Longer words are cut. */
#ifndef COORDINATOR_LEDGER_EVENT_COUNTS_H
#define COORDINATOR_LEDGER_EVENT_COUNTS_H

#include <stddef.h>
#include <stdint.h>

enum { EVENT_COUNTS_WORDS = 48, EVENT_COUNTS_WORD_MAX = 32 };

struct event_counts {
    struct {
        char word[EVENT_COUNTS_WORD_MAX];
        uint64_t count;
    } rows[EVENT_COUNTS_WORDS];
    size_t count;
};

void event_counts_add(struct event_counts *counts, const char *word);

#endif
