/* event_counts.h - how often each of a few words was said since this process began
 *
 * There are few, and a list will do. What is longer than its room is cut. */
#ifndef COORDINATOR_LEDGER_EVENT_COUNTS_H
#define COORDINATOR_LEDGER_EVENT_COUNTS_H

#include <stddef.h>
#include <stdint.h>

enum { TALLY_WORDS = 48, TALLY_WORD_MAX = 32 };

struct tally {
    struct {
        char word[TALLY_WORD_MAX];
        uint64_t count;
    } rows[TALLY_WORDS];
    size_t count;
};

void tally_add(struct tally *tally, const char *word);

#endif
