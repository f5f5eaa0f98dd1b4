#include "coordinator/ledger/event_counts.h"

#include <string.h>

void tally_add(struct tally *tally, const char *word)
{
    size_t i = 0;

    while (i < tally->count &&
           strncmp(tally->rows[i].word, word, TALLY_WORD_MAX - 1) != 0)
        i++;
    if (i == TALLY_WORDS)
        return;
    if (i == tally->count)
        strncat(tally->rows[tally->count++].word, word, TALLY_WORD_MAX - 1);
    tally->rows[i].count++;
}
