/* gang_fit_test.c - every small fleet with every request, compared with an exhaustive
 * search */
#include "coordinator/placement/gang_fit.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/job/job.h"
#include "tests/support/unit.h"

enum { HOSTS = 3, CARDS = 3, PLACES = HOSTS * CARDS };

#define CARD(name, number, kind, now)                                                  \
    {                                                                                  \
        .host = name, .card = number, .model = kind, .free = now                       \
    }

static const char *const hosts[HOSTS] = {"a", "b", "c"};
/* two hosts on one switch, and one on an unknown switch */
static const char *const switches[HOSTS] = {"s", "s", ""};

/* Makes a fleet: the base-3 digits of `n` say whether a card is absent, busy or free.
 * Busy cards of host b belong to the job itself. */
static size_t make_fleet(unsigned n, struct gang_fit_card *cards)
{
    size_t count = 0, busy[HOSTS] = {0};
    unsigned rest = n;

    for (int place = 0; place < PLACES; place++, rest /= 3)
        busy[place % HOSTS] += rest % 3 == 1;
    for (int place = 0; place < PLACES; place++, n /= 3)
        if (n % 3)
            cards[count++] =
                (struct gang_fit_card){.host = hosts[place % HOSTS],
                                       .net_switch = switches[place % HOSTS],
                                       .busy = busy[place % HOSTS] > 0,
                                       .mine = place % HOSTS == 1 ? busy[1] : 0,
                                       .card = place / HOSTS,
                                       .model = "Ascend910B2",
                                       .free = n % 3 == 2};
    return count;
}

/* Returns true when the request permits this set of cards, now or later. */
static bool is_allowed(const struct gang_fit_card *cards,
                       size_t count,
                       unsigned set,
                       const struct job_settings *want,
                       bool now)
{
    size_t of_host[HOSTS] = {0}, ranks = 0, used = 0;
    bool on_one = want->threads || want->together == JOB_ON_ONE_HOST ||
                  want->per_host > want->ranks;
    uint64_t each = on_one ? want->ranks : want->per_host;

    for (size_t i = 0; i < count; i++)
        if (set & 1u << i) {
            size_t *host = &of_host[cards[i].host[0] - 'a'];

            used += (*host)++ == 0;
            ranks++;
            if (now && want->exclusive == JOB_EXCLUSIVE_HOST && cards[i].busy)
                return false;
            if (want->host_cap && *host + (now ? cards[i].mine : 0) > want->host_cap)
                return false;
        }
    for (int host = 0; host < HOSTS; host++)
        if (each && of_host[host] && of_host[host] != each)
            return false;
    if (want->together == JOB_ON_ONE_SWITCH && used > 1 && of_host[2] > 0)
        return false;
    return ranks == want->ranks;
}

/* Returns the smallest number of hosts of a permitted set; 0 when there is none. */
static unsigned fewest_hosts(const struct gang_fit_card *cards,
                             size_t count,
                             const struct job_settings *want,
                             bool free_only)
{
    unsigned fewest = 0;

    for (unsigned set = 0; set < 1u << count; set++) {
        unsigned used = 0;
        bool all_free = true;

        if ((uint64_t)__builtin_popcount(set) != want->ranks ||
            !is_allowed(cards, count, set, want, free_only))
            continue;
        for (size_t i = 0; i < count; i++)
            if (set & 1u << i) {
                used |= 1u << (cards[i].host[0] - 'a');
                all_free = all_free && cards[i].free;
            }
        if (free_only && !all_free)
            continue;
        if (!fewest || (unsigned)__builtin_popcount(used) < fewest)
            fewest = (unsigned)__builtin_popcount(used);
    }
    return fewest;
}

