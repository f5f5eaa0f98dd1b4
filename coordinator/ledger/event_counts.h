/* event_counts.h - how often each of a few words was said since this process began
 *
 * There are few, and a list will do. What is longer than its room is cut. */
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

void event_counts_add(struct event_counts *tally, const char *word);

#endif
