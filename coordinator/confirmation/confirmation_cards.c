#include "coordinator/confirmation/confirmation_cards.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/confirmation/confirmation_rotation.h"
#include "coordinator/fleet/fleet.h"
#include "lib/base/mem.h"
#include "lib/base/stats.h"
#include "lib/base/text.h"
#include "lib/compare/metric_direction.h"
#include "lib/store/store.h"
#include "lib/store/store_confirmation.h"

/* A card on which the job measured the suspect, with its values. */
struct seen_card {
    char *host, *serial;
    int32_t card;
    uint64_t point;
    uint32_t repeat; /* of one of the values */
    double *values;
    size_t count;
};

struct search {
    struct suspect *suspect;
    uint64_t point; /* whose figures are read */
    struct seen_card *seen;
    size_t count;
    /* places of the ranks of the chosen run */
    uint32_t repeat;
    char **places;
    uint64_t ranks;
};

static int
add_figure(const struct store_point_figure *figure, void *arg, struct err *err)
{
    struct search *search = arg;
    struct seen_card *seen = search->seen;
    size_t i = 0;

    (void)err;
    if (figure->rank != search->suspect->rank)
        return 0;
    while (i < search->count &&
           (seen[i].card != figure->card || strcmp(seen[i].host, figure->host) != 0))
        i++;
    if (i == search->count) {
        search->seen = seen = xreallocarray(seen, ++search->count, sizeof(*seen));
        seen[i] = (struct seen_card){.host = xstrdup(figure->host),
                                     .serial = xstrdup(figure->serial),
                                     .card = figure->card,
                                     .point = search->point,
                                     .repeat = figure->repeat};
    }
    seen[i].values =
        xreallocarray(seen[i].values, seen[i].count + 1, sizeof(*seen[i].values));
    seen[i].values[seen[i].count++] = figure->value;
    return 0;
}

static void clear_search(struct search *search)
{
    for (size_t i = 0; i < search->count; i++) {
        free(search->seen[i].host);
        free(search->seen[i].serial);
        free(search->seen[i].values);
    }
    for (uint64_t i = 0; search->places && i < search->ranks; i++)
        free(search->places[i]);
    free(search->places);
    free(search->seen);
}

/* Returns the card that the suspect names, else the worst one, or NULL. */
static const struct seen_card *choose_seen(const struct search *search)
{
    const struct suspect *suspect = search->suspect;
    const struct seen_card *worst = NULL;
    double sign = metric_more_is_better(suspect->metric) ? -1 : 1, most = 0;

    for (size_t i = 0; i < search->count; i++) {
        const struct seen_card *seen = &search->seen[i];
        double median = sign * stats_median(seen->values, seen->count);

        if (*suspect->card
                ? suspect_card_is(suspect->card, seen->host, seen->card, seen->serial)
                : !worst || median > most) {
            worst = seen;
            most = median;
        }
    }
    return worst;
}

static int keep_place(const struct store_rank *rank, void *arg, struct err *err)
{
    struct search *search = arg;

    (void)err;
    if (rank->point != search->point || rank->repeat != search->repeat ||
        rank->rank >= search->ranks)
        return 0;
    free(search->places[rank->rank]);
    search->places[rank->rank] = xasprintf("%s:%d", rank->host, rank->card);
    return 0;
}

/* Returns the worker that serves the card now: it may have moved to another slot. */
static const struct worker *find_worker(const struct fleet *fleet,
                                        const struct seen_card *seen)
{
    for (const struct worker *worker = fleet->workers.first; worker;
         worker = worker->next)
        if (*seen->serial
                ? strcmp(worker->serial, seen->serial) == 0
                : worker->card == seen->card && strcmp(worker->host, seen->host) == 0)
            return worker;
    return NULL;
}

static char *place_of(const struct worker *worker)
{
    return xasprintf("%s:%d", worker->host, worker->card);
}

static bool is_taken(const struct search *search, const struct worker *worker)
{
    char *place = place_of(worker);
    bool found = false;

    for (uint64_t i = 0; i < search->ranks; i++)
        found |= strcmp(search->places[i], place) == 0;
    free(place);
    return found;
}

static bool can_replace(const struct worker *worker, const struct worker *suspect)
{
    return !card_is_drained(worker->state) &&
           strcmp(worker->model, suspect->model) == 0;
}

static char *join(char *const *places, uint64_t ranks)
{
    struct text text = {0};

    for (uint64_t i = 0; i < ranks; i++)
        text_printf(&text, "%s%s", i ? " " : "", places[i]);
    return text_take(&text);
}

/* The ranks of the suspect, with another card of the host in place of the suspect card.
 */
static char *find_neighbour(const struct search *search,
                            const struct fleet *fleet,
                            const struct worker *suspect)
{
    const struct worker *best = NULL;

    for (const struct worker *worker = fleet->workers.first; worker;
         worker = worker->next)
        if (can_replace(worker, suspect) && strcmp(worker->host, suspect->host) == 0 &&
            !is_taken(search, worker) && (!best || worker->card < best->card))
            best = worker;
    if (!best)
        return NULL;
    char *kept = search->places[search->suspect->rank], *place = place_of(best);
    search->places[search->suspect->rank] = place;
    char *neighbour = join(search->places, search->ranks);
    search->places[search->suspect->rank] = kept;
    free(place);
    return neighbour;
}