static void check_choice(const struct gang_fit_card *cards,
                         size_t count,
                         const struct job_settings *want,
                         const size_t *chosen,
                         bool free_only)
{
    unsigned set = 0, used = 0;

    for (size_t number = 0; number < want->ranks; number++) {
        const struct gang_fit_card *card = &cards[chosen[number]];

        assert_true(chosen[number] < count);
        assert_false(set & 1u << chosen[number]); /* no card twice */
        set |= 1u << chosen[number];
        used |= 1u << (card->host[0] - 'a');
        if (free_only)
            assert_true(card->free);
        if (number > 0) { /* ranks are sorted by host and card */
            const struct gang_fit_card *before = &cards[chosen[number - 1]];
            int order = strcmp(before->host, card->host);

            assert_true(order < 0 || (order == 0 && before->card < card->card));
        }
    }
    assert_true(is_allowed(cards, count, set, want, free_only));
    if (free_only)
        assert_int_equal(__builtin_popcount(used),
                         fewest_hosts(cards, count, want, true));
}

static void check_fleet(unsigned n, const struct job_settings *want)
{
    struct gang_fit_card cards[PLACES];
    size_t chosen[PLACES], count = make_fleet(n, cards);
    enum gang_fit fit = gang_fit_place(cards, count, want, chosen);
    enum gang_fit wanted = fewest_hosts(cards, count, want, true)    ? GANG_FIT_FITS
                           : fewest_hosts(cards, count, want, false) ? GANG_FIT_LATER
                                                                     : GANG_FIT_NEVER;

    if (fit != wanted)
        fail_msg("fleet %u ranks %d per host %d threads %d: %d, not %d", n,
                 (int)want->ranks, (int)want->per_host, want->threads, fit, wanted);
    if (fit != GANG_FIT_NEVER)
        check_choice(cards, count, want, chosen, fit == GANG_FIT_FITS);
}

static struct job_settings settings_for(uint64_t ranks, uint64_t per_host, bool threads)
{
    return (struct job_settings){
        .ranks = ranks, .per_host = per_host, .threads = threads, .soc = "*"};
}

static void every_small_fleet_and_every_request_match_the_search(void **ctx)
{
    unsigned fleets = 1, wishes = 0;

    (void)ctx;
    for (int place = 0; place < PLACES; place++)
        fleets *= 3;
    for (uint64_t ranks = 1; ranks <= 6; ranks++)
        for (uint64_t per_host = 0; per_host <= 4; per_host++)
            for (int threads = 0; threads <= 1; threads++) {
                struct job_settings want = settings_for(ranks, per_host, threads);

                if (per_host && per_host < ranks && (threads || ranks % per_host))
                    continue; /* not possible in a job file */
                wishes++;
                for (unsigned n = 0; n < fleets; n++)
                    check_fleet(n, &want);
            }
    assert_true(wishes > 30);
}

/* Tests every seventh fleet; 7 has no factor in common with 3. */
static void every_placement_limit_on_small_fleets_matches_the_search(void **ctx)
{
    unsigned fleets = 1, wishes = 0;

    (void)ctx;
    for (int place = 0; place < PLACES; place++)
        fleets *= 3;
    for (uint64_t ranks = 1; ranks <= 4; ranks++)
        for (uint64_t per_host = 0; per_host <= 2; per_host += 2)
            for (int together = JOB_ANYWHERE; together <= JOB_ON_ONE_HOST; together++)
                for (uint64_t cap = 0; cap <= 2; cap++)
                    for (int owned = JOB_EXCLUSIVE_CARD; owned <= JOB_EXCLUSIVE_HOST;
                         owned++) {
                        struct job_settings want = settings_for(ranks, per_host, false);

                        if (per_host && ranks % per_host)
                            continue; /* not possible in a job file */
                        want.together = together;
                        want.host_cap = cap;
                        want.exclusive = owned;
                        wishes++;
                        for (unsigned n = wishes % 7; n < fleets; n += 7)
                            check_fleet(n, &want);
                    }
    assert_int_equal(wishes, (4 + 2) * 3 * 3 * 2);
}

static const struct gang_fit_card two_hosts[] = {
    CARD("b", 1, "Ascend910B2", true),  CARD("b", 0, "Ascend910B2", true),
    CARD("a", 0, "Ascend910B2", true),  CARD("a", 1, "Ascend910B1", false),
    CARD("a", 2, "Ascend310P3", false), CARD("b", 2, "Ascend910B2", true),
};

