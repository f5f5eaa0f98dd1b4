/* gang_placements.c - the card, the link or the rank that slows down a launch whose
 * ranks were rotated over the cards */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/compare/point_key.h"
#include "lib/gate/gang_cause.h"
#include "lib/verdict/cause/placed_cause.h"

struct card {
    const char *serial, *host;
};

/* The changes of a launch in all its placements. */
struct placements {
    struct placed_value *values;
    size_t count, placement_count;
    struct card *cards;
    size_t card_count;
};

static size_t position_of(struct placements *all, const struct comparison_row *row)
{
    size_t i = 0;

    while (i < all->card_count && strcmp(all->cards[i].serial, row->placed_serial) != 0)
        i++;
    if (i == all->card_count) {
        all->cards = xreallocarray(all->cards, i + 1, sizeof(*all->cards));
        all->cards[all->card_count++] =
            (struct card){row->placed_serial, row->placed_host};
    }
    return i;
}

static void read_placements(struct placements *all,
                            struct launch_rows launch,
                            struct launch_rows kernel)
{
    const char *point = NULL; /* the rows of a placement follow each other */

    all->values = xcalloc(kernel.count + 1, sizeof(*all->values));
    for (size_t i = 0; i < kernel.count; i++) {
        const struct comparison_row *row = &kernel.rows[i];
        bool is_computing = strcmp(row->metric, "compute_us") == 0;
        uint64_t peer = PLACED_COMPUTING;

        if ((!is_computing && !gang_cause_is_transfer(row, &peer)) ||
            !isfinite(row->shift) || !row->placed_serial[0] ||
            row->rank >= GANG_CAUSE_RANKS_MAX ||
            !point_key_differs_in_placement(row->point, launch.rows->point))
            continue;
        all->placement_count += !point || strcmp(point, row->point) != 0;
        point = row->point;
        all->values[all->count++] =
            (struct placed_value){all->placement_count - 1, row->rank,
                                  position_of(all, row), peer, row->shift};
    }
}

/* Returns the rank that the launch has on a card; 0 when it has none. */
static uint64_t rank_on(struct launch_rows launch, const struct card *card)
{
    for (size_t i = 0; i < launch.count; i++)
        if (strcmp(launch.rows[i].placed_serial, card->serial) == 0)
            return launch.rows[i].rank;
    return 0;
}

/* Sets the cards of a cause. Those of a link are sorted, so that it has the same name
 * in each placement. */
static void set_cards(struct gang_cause *cause,
                      struct launch_rows launch,
                      const struct card *card,
                      const struct card *peer)
{
    if (peer && strcmp(peer->serial, card->serial) < 0) {
        set_cards(cause, launch, peer, card);
        return;
    }
    cause->rank = rank_on(launch, card);
    cause->serial = card->serial;
    cause->host = card->host;
    if (peer) {
        cause->peer = rank_on(launch, peer);
        cause->peer_serial = peer->serial;
        cause->peer_host = peer->host;
    }
}

struct gang_cause gang_cause_of_placements(struct launch_rows launch,
                                           struct launch_rows kernel,
                                           double margin)
{
    struct placements all = {0};

    read_placements(&all, launch, kernel);
    struct placed_cause found = placed_cause_find(all.values, all.count, margin);
    struct gang_cause cause = {.cause = found.cause,
                               .size = found.size,
                               .rank = found.rank,
                               .serial = "",
                               .host = "",
                               .peer_serial = "",
                               .peer_host = ""};
    if (found.cause == CAUSE_NONE && !found.separates)
        cause = gang_cause_find(launch, margin); /* too few placements have values */
    else if (found.card != SIZE_MAX)
        set_cards(&cause, launch, &all.cards[found.card],
                  found.peer_card != SIZE_MAX ? &all.cards[found.peer_card] : NULL);
    free(all.cards);
    free(all.values);
    return cause;
}
