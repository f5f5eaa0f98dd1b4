#include "worker/capture/record_rank.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/capture/format/kinds.h"
#include "lib/capture/format/records.h"

enum { LAUNCHES = 4096, NOWHERE = -1 }; /* launches that may be under way at a time */

/* Where a kind has its card (u32) and its launch (u64). */
static const struct place {
    enum record_kind kind;
    int card, launch;
} places[] = {
    {RECORD_RUN_CLOCK, offsetof(struct record_run_clock, device), NOWHERE},
    {RECORD_LAUNCH, offsetof(struct record_launch, device),
     offsetof(struct record_launch, launch)},
    {RECORD_LAUNCH_END, NOWHERE, offsetof(struct record_launch_end, launch)},
    {RECORD_PASS, NOWHERE, offsetof(struct record_pass, launch)},
    {RECORD_CHANNEL_BYTES, offsetof(struct record_channel_bytes, device), NOWHERE},
    {RECORD_COMM_GROUP, offsetof(struct record_comm_group, device), NOWHERE},
    {RECORD_LAUNCH_GROUP, NOWHERE, offsetof(struct record_launch_group, launch)},
    {RECORD_LAUNCH_SHARE, NOWHERE, offsetof(struct record_launch_share, launch)},
    {RECORD_REPORT, offsetof(struct record_report, device), NOWHERE},
    {RECORD_STAMP, offsetof(struct record_stamp, device), NOWHERE},
    {RECORD_RUN_HEALTH, offsetof(struct record_run_health, device), NOWHERE},
    {RECORD_MEM_EVENT, offsetof(struct record_mem_event, device), NOWHERE},
    {RECORD_BARRIER, NOWHERE, offsetof(struct record_barrier, launch)},
};

struct record_rank {
    uint32_t *cards;
    size_t count;
    struct {
        uint64_t launch; /* 0: none */
        int lane;
    } launches[LAUNCHES]; /* the latest of each remainder */
};

struct record_rank *record_rank_create(const uint32_t *cards, size_t count)
{
    struct record_rank *lanes = xcalloc(1, sizeof(*lanes));

    lanes->cards = xmemdup(cards, count * sizeof(*cards));
    lanes->count = count;
    return lanes;
}

void record_rank_destroy(struct record_rank *lanes)
{
    if (!lanes)
        return;
    free(lanes->cards);
    free(lanes);
}

static int lane_of_card(const struct record_rank *lanes, uint32_t card)
{
    for (size_t i = 0; i < lanes->count; i++)
        if (lanes->cards[i] == card)
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

int record_rank_find(struct record_rank *lanes,
                     unsigned kind,
                     const void *record,
                     size_t size)
{
    const struct place *place = find_place(kind);
    uint64_t launch = 0;
    uint32_t card;
    int lane;

    if (!place || !is_whole(kind, size))
        return 0;
    if (place->launch != NOWHERE)
        memcpy(&launch, (const char *)record + place->launch, sizeof(launch));
    if (place->card == NOWHERE) {
        if (lanes->launches[launch % LAUNCHES].launch != launch)
            return RECORD_RANK_LATER;
        return lanes->launches[launch % LAUNCHES].lane;
    }
    memcpy(&card, (const char *)record + place->card, sizeof(card));
    lane = lane_of_card(lanes, card);
    if (launch > 0) {
        lanes->launches[launch % LAUNCHES].launch = launch;
        lanes->launches[launch % LAUNCHES].lane = lane;
    }
    return lane;
}
