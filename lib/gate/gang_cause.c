#include "lib/gate/gang_cause.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"
#include "lib/verdict/cause/link_matrix.h"

static const char transfer_prefix[] = "transfer_us_rank_";

struct gang {
    uint64_t ranks;
    const struct comparison_row **computing; /* by rank; NULL: not measured */
    double *transfers; /* ratios new/base by rank and peer; NaN: none */
    double margin;
};

bool gang_cause_is_transfer(const struct comparison_row *row, uint64_t *peer)
{
    return text_has_prefix(row->metric, transfer_prefix) &&
           num_parse_u64(row->metric + sizeof(transfer_prefix) - 1, peer) &&
           *peer < GANG_CAUSE_RANKS_MAX;
}

static void count_ranks(struct gang *gang, struct launch_rows launch)
{
    for (size_t i = 0; i < launch.count; i++)
        if (launch.rows[i].rank >= gang->ranks &&
            launch.rows[i].rank < GANG_CAUSE_RANKS_MAX)
            gang->ranks = launch.rows[i].rank + 1;
}

static void read_ranks(struct gang *gang, struct launch_rows launch)
{
    for (size_t i = 0; i < launch.count; i++) {
        const struct comparison_row *row = &launch.rows[i];
        uint64_t peer;

        if (row->rank >= gang->ranks || !isfinite(row->shift))
            continue;
        if (strcmp(row->metric, "compute_us") == 0)
            gang->computing[row->rank] = row;
        else if (gang_cause_is_transfer(row, &peer) && peer < gang->ranks)
            gang->transfers[row->rank * gang->ranks + peer] = exp(row->shift);
    }
}

/* Sets the card of a rank. */
static void find_card(struct launch_rows launch,
                      uint64_t rank,
                      const char **serial,
                      const char **host)
{
    for (size_t i = 0; i < launch.count; i++)
        if (launch.rows[i].rank == rank) {
            *serial = launch.rows[i].placed_serial;
            *host = launch.rows[i].placed_host;
            return;
        }
}

/* Returns the rank that computes longer, while most ranks do not. */
static void find_slow_rank(const struct gang *gang, struct gang_cause *cause)
{
    uint64_t measured = 0, slower = 0;

    for (uint64_t rank = 0; rank < gang->ranks; rank++) {
        const struct comparison_row *row = gang->computing[rank];

        measured += row != NULL;
        if (!row || row->outcome != OUTCOME_REGRESSED)
            continue;
        slower++;
        if (row->shift > cause->size) {
            cause->size = row->shift;
            cause->rank = rank;
        }
    }
    if (slower > 0 && 2 * slower <= measured)
        cause->cause = CAUSE_CARD;
}

/* Transfers hide behind each other, so the link with the largest change counts. */
static void find_slow_link(const struct gang *gang, struct gang_cause *cause)
{
    size_t count;
    struct link_fault *faults =
        link_matrix_faults(gang->transfers, gang->ranks, gang->margin, &count);

    for (size_t i = 0; i < count; i++) {
        bool is_link = faults[i].kind == LINK_FAULT_LINK;

        if (faults[i].size <= cause->size)
            continue;
        *cause = (struct gang_cause){.cause = is_link ? CAUSE_LINK : CAUSE_CARD,
                                     .size = faults[i].size,
                                     .rank = faults[i].from,
                                     .peer = faults[i].to};
    }
    free(faults);
    if (cause->cause == CAUSE_LINK && cause->peer < cause->rank) {
        uint64_t rank = cause->rank;

        cause->rank = cause->peer;
        cause->peer = rank;
    }
}

struct gang_cause gang_cause_find(struct launch_rows launch, double margin)
{
    struct gang gang = {.margin = margin};
    struct gang_cause cause = {.cause = CAUSE_NONE};

    count_ranks(&gang, launch);
    if (gang.ranks >= 2) {
        gang.computing = xcalloc(gang.ranks, sizeof(*gang.computing));
        gang.transfers =
            xreallocarray(NULL, gang.ranks * gang.ranks, sizeof(*gang.transfers));
        for (uint64_t i = 0; i < gang.ranks * gang.ranks; i++)
            gang.transfers[i] = NAN;
        read_ranks(&gang, launch);
        find_slow_rank(&gang, &cause);
        if (cause.cause == CAUSE_NONE) {
            cause = (struct gang_cause){.cause = CAUSE_NONE};
            find_slow_link(&gang, &cause);
        }
        free(gang.computing);
        free(gang.transfers);
    }
    cause.serial = cause.host = cause.peer_serial = cause.peer_host = "";
    if (cause.cause != CAUSE_NONE)
        find_card(launch, cause.rank, &cause.serial, &cause.host);
    if (cause.cause == CAUSE_LINK)
        find_card(launch, cause.peer, &cause.peer_serial, &cause.peer_host);
    return cause;
}
