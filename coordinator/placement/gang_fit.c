#include "coordinator/placement/gang_fit.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/job/job.h"

struct seat { /* a card that suits */
    size_t at;
    const struct gang_fit_card *card;
};

struct floor { /* the seats of one host stand together */
    const struct seat *seats;
    size_t seat_count, seat_free;
    size_t count, free; /* that the task may have: in all, and now */
    size_t wanted;      /* of them, by the choice so far */
    bool closed;        /* on another switch than the one that is tried */
};

struct plan {
    struct seat *seats;
    size_t seat_count;
    struct floor *floors; /* by name */
    size_t floor_count;
};

bool gang_fit_card_suits(const char *host,
                         const char *model,
                         const struct job_settings *settings)
{
    bool there = settings->hosts.count == 0;

    for (size_t i = 0; i < settings->hosts.count && !there; i++)
        there = text_matches(host, settings->hosts.items[i]);
    return there && text_matches(model, settings->soc);
}

static int by_host_and_card(const void *left, const void *right)
{
    const struct gang_fit_card *a = ((const struct seat *)left)->card;
    const struct gang_fit_card *b = ((const struct seat *)right)->card;
    int order = strcmp(a->host, b->host);

    return order ? order : (a->card > b->card) - (a->card < b->card);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* What it may have of a host: a cap leaves less; one that others use cannot be had for
 * oneself. */
static void limit(struct floor *floor, const struct job_settings *settings)
{
    const struct gang_fit_card *card = floor->seats[0].card;
    size_t cap = settings->host_cap > 0 ? settings->host_cap : SIZE_MAX;

    floor->count = least(floor->seat_count, cap);
    floor->free = least(floor->seat_free, cap > card->mine ? cap - card->mine : 0);
    if (settings->exclusive == JOB_EXCLUSIVE_HOST && card->busy)
        floor->free = 0;
}

static void make_plan(struct plan *plan,
                      const struct gang_fit_card *cards,
                      size_t count,
                      const struct job_settings *settings)
{
    plan->seats = xcalloc(count + 1, sizeof(*plan->seats));
    plan->floors = xcalloc(count + 1, sizeof(*plan->floors));
    plan->seat_count = plan->floor_count = 0;
    for (size_t i = 0; i < count; i++)
        if (gang_fit_card_suits(cards[i].host, cards[i].model, settings))
            plan->seats[plan->seat_count++] = (struct seat){i, &cards[i]};
    if (plan->seat_count > 0)
        qsort(plan->seats, plan->seat_count, sizeof(*plan->seats), by_host_and_card);
    for (size_t i = 0; i < plan->seat_count; i++) {
        const struct seat *seat = &plan->seats[i];

        if (i == 0 || strcmp(seat->card->host, seat[-1].card->host) != 0)
            plan->floors[plan->floor_count++] = (struct floor){.seats = seat};
        plan->floors[plan->floor_count - 1].seat_count++;
        plan->floors[plan->floor_count - 1].seat_free += seat->card->free;
    }
    for (size_t i = 0; i < plan->floor_count; i++)
        limit(&plan->floors[i], settings);
}

static void clear_plan(struct plan *plan)
{
    free(plan->seats);
    free(plan->floors);
}

static size_t room(const struct floor *floor, bool now)
{
    return floor->wanted > 0 || floor->closed ? 0 : now ? floor->free : floor->count;
}

/* The better one of two that both have room: now, the one that is filled best; later,
 * the one for which least is to be waited. */
static bool
is_better(const struct floor *a, const struct floor *b, size_t wanted, bool now)
{
    size_t missing_a = a->free < wanted ? wanted - a->free : 0;
    size_t missing_b = b->free < wanted ? wanted - b->free : 0;

    if (!now && missing_a != missing_b)
        return missing_a < missing_b;
    return room(a, now) < room(b, now);
}

/* The best one that has room for so many, or NULL. */
static struct floor *find_room(const struct plan *plan, size_t wanted, bool now)
{
    struct floor *best = NULL;

    for (size_t i = 0; i < plan->floor_count; i++) {
        struct floor *floor = &plan->floors[i];

        if (room(floor, now) >= wanted &&
            (!best || is_better(floor, best, wanted, now)))
            best = floor;
    }
    return best;
}

static struct floor *find_largest(const struct plan *plan, bool now)
{
    struct floor *best = NULL;

    for (size_t i = 0; i < plan->floor_count; i++) {
        struct floor *floor = &plan->floors[i];

        if (room(floor, now) > 0 && (!best || room(floor, now) > room(best, now)))
            best = floor;
    }
    return best;
}

/* The same number on each host. */
static bool take_even(struct plan *plan, size_t ranks, size_t each, bool now)
{
    for (; ranks > 0; ranks -= each) {
        struct floor *floor = find_room(plan, each, now);

        if (!floor)
            return false;
        floor->wanted = each;
    }
    return true;
}

/* On one host, or else on as few as can be: the largest first, and what is left over
 * where it fits best. */
static bool take_any(struct plan *plan, size_t ranks, bool now)
{
    while (ranks > 0) {
        struct floor *floor = find_room(plan, ranks, now);
        size_t taken = ranks;

        if (!floor) {
            floor = find_largest(plan, now);
            taken = floor ? room(floor, now) : 0;
        }
        if (!floor)
            return false;
        floor->wanted = taken;
        ranks -= taken;
    }
    return true;
}

static bool take_open(struct plan *plan, const struct job_settings *settings, bool now)
{
    size_t ranks = settings->ranks, each = settings->per_host;

    for (size_t i = 0; i < plan->floor_count; i++)
        plan->floors[i].wanted = 0;
    if (settings->threads || settings->together == JOB_ON_ONE_HOST ||
        (each > 0 && each > ranks))
        each = ranks;
    return each > 0 ? take_even(plan, ranks, each, now) : take_any(plan, ranks, now);
}

static bool is_beside(const struct floor *a, const struct floor *b)
{
    const char *left = a->seats[0].card->net_switch;
    const char *right = b->seats[0].card->net_switch;

    return a == b || (left && *left && right && strcmp(left, right) == 0);
}

/* Fewer hosts, then less that is left over on them or (later) is waited for. */
static size_t cost_of(const struct plan *plan, bool now)
{
    size_t hosts = 0, rest = 0;

    for (size_t i = 0; i < plan->floor_count; i++) {
        const struct floor *floor = &plan->floors[i];

        if (floor->wanted == 0)
            continue;
        hosts++;
        rest += now                           ? floor->free - floor->wanted
                : floor->free < floor->wanted ? floor->wanted - floor->free
                                              : 0;
    }
    return hosts * (plan->seat_count + 1) + rest;
}

/* Each switch by its first host, and of those that do the one that costs least. */
static bool
key_read_switch(struct plan *plan, const struct job_settings *settings, bool now)
{
    const struct floor *best = NULL;
    size_t cost = 0;

    for (size_t first = 0; first <= plan->floor_count; first++) {
        bool again = first == plan->floor_count; /* the best one once more, to keep */
        const struct floor *at = again ? best : &plan->floors[first];
        bool is_first = true;

        if (!at)
            return false;
        for (size_t i = 0; i < plan->floor_count; i++) {
            plan->floors[i].closed = !is_beside(at, &plan->floors[i]);
            is_first = is_first && (plan->floors[i].closed || &plan->floors[i] >= at);
        }
        if ((!again && !is_first) || !take_open(plan, settings, now))
            continue;
        if (!best || cost_of(plan, now) < cost) {
            cost = cost_of(plan, now);
            best = at;
        }
    }
    return best != NULL;
}

static bool
take_floors(struct plan *plan, const struct job_settings *settings, bool now)
{
    return settings->together == JOB_ON_ONE_SWITCH
               ? key_read_switch(plan, settings, now)
               : take_open(plan, settings, now);
}

/* On each host the free ones first. */
static void choose(const struct plan *plan, size_t *chosen)
{
    size_t filled = 0;

    for (size_t f = 0; f < plan->floor_count; f++) {
        const struct floor *floor = &plan->floors[f];
        size_t free_ones = least(floor->seat_free, floor->wanted);
        size_t busy_ones = floor->wanted - free_ones;

        for (size_t i = 0; i < floor->seat_count; i++) {
            size_t *left = floor->seats[i].card->free ? &free_ones : &busy_ones;

            if (*left == 0)
                continue;
            (*left)--;
            chosen[filled++] = floor->seats[i].at;
        }
    }
}

enum gang_fit gang_fit_place(const struct gang_fit_card *cards,
                             size_t count,
                             const struct job_settings *settings,
                             size_t *chosen)
{
    struct plan plan;
    enum gang_fit fit = GANG_FIT_NEVER;

    make_plan(&plan, cards, count, settings);
    if (take_floors(&plan, settings, true))
        fit = GANG_FIT_FITS;
    else if (take_floors(&plan, settings, false))
        fit = GANG_FIT_LATER;
    if (fit != GANG_FIT_NEVER)
        choose(&plan, chosen);
    clear_plan(&plan);
    return fit;
}

/* In words */

static void tell_wish(struct text *out, const struct job_settings *settings)
{
    text_printf(out, "needs %llu card%s", (unsigned long long)settings->ranks,
                settings->ranks == 1 ? "" : "s");
    if (strcmp(settings->soc, "*") != 0)
        text_printf(out, " %s", settings->soc);
    if (settings->host_cap > 0)
        text_printf(out, ", at most %llu of a host for its job",
                    (unsigned long long)settings->host_cap);
    if (settings->exclusive == JOB_EXCLUSIVE_HOST)
        text_add(out, ", with nothing else on the host");
    if (settings->ranks == 1)
        return;
    if (settings->threads || settings->together == JOB_ON_ONE_HOST ||
        settings->per_host >= settings->ranks)
        text_add(out, " of one host");
    else if (settings->per_host > 0)
        text_printf(out, ", %llu on each of %llu hosts",
                    (unsigned long long)settings->per_host,
                    (unsigned long long)(settings->ranks / settings->per_host));
    if (settings->together == JOB_ON_ONE_SWITCH)
        text_add(out, ", on hosts of one switch");
    text_add(out, ", all at once");
}

/* `a has 4, 2 free`: of those that the task may have. */
static void tell_floor(struct text *out,
                       const struct floor *floor,
                       bool first,
                       const struct job_settings *settings)
{
    const struct gang_fit_card *card = floor->seats[0].card;
    bool on_switch = settings->together == JOB_ON_ONE_SWITCH;

    text_printf(out, "%s %s", first ? "" : ",", card->host);
    if (on_switch && card->net_switch && *card->net_switch)
        text_printf(out, " (%s)", card->net_switch);
    else if (on_switch)
        text_add(out, " (of an unknown switch)");
    text_printf(out, " has %zu, %zu free", floor->count, floor->free);
    if (settings->host_cap > 0 && card->mine > 0)
        text_printf(out, " beside %zu that its job has", card->mine);
    if (settings->exclusive == JOB_EXCLUSIVE_HOST && card->busy)
        text_add(out, " as long as others run there");
}

void gang_fit_explain(struct text *out,
                      const struct gang_fit_card *cards,
                      size_t count,
                      const struct job_settings *settings)
{
    struct plan plan;
    size_t *chosen = xcalloc(settings->ranks, sizeof(*chosen));

    make_plan(&plan, cards, count, settings);
    tell_wish(out, settings);
    if (plan.seat_count == 0) {
        text_printf(out,
                    count == 0 ? "; no card is in service"
                               : "; none of the %zu cards here is such a one",
                    count);
    } else {
        text_printf(out, "; of such cards");
        for (size_t i = 0; i < plan.floor_count; i++)
            tell_floor(out, &plan.floors[i], i == 0, settings);
    }
    if (count > 0 && gang_fit_place(cards, count, settings, chosen) == GANG_FIT_NEVER)
        text_add(out, ": they will never be enough, more workers must come");
    clear_plan(&plan);
    free(chosen);
}
