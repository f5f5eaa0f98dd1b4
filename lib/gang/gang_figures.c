#include "lib/gang/gang_figures.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"
#include "lib/job/job.h"

struct gang_figures {
    struct job *job;
    struct arena *arena;
    struct map *texts; /* each text once, so that equal texts are equal pointers */
    struct gang_rank *ranks;
    size_t rank_count, rank_room;
    struct gang_replay *replays;
    size_t replay_count, replay_room;
};

static const char transfer_prefix[] = "transfer_us_rank_";

struct gang_figures *gang_figures_create(const char *yaml)
{
    struct problems problems = {0};
    struct job *job = NULL;
    struct gang_figures *figures;
    bool good = job_parse(&job, yaml, strlen(yaml), &problems) == 0;

    problems_clear(&problems);
    if (!good || job_settings(job)->ranks == 1) {
        job_destroy(job);
        return NULL;
    }
    figures = xcalloc(1, sizeof(*figures));
    figures->job = job;
    figures->arena = arena_create(65536);
    figures->texts = map_create();
    return figures;
}

void gang_figures_destroy(struct gang_figures *figures)
{
    if (!figures)
        return;
    job_destroy(figures->job);
    arena_destroy(figures->arena);
    map_destroy(figures->texts);
    free(figures->ranks);
    free(figures->replays);
    free(figures);
}

static const char *keep(struct gang_figures *figures, const char *text)
{
    char *kept = map_get(figures->texts, text);

    if (!kept) {
        kept = arena_strdup(figures->arena, text);
        map_put(figures->texts, text, kept);
    }
    return kept;
}

static const char *name_of_card(struct gang_figures *figures,
                                const struct gang_figure *figure)
{
    char *name;

    if (*figure->serial)
        return keep(figures, figure->serial);
    name = xasprintf("%s:%" PRId64, figure->host, figure->card);
    const char *kept = keep(figures, name);
    free(name);
    return kept;
}

/* Returns the entry of this rank. The figures of a rank follow each other. */
static struct gang_rank *entry_of(struct gang_figures *figures,
                                  const struct gang_figure *figure)
{
    struct gang_rank *last =
        figures->rank_count ? &figures->ranks[figures->rank_count - 1] : NULL;

    if (last && last->point == figure->point && last->repeat == figure->repeat &&
        last->launch == figure->launch && last->rank == figure->rank &&
        strcmp(last->kernel, figure->kernel) == 0)
        return last;
    if (!figures->ranks || figures->rank_count == figures->rank_room) {
        figures->rank_room = figures->rank_room ? 2 * figures->rank_room : 64;
        figures->ranks =
            xreallocarray(figures->ranks, figures->rank_room, sizeof(*figures->ranks));
    }
    last = &figures->ranks[figures->rank_count++];
    *last = (struct gang_rank){.point = figure->point,
                               .repeat = figure->repeat,
                               .launch = figure->launch,
                               .kernel = keep(figures, figure->kernel),
                               .rank = figure->rank,
                               .card = name_of_card(figures, figure),
                               .host = keep(figures, figure->host),
                               .duration_us = NAN,
                               .compute_us = NAN,
                               .tick_us = figure->tick_ns / 1000,
                               .simulated = figure->simulated};
    return last;
}

static void add_transfer(struct gang_figures *figures,
                         const struct gang_figure *figure,
                         uint64_t peer)
{
    uint64_t ranks = job_settings(figures->job)->ranks;
    struct gang_rank *rank;
    double *transfers;

    if (peer >= ranks)
        return;
    rank = entry_of(figures, figure);
    if (!rank->transfer_us) {
        transfers = arena_calloc(figures->arena, ranks, sizeof(*transfers));
        for (uint64_t i = 0; i < ranks; i++)
            transfers[i] = NAN;
        rank->transfer_us = transfers;
        rank->transfer_count = ranks;
    }
    ((double *)rank->transfer_us)[peer] = figure->value;
}

