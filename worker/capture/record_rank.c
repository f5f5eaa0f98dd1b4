#include "worker/capture/record_rank.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/capture/format/kinds.h"
#include "lib/capture/format/records.h"

enum {
    LAUNCHES = 4096,
    NOWHERE = -1
}; /* LAUNCHES: launches between their first and last record */

/* Offsets of the card (u32) and of the launch (u64) in the records of each kind. */
static const struct place {
    enum record_kind kind;
    int card, launch;
} places[] = {
    {RECORD_RUN_CLOCK, offsetof(struct record_run_clock, device), NOWHERE},
    {RECORD_RUN_ENVIRONMENT, offsetof(struct record_run_environment, device), NOWHERE},
    {RECORD_LAUNCH, offsetof(struct record_launch, device),
     offsetof(struct record_launch, launch)},
    {RECORD_LAUNCH_END, NOWHERE, offsetof(struct record_launch_end, launch)},
    {RECORD_PASS, NOWHERE, offsetof(struct record_pass, launch)},
    {RECORD_CHANNEL_BYTES, offsetof(struct record_channel_bytes, device), NOWHERE},
    {RECORD_COMM_GROUP, offsetof(struct record_comm_group, device), NOWHERE},
    {RECORD_LAUNCH_GROUP, NOWHERE, offsetof(struct record_launch_group, launch)},
    {RECORD_LAUNCH_SHARE, NOWHERE, offsetof(struct record_launch_share, launch)},
    {RECORD_LAUNCH_TOKENS, NOWHERE, offsetof(struct record_launch_tokens, launch)},
    {RECORD_REPORT, offsetof(struct record_report, device), NOWHERE},
    {RECORD_STAMP, offsetof(struct record_stamp, device), NOWHERE},
    {RECORD_RUN_HEALTH, offsetof(struct record_run_health, device), NOWHERE},
    {RECORD_MEM_EVENT, offsetof(struct record_mem_event, device), NOWHERE},
    {RECORD_RANGE_LAUNCH, offsetof(struct record_range_launch, device), NOWHERE},
    {RECORD_BARRIER, NOWHERE, offsetof(struct record_barrier, launch)},
};

struct record_rank {
    uint32_t *cards;
    size_t count;
    struct {
        uint64_t launch; /* 0: none */
        int rank;
    } launches[LAUNCHES]; /* indexed by launch modulo LAUNCHES; newer ones replace older
                             ones */
};

struct record_rank *record_rank_create(const uint32_t *cards, size_t count)
{
    struct record_rank *ranks = xcalloc(1, sizeof(*ranks));

    ranks->cards = xmemdup(cards, count * sizeof(*cards));
    ranks->count = count;
    return ranks;
}

void record_rank_destroy(struct record_rank *ranks)
{
    if (!ranks)
        return;
    free(ranks->cards);
    free(ranks);
}

static int rank_of_card(const struct record_rank *ranks, uint32_t card)
{
    for (size_t i = 0; i < ranks->count; i++)
        if (ranks->cards[i] == card)
            return (int)i;
    return 0;
}

static const struct place *find_place(unsigned kind)
{
    for (size_t i = 0; i < COUNT(places); i++)
        if (places[i].kind == kind)
            return &places[i];
    return NULL;
}

static bool is_whole(unsigned kind, size_t size)
{
    const struct record_kind_row *row = record_kind_get(kind);

    return row && (row->size ? size == row->size : size >= row->least);
}

int record_rank_find(struct record_rank *ranks,
                     unsigned kind,
                     const void *record,
                     size_t size)
{
    const struct place *place = find_place(kind);
    uint64_t launch = 0;
    uint32_t card;
    int rank;

    if (!place || !is_whole(kind, size))
        return 0;
    if (place->launch != NOWHERE)
        memcpy(&launch, (const char *)record + place->launch, sizeof(launch));
    if (place->card == NOWHERE) {
        if (ranks->launches[launch % LAUNCHES].launch != launch)
            return RECORD_RANK_UNKNOWN;
        return ranks->launches[launch % LAUNCHES].rank;
    }
    memcpy(&card, (const char *)record + place->card, sizeof(card));
    rank = rank_of_card(ranks, card);
    if (launch > 0) {
        ranks->launches[launch % LAUNCHES].launch = launch;
        ranks->launches[launch % LAUNCHES].rank = rank;
    }
    return rank;
}
