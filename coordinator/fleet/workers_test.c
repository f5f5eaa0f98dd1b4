#include "coordinator/fleet/workers.h"

#include "coordinator/fleet/drains.h"
#include "tests/support/coordinator_fixture.h"

static struct worker *add(struct workers *workers, uint8_t number, uint64_t card)
{
    const struct msg_worker_hello hello = fixture_hello(card);
    const struct peer peer = fixture_peer(number);

    return workers_add(workers, &peer, &hello);
}

static void a_worker_is_found_by_its_connection_and_by_its_card(void **ctx)
{
    struct workers workers = {0};
    struct worker *first = add(&workers, 1, 4), *second = add(&workers, 2, 5);
    struct peer peer = fixture_peer(2), unknown = fixture_peer(3);

    (void)ctx;
    assert_int_equal(workers.count, 2);
    assert_ptr_equal(workers_find(&workers, &peer), second);
    assert_null(workers_find(&workers, &unknown));
    assert_ptr_equal(workers_find_card(&workers, "here", 4), first);
    assert_null(workers_find_card(&workers, "here", 6));
    assert_null(workers_find_card(&workers, "there", 4));
    workers_clear(&workers);
    assert_int_equal(workers.count, 0);
    assert_null(workers.first);
}

static void a_worker_copies_the_texts_of_its_hello(void **ctx)
{
    char host[] = "here", model[] = "Ascend910B2";
    struct workers workers = {0};
    struct msg_worker_hello hello = fixture_hello(1);
    struct peer peer = fixture_peer(1);

    (void)ctx;
    hello.host = host;
    hello.model = model;
    hello.simulated = true;
    struct worker *worker = workers_add(&workers, &peer, &hello);
    host[0] = model[0] = 'x';
    assert_string_equal(worker->host, "here");
    assert_string_equal(worker->model, "Ascend910B2");
    assert_int_equal(worker->pid, hello.pid);
    assert_true(worker->simulated);
    assert_null(worker->ranks);
    workers_clear(&workers);
}

static void workers_are_listed_by_host_and_card(void **ctx)
{
    struct workers workers = {0};
    struct worker *third = add(&workers, 1, 10), *first = add(&workers, 2, 1);
    struct worker *second = add(&workers, 3, 9);
    const struct peer peer = fixture_peer(4);
    struct msg_worker_hello hello = fixture_hello(0);

    (void)ctx;
    hello.host = "there";
    struct worker *last = workers_add(&workers, &peer, &hello);
    assert_ptr_equal(first->next, second);
    assert_ptr_equal(second->next, third);
    assert_ptr_equal(third->next, last);
    workers_remove(&workers, last);
    workers_remove(&workers, second);
    assert_ptr_equal(workers.first, first);
    assert_ptr_equal(first->next, third);
    assert_null(third->next);
    workers_remove(&workers, first);
    assert_ptr_equal(workers.first, third);
    assert_int_equal(workers.count, 1);
    workers_clear(&workers);
}

/* Checks that states, counts and drains match. */
static void assert_states_are_true(const struct workers *workers,
                                   const struct drains *drains,
                                   uint64_t now_ms)
{
    bool drained = drains_find(drains, "here", DRAINS_WHOLE_HOST) != NULL;
    size_t ranks = 0;

    for (const struct worker *worker = workers->first; worker; worker = worker->next) {
        bool has = worker->rank_count > 0, rests = worker->rest_until_ms > now_ms;

        ranks += worker->rank_count;
        if (drains_find(drains, worker->host, worker->card))
            assert_int_equal(worker->state, has ? CARD_DRAINING : CARD_DRAINED);
        else if (!rests || worker->state < CARD_FULL) /* a drain ends a rest */
            assert_int_equal(worker->state, has ? CARD_LEASED : CARD_IDLE);
        else
            assert_int_equal(worker->state, has ? CARD_FULL : CARD_RESTING);
    }
    if (!workers->hosts)
        return;
    assert_null(workers->hosts->next); /* all cards are of one host */
    assert_int_equal(workers->hosts->workers, workers->count);
    assert_int_equal(workers->hosts->ranks, ranks);
    assert_int_equal(workers->hosts->state, drained
                                                ? ranks ? HOST_DRAINING : HOST_DRAINED
                                            : ranks ? HOST_BUSY
                                                    : HOST_FREE);
}

static void goes(struct workers *workers, struct worker *worker)
{
    bool is_last = workers->count == 1;

    while (worker->rank_count > 0)
        worker_remove_rank(worker);
    assert_int_equal(workers_remove(workers, worker), is_last);
}

/* Applies one random event to the card with this number, or to its host. */
static void
happen(struct workers *workers, struct drains *drains, unsigned dice, uint64_t now_ms)
{
    uint8_t number = (uint8_t)(1 + (dice >> 10) % 3);
    const struct peer peer = fixture_peer(number);
    struct worker *worker = workers_find(workers, &peer);
    int32_t card = (dice >> 13) % 4 ? (int32_t)number : DRAINS_WHOLE_HOST;
    unsigned what = (dice >> 16) % 12;
    struct err err;
    bool found;

    if (what == 0)
        assert_int_equal(drains_add(drains, "here", card, "to see", &err), 0);
    else if (what < 3)
        assert_int_equal(drains_remove(drains, "here", card, &found, &err), 0);
    else if (!worker)
        add(workers, number, number);
    else if (what < 6)
        worker_add_rank(worker);
    else if (what < 9 && worker->rank_count > 0)
        worker_remove_rank(worker);
    else if (what == 9)
        worker_start_rest(worker, now_ms + 5);
    else if (what == 10)
        goes(workers, worker);
}

static void
states_of_cards_and_hosts_match_counts_and_drains_after_random_events(void **ctx)
{
    struct fixture *fixture = *ctx;
    struct workers workers = {0};
    struct drains *drains;
    struct err err;
    unsigned dice = 1, seen[CARD_STATE_END] = {0};

    assert_int_equal(drains_open(&drains, fixture->store, &err), 0);
    for (uint64_t now_ms = 1; now_ms < 20000; now_ms++) {
        dice = dice * 1664525 + 1013904223;
        happen(&workers, drains, dice, now_ms);
        workers_update_states(&workers, drains, now_ms);
        assert_states_are_true(&workers, drains, now_ms);
        if (workers.first)
            seen[workers.first->state]++;
    }
    for (int state = 0; state < CARD_GONE; state++)
        assert_true(seen[state] > 0);
    workers_clear(&workers);
    assert_null(workers.hosts);
    drains_close(drains);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_worker_is_found_by_its_connection_and_by_its_card),
        cmocka_unit_test(a_worker_copies_the_texts_of_its_hello),
        cmocka_unit_test(workers_are_listed_by_host_and_card),
        cmocka_unit_test_setup_teardown(
            states_of_cards_and_hosts_match_counts_and_drains_after_random_events,
            fixture_set_up, fixture_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