static void a_gang_takes_the_host_that_it_fills_best(void **ctx)
{
    struct job_settings want = settings_for(1, 0, false);
    size_t chosen[3];

    (void)ctx;
    assert_int_equal(gang_fit_place(two_hosts, 6, &want, chosen), GANG_FIT_FITS);
    assert_int_equal(chosen[0], 2); /* the three cards of b stay together */
    want = settings_for(3, 0, false);
    assert_int_equal(gang_fit_place(two_hosts, 6, &want, chosen), GANG_FIT_FITS);
    assert_int_equal(chosen[0], 1);
    assert_int_equal(chosen[1], 0);
    assert_int_equal(chosen[2], 5);
}

static void cards_are_reserved_where_the_fewest_are_busy(void **ctx)
{
    static const struct gang_fit_card cards[] = {
        CARD("a", 0, "x", false), CARD("a", 1, "x", true), CARD("b", 0, "x", false),
        CARD("b", 1, "x", false), CARD("b", 2, "x", true), CARD("b", 3, "x", true),
    };
    struct job_settings want = settings_for(3, 3, false);
    size_t chosen[3];

    (void)ctx;
    assert_int_equal(gang_fit_place(cards, 6, &want, chosen), GANG_FIT_LATER);
    assert_int_equal(chosen[0], 2); /* a busy card and both free cards */
    assert_int_equal(chosen[1], 4);
    assert_int_equal(chosen[2], 5);
}

static void cards_of_other_models_and_hosts_are_not_taken(void **ctx)
{
    const char *names[] = {"a", NULL};
    struct job_settings want = settings_for(2, 0, false);
    size_t chosen[4];

    (void)ctx;
    want.soc = "Ascend910B2";
    want.hosts = (struct job_list){names, 1};
    assert_int_equal(gang_fit_place(two_hosts, 6, &want, chosen), GANG_FIT_NEVER);
    want.soc = "Ascend910B*";
    assert_int_equal(gang_fit_place(two_hosts, 6, &want, chosen), GANG_FIT_LATER);
    want.soc = "Ascend910B2";
    names[0] = "*";
    want.ranks = 4;
    assert_int_equal(gang_fit_place(two_hosts, 6, &want, chosen), GANG_FIT_FITS);
    want.ranks = 5;
    assert_int_equal(gang_fit_place(two_hosts, 6, &want, chosen), GANG_FIT_NEVER);
}

static void the_explanation_names_need_and_free_cards(void **ctx)
{
    struct job_settings want = settings_for(8, 4, false);
    struct text out = {0};

    (void)ctx;
    want.soc = "Ascend910B*";
    gang_fit_explain(&out, two_hosts, 6, &want);
    assert_string_equal(text_get(&out),
                        "needs 8 cards of model Ascend910B*, 4 on each of 2 hosts, all "
                        "at the same time; matching cards: a has 2 (1 free), b has 3 "
                        "(3 free); these cards can never run the task: start more "
                        "workers");
    text_reset(&out);
    want = settings_for(1, 0, false);
    want.soc = "Ascend950*";
    gang_fit_explain(&out, two_hosts, 6, &want);
    assert_non_null(strstr(text_get(&out), "none of the 6 cards in service matches"));
    text_reset(&out);
    gang_fit_explain(&out, NULL, 0, &want);
    assert_string_equal(
        text_get(&out),
        "needs 1 card of model Ascend950*; no card is in service: start "
        "workers");
    text_clear(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_small_fleet_and_every_request_match_the_search),
        cmocka_unit_test(every_placement_limit_on_small_fleets_matches_the_search),
        cmocka_unit_test(a_gang_takes_the_host_that_it_fills_best),
        cmocka_unit_test(cards_are_reserved_where_the_fewest_are_busy),
        cmocka_unit_test(cards_of_other_models_and_hosts_are_not_taken),
        cmocka_unit_test(the_explanation_names_need_and_free_cards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
