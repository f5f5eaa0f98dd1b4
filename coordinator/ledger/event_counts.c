#include "coordinator/ledger/event_counts.h"

#include <string.h>

void event_counts_add(struct event_counts *tally, const char *word)
{
    size_t i = 0;

    while (i < tally->count &&
           strncmp(tally->rows[i].word, word, EVENT_COUNTS_WORD_MAX - 1) != 0)
        i++;
    if (i == EVENT_COUNTS_WORDS)
        return;
    if (i == tally->count)
        strncat(tally->rows[tally->count++].word, word, EVENT_COUNTS_WORD_MAX - 1);
    tally->rows[i].count++;
}
