#include "coordinator/ledger/event_counts.h"

#include <string.h>

void event_counts_add(struct event_counts *counts, const char *word)
{
    size_t i = 0;

    while (i < counts->count &&
           strncmp(counts->rows[i].word, word, EVENT_COUNTS_WORD_MAX - 1) != 0)
        i++;
    if (i == EVENT_COUNTS_WORDS)
        return;
    if (i == counts->count)
        strncat(counts->rows[counts->count++].word, word, EVENT_COUNTS_WORD_MAX - 1);
    counts->rows[i].count++;
}
