#include "coordinator/placement/gang_fit.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/job/job.h"

struct matching_card { /* a card that matches the job */
    size_t at;
    const struct gang_fit_card *card;
};

struct host_cards { /* the matching cards of one host */
    const struct matching_card *cards;
    size_t card_count, card_free;
    size_t count, free; /* cards that the task may use: in all, and now */
    size_t needed;      /* cards that the choice so far takes here */
    bool closed;        /* connected to another switch than the one that is tried */
};

struct plan {
    struct matching_card *cards;
    size_t card_count;
    struct host_cards *hosts; /* sorted by name */
    size_t host_count;
};

bool gang_fit_card_matches(const char *host,
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
    const struct gang_fit_card *a = ((const struct matching_card *)left)->card;
    const struct gang_fit_card *b = ((const struct matching_card *)right)->card;
    int order = strcmp(a->host, b->host);

    return order ? order : (a->card > b->card) - (a->card < b->card);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Applies the job's limits: at most host_cap cards of a host, and with exclusive: host
 * only hosts on which nothing else runs. */
static void limit(struct host_cards *host, const struct job_settings *settings)
{
    const struct gang_fit_card *card = host->cards[0].card;
    size_t cap = settings->host_cap > 0 ? settings->host_cap : SIZE_MAX;

    host->count = least(host->card_count, cap);
    host->free = least(host->card_free, cap > card->mine ? cap - card->mine : 0);
    if (settings->exclusive == JOB_EXCLUSIVE_HOST && card->busy)
        host->free = 0;
}

static void make_plan(struct plan *plan,
                      const struct gang_fit_card *cards,
                      size_t count,
                      const struct job_settings *settings)
{
    plan->cards = xcalloc(count + 1, sizeof(*plan->cards));
    plan->hosts = xcalloc(count + 1, sizeof(*plan->hosts));
    plan->card_count = plan->host_count = 0;
    for (size_t i = 0; i < count; i++)
        if (gang_fit_card_matches(cards[i].host, cards[i].model, settings))
            plan->cards[plan->card_count++] = (struct matching_card){i, &cards[i]};
    if (plan->card_count > 0)
        qsort(plan->cards, plan->card_count, sizeof(*plan->cards), by_host_and_card);
    for (size_t i = 0; i < plan->card_count; i++) {
        const struct matching_card *card = &plan->cards[i];

        if (i == 0 || strcmp(card->card->host, card[-1].card->host) != 0)
            plan->hosts[plan->host_count++] = (struct host_cards){.cards = card};
        plan->hosts[plan->host_count - 1].card_count++;
        plan->hosts[plan->host_count - 1].card_free += card->card->free;
    }
    for (size_t i = 0; i < plan->host_count; i++)
        limit(&plan->hosts[i], settings);
}

static void clear_plan(struct plan *plan)
{
    free(plan->cards);
    free(plan->hosts);
}

static size_t room(const struct host_cards *host, bool now)
{
    return host->needed > 0 || host->closed ? 0 : now ? host->free : host->count;
}

/* Compares two hosts that both have room for that many cards. Now: the host with fewer
 * cards left over is better. Later: the host with fewer busy cards is better. */
static bool is_better(const struct host_cards *a,
                      const struct host_cards *b,
                      size_t needed,
                      bool now)
{
    size_t missing_a = a->free < needed ? needed - a->free : 0;
    size_t missing_b = b->free < needed ? needed - b->free : 0;

    if (!now && missing_a != missing_b)
        return missing_a < missing_b;
    return room(a, now) < room(b, now);
}

/* Returns the best host with room for that many cards, or NULL. */
static struct host_cards *find_room(const struct plan *plan, size_t needed, bool now)
{
    struct host_cards *best = NULL;

    for (size_t i = 0; i < plan->host_count; i++) {
        struct host_cards *host = &plan->hosts[i];

        if (room(host, now) >= needed && (!best || is_better(host, best, needed, now)))
            best = host;
    }
    return best;
}

static struct host_cards *find_largest(const struct plan *plan, bool now)
{
    struct host_cards *best = NULL;

    for (size_t i = 0; i < plan->host_count; i++) {
        struct host_cards *host = &plan->hosts[i];

        if (room(host, now) > 0 && (!best || room(host, now) > room(best, now)))
            best = host;
    }
    return best;
}

/* Takes the same number of cards on each host. */
static bool take_even(struct plan *plan, size_t ranks, size_t each, bool now)
{
    for (; ranks > 0; ranks -= each) {
        struct host_cards *host = find_room(plan, each, now);

        if (!host)
            return false;
        host->needed = each;
    }
    return true;
}

/* Takes cards on one host when they fit there, else on as few hosts as possible: the
 * largest hosts first, and the rest on the host that it fills best. */
static bool take_any(struct plan *plan, size_t ranks, bool now)
{
    while (ranks > 0) {
        struct host_cards *host = find_room(plan, ranks, now);
        size_t taken = ranks;

        if (!host) {
            host = find_largest(plan, now);
            taken = host ? room(host, now) : 0;
        }
        if (!host)
            return false;
        host->needed = taken;
        ranks -= taken;
    }
    return true;
}

static bool take_open(struct plan *plan, const struct job_settings *settings, bool now)
{
    size_t ranks = settings->ranks, each = settings->per_host;

    for (size_t i = 0; i < plan->host_count; i++)
        plan->hosts[i].needed = 0;
    if (settings->threads || settings->together == JOB_ON_ONE_HOST ||
        (each > 0 && each > ranks))
        each = ranks;
    return each > 0 ? take_even(plan, ranks, each, now) : take_any(plan, ranks, now);
}

static bool is_beside(const struct host_cards *a, const struct host_cards *b)
{
    const char *left = a->cards[0].card->net_switch;
    const char *right = b->cards[0].card->net_switch;

    return a == b || (left && *left && right && strcmp(left, right) == 0);
}

/* Compares choices: fewer hosts first, then fewer cards that are left over (now) or are
 * still busy (later). */
static size_t cost_of(const struct plan *plan, bool now)
{
    size_t hosts = 0, rest = 0;

    for (size_t i = 0; i < plan->host_count; i++) {
        const struct host_cards *host = &plan->hosts[i];

        if (host->needed == 0)
            continue;
        hosts++;
        rest += now                         ? host->free - host->needed
                : host->free < host->needed ? host->needed - host->free
                                            : 0;
    }
    return hosts * (plan->card_count + 1) + rest;
}

/* Tries each switch once, at its first host, and takes the choice with the lowest
 * cost. */
static bool
take_on_one_switch(struct plan *plan, const struct job_settings *settings, bool now)
{
    const struct host_cards *best = NULL;
    size_t cost = 0;

    for (size_t first = 0; first <= plan->host_count; first++) {
        bool again = first == plan->host_count; /* repeats the best choice */
        const struct host_cards *at = again ? best : &plan->hosts[first];
        bool is_first = true;

        if (!at)
            return false;
        for (size_t i = 0; i < plan->host_count; i++) {
            plan->hosts[i].closed = !is_beside(at, &plan->hosts[i]);
            is_first = is_first && (plan->hosts[i].closed || &plan->hosts[i] >= at);
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

static bool take_hosts(struct plan *plan, const struct job_settings *settings, bool now)
{
    return settings->together == JOB_ON_ONE_SWITCH
               ? take_on_one_switch(plan, settings, now)
               : take_open(plan, settings, now);
}

/* Fills `chosen`: on each host the free cards first. */
static void choose(const struct plan *plan, size_t *chosen)
{
    size_t filled = 0;

    for (size_t f = 0; f < plan->host_count; f++) {
        const struct host_cards *host = &plan->hosts[f];
        size_t free_ones = least(host->card_free, host->needed);
        size_t busy_ones = host->needed - free_ones;

        for (size_t i = 0; i < host->card_count; i++) {
            size_t *left = host->cards[i].card->free ? &free_ones : &busy_ones;

            if (*left == 0)
                continue;
            (*left)--;
            chosen[filled++] = host->cards[i].at;
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
    if (take_hosts(&plan, settings, true))
        fit = GANG_FIT_FITS;
    else if (take_hosts(&plan, settings, false))
        fit = GANG_FIT_LATER;
    if (fit != GANG_FIT_NEVER)
        choose(&plan, chosen);
    clear_plan(&plan);
    return fit;
}

/* Explanations for users */

static void describe_need(struct text *out, const struct job_settings *settings)
{
    text_printf(out, "needs %llu card%s", (unsigned long long)settings->ranks,
                settings->ranks == 1 ? "" : "s");
    if (strcmp(settings->soc, "*") != 0)
        text_printf(out, " of model %s", settings->soc);
    for (size_t i = 0; i < settings->hosts.count; i++)
        text_printf(out, "%s %s", i ? " or" : " on hosts like",
                    settings->hosts.items[i]);
    if (settings->host_cap > 0)
        text_printf(out, ", at most %llu per host for this job",
                    (unsigned long long)settings->host_cap);
    if (settings->exclusive == JOB_EXCLUSIVE_HOST)
        text_add(out, " on a host without other tasks");
    if (settings->ranks == 1)
        return;
    if (settings->threads || settings->together == JOB_ON_ONE_HOST ||
        settings->per_host >= settings->ranks)
        text_add(out, " on one host");
    else if (settings->per_host > 0)
        text_printf(out, ", %llu on each of %llu hosts",
                    (unsigned long long)settings->per_host,
                    (unsigned long long)(settings->ranks / settings->per_host));
    if (settings->together == JOB_ON_ONE_SWITCH)
        text_add(out, ", on hosts of one network switch");
    text_add(out, ", all at the same time");
}

/* Writes `a has 4 (2 free)`: the cards that the task may use. */
static void describe_host(struct text *out,
                          const struct host_cards *host,
                          bool first,
                          const struct job_settings *settings)
{
    const struct gang_fit_card *card = host->cards[0].card;
    bool on_switch = settings->together == JOB_ON_ONE_SWITCH;

    text_printf(out, "%s %s", first ? "" : ",", card->host);
    if (on_switch && card->net_switch && *card->net_switch)
        text_printf(out, " on switch %s", card->net_switch);
    else if (on_switch)
        text_add(out, " on an unknown switch");
    text_printf(out, " has %zu (%zu free", host->count, host->free);
    if (settings->host_cap > 0 && card->mine > 0)
        text_printf(out, ", this job uses %zu", card->mine);
    if (settings->exclusive == JOB_EXCLUSIVE_HOST && card->busy)
        text_add(out, " while other tasks run there");
    text_add_char(out, ')');
}

void gang_fit_explain(struct text *out,
                      const struct gang_fit_card *cards,
                      size_t count,
                      const struct job_settings *settings)
{
    struct plan plan;
    size_t *chosen = xcalloc(settings->ranks, sizeof(*chosen));

    make_plan(&plan, cards, count, settings);
    describe_need(out, settings);
    if (plan.card_count == 0) {
        text_printf(out,
                    count == 0 ? "; no card is in service: start workers"
                               : "; none of the %zu cards in service matches",
                    count);
    } else {
        text_add(out, "; matching cards:");
        for (size_t i = 0; i < plan.host_count; i++)
            describe_host(out, &plan.hosts[i], i == 0, settings);
    }
    if (count > 0 && gang_fit_place(cards, count, settings, chosen) == GANG_FIT_NEVER)
        text_add(out, "; these cards can never run the task: start more workers");
    clear_plan(&plan);
    free(chosen);
}