static bool has_rank_on(const struct search *search, const char *host)
{
    size_t length = strlen(host);

    for (uint64_t i = 0; i < search->ranks; i++)
        if (strncmp(search->places[i], host, length) == 0 &&
            search->places[i][length] == ':' &&
            !strchr(search->places[i] + length + 1, ':'))
            return true;
    return false;
}

/* Returns the next card of the host above number `after`, or NULL. */
static const struct worker *next_card(const struct fleet *fleet,
                                      const char *host,
                                      const struct worker *suspect,
                                      int32_t after)
{
    const struct worker *best = NULL;

    for (const struct worker *worker = fleet->workers.first; worker;
         worker = worker->next)
        if (can_replace(worker, suspect) && strcmp(worker->host, host) == 0 &&
            worker->card > after && (!best || worker->card < best->card))
            best = worker;
    return best;
}

/* All ranks on one host that has none of them now. */
static char *find_other_host(const struct search *search,
                             const struct fleet *fleet,
                             const struct worker *suspect)
{
    for (const struct fleet_host *host = fleet->workers.hosts; host;
         host = host->next) {
        struct text text = {0};
        uint64_t count = 0;

        if (has_rank_on(search, host->name))
            continue;
        for (const struct worker *worker = next_card(fleet, host->name, suspect, -1);
             worker && count < search->ranks;
             worker = next_card(fleet, host->name, suspect, worker->card))
            text_printf(&text, "%s%s:%d", count++ ? " " : "", worker->host,
                        worker->card);
        if (count == search->ranks)
            return text_take(&text);
        text_clear(&text);
    }
    return NULL;
}

/* Fills the places of the run that measured the card. */
static int find_places_of_run(struct search *search,
                              struct store *store,
                              uint64_t job_id,
                              const struct seen_card *seen,
                              const struct worker *worker,
                              struct err *err)
{
    search->places = xcalloc(search->ranks, sizeof(char *));
    search->point = seen->point;
    search->repeat = seen->repeat;
    if (search->ranks > 1 &&
        store_each_rank(store, job_id, keep_place, search, err) < 0)
        return -1;
    free(search->places[search->suspect->rank]);
    search->places[search->suspect->rank] = place_of(worker);
    return 0;
}

static bool places_are_complete(const struct search *search)
{
    for (uint64_t i = 0; i < search->ranks; i++)
        if (!search->places[i])
            return false;
    return true;
}

static int choose_places(struct search *search,
                         struct store *store,
                         const struct fleet *fleet,
                         uint64_t job_id,
                         uint64_t cards,
                         struct err *err)
{
    struct suspect *suspect = search->suspect;
    const struct seen_card *seen = choose_seen(search);
    const struct worker *worker = seen ? find_worker(fleet, seen) : NULL;

    if (!seen || search->ranks <= suspect->rank) {
        snprintf(suspect->reason, sizeof(suspect->reason),
                 "the job has no such figure at this point on this card");
        return 0;
    }
    if (*seen->serial)
        snprintf(suspect->found_card, sizeof(suspect->found_card), "%s", seen->serial);
    else
        snprintf(suspect->found_card, sizeof(suspect->found_card), "%s:%d", seen->host,
                 seen->card);
    if (!worker || card_is_drained(worker->state)) {
        snprintf(suspect->reason, sizeof(suspect->reason),
                 "the card %.64s is not in service", suspect->found_card);
        return 0;
    }
    suspect->fresh_point = seen->point;
    if (find_places_of_run(search, store, job_id, seen, worker, err) < 0)
        return -1;
    if (!places_are_complete(search)) {
        snprintf(suspect->reason, sizeof(suspect->reason),
                 "the store does not have the cards of all ranks");
        return 0;
    }
    suspect->places[AB_SUSPECT] = join(search->places, search->ranks);
    suspect->places[AB_NEIGHBOUR] =
        cards > 1 ? find_neighbour(search, fleet, worker) : NULL;
    suspect->places[AB_OTHER] =
        cards > 2 ? find_other_host(search, fleet, worker) : NULL;
    if (cards > 1 && !suspect->places[AB_NEIGHBOUR])
        confirmation_rotation_fill(suspect, search->places, search->ranks);
    return 0;
}

int confirmation_cards_find(struct suspect *suspect,
                            struct store *store,
                            const struct fleet *fleet,
                            uint64_t job_id,
                            uint64_t ranks,
                            uint64_t cards,
                            struct err *err)
{
    struct search search = {.suspect = suspect, .ranks = ranks};
    struct suspect_points points;
    int result = suspect_points_find(&points, store, job_id, suspect->point, err);

    for (size_t i = 0; result == 0 && i < points.count; i++) {
        search.point = points.numbers[i];
        result = store_each_point_figure(store, job_id, search.point, suspect->kernel,
                                         suspect->metric, add_figure, &search, err);
    }
    if (result == 0)
        result = choose_places(&search, store, fleet, job_id, cards, err);
    suspect_points_clear(&points);
    clear_search(&search);
    return result;
}