void gang_figures_add(struct gang_figures *figures, const struct gang_figure *figure)
{
    uint64_t peer;

    if (strcmp(figure->metric, "duration_us") == 0)
        entry_of(figures, figure)->duration_us = figure->value;
    else if (strcmp(figure->metric, "compute_us") == 0)
        entry_of(figures, figure)->compute_us = figure->value;
    else if (strcmp(figure->metric, "range_segment") == 0)
        entry_of(figures, figure)->is_range = true;
    else if (text_has_prefix(figure->metric, transfer_prefix) &&
             num_parse_u64(figure->metric + sizeof(transfer_prefix) - 1, &peer))
        add_transfer(figures, figure, peer);
}

void gang_figures_add_replay(struct gang_figures *figures,
                             const struct gang_replay *replay)
{
    if (!isfinite(replay->duration_us))
        return;
    if (figures->replay_count == figures->replay_room) {
        figures->replay_room = figures->replay_room ? 2 * figures->replay_room : 256;
        figures->replays = xreallocarray(figures->replays, figures->replay_room,
                                         sizeof(*figures->replays));
    }
    figures->replays[figures->replay_count] = *replay;
    figures->replays[figures->replay_count++].kernel = keep(figures, replay->kernel);
}

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* Compares the places of two launches. */
static int compare_places(const struct gang_rank *a, const struct gang_rank *b)
{
    int order = compare(a->point, b->point);

    order = order ? order : compare(a->repeat, b->repeat);
    order = order ? order : compare(a->launch, b->launch);
    return order ? order : strcmp(a->kernel, b->kernel);
}

static int compare_ranks(const void *left, const void *right)
{
    const struct gang_rank *a = left, *b = right;
    int order = compare_places(a, b);

    return order ? order : compare(a->rank, b->rank);
}

static struct gang_rank place_of(const struct gang_replay *replay)
{
    return (struct gang_rank){.point = replay->point,
                              .repeat = replay->repeat,
                              .launch = replay->launch,
                              .kernel = replay->kernel,
                              .rank = replay->rank};
}

static int compare_replays(const void *left, const void *right)
{
    const struct gang_replay *a = left, *b = right;
    const struct gang_rank first = place_of(a), second = place_of(b);
    int order = compare_ranks(&first, &second);

    return order ? order : compare(a->number, b->number);
}

void gang_figures_finish(struct gang_figures *figures)
{
    size_t at = 0;

    if (figures->rank_count)
        qsort(figures->ranks, figures->rank_count, sizeof(*figures->ranks),
              compare_ranks);
    if (figures->replay_count)
        qsort(figures->replays, figures->replay_count, sizeof(*figures->replays),
              compare_replays);
    for (size_t i = 0; i < figures->rank_count; i++) {
        struct gang_rank *rank = &figures->ranks[i];

        for (; at < figures->replay_count; at++) {
            const struct gang_rank place = place_of(&figures->replays[at]);
            int order = compare_ranks(&place, rank);

            if (order > 0)
                break;
            if (order < 0)
                continue;
            if (rank->replay_count++ == 0)
                rank->replays = &figures->replays[at];
        }
    }
}

const struct job *gang_figures_job(const struct gang_figures *figures)
{
    return figures->job;
}

const struct gang_rank *gang_figures_ranks(const struct gang_figures *figures,
                                           size_t *count)
{
    *count = figures->rank_count;
    return figures->ranks;
}

size_t gang_figures_find_point(const struct gang_figures *figures, uint64_t point)
{
    size_t low = 0, high = figures->rank_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (figures->ranks[middle].point < point)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool gang_figures_next_launch(const struct gang_figures *figures,
                              size_t *at,
                              struct gang_launch *launch)
{
    const struct gang_rank *first = figures->ranks + *at;
    size_t left = figures->rank_count - *at;

    *launch = (struct gang_launch){.ranks = first};
    if (left == 0)
        return false;
    while (launch->count < left && compare_places(first, first + launch->count) == 0)
        launch->count++;
    *at += launch->count;
    launch->is_whole = launch->count == job_point_ranks(figures->job, first->point);
    for (size_t i = 0; i < launch->count; i++)
        launch->is_whole &= first[i].rank == i && isfinite(first[i].duration_us);
    return true;
}
