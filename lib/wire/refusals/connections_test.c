#include "lib/wire/refusals/connections.h"

#include "lib/base/mem.h"
#include "lib/wire/refusals/refusals.h"
#include "tests/support/unit.h"

/* Plays events, one letter each, and compares the counts of refusals.
 *
 *   a, b  the connection with descriptor 5 or 3000 is accepted
 *   s     a handshake succeeds           r  a key is rejected
 *   m, n  a message of 5 or 3000 is read
 *   d, e  5 or 3000 is disconnected
 *   y     a bye is read                  t  a tick */
static void play(const char *events, bool may_be_silent, uint64_t cut, uint64_t broken)
{
    struct refusals *refusals = refusals_create();
    struct connections *it = connections_create("tcp://a:1", may_be_silent, refusals);

    for (const char *c = events; *c; c++)
        switch (*c) {
        case 'a':
        case 'b':
            connections_accepted(it, *c == 'a' ? 5 : 3000);
            break;
        case 's':
            connections_succeeded(it, 0);
            break;
        case 'r':
            connections_rejected(it, 0);
            break;
        case 'm':
        case 'n':
            connections_received(it, *c == 'm' ? 5 : 3000);
            break;
        case 'd':
        case 'e':
            connections_disconnected(it, *c == 'd' ? 5 : 3000);
            break;
        case 'y':
            connections_received_bye(it);
            break;
        case 't':
            connections_tick(it);
            break;
        default:
            fail_msg("no event %c", *c);
        }
    if (refusals_count(refusals, REFUSAL_CUT_OFF) != cut ||
        refusals_count(refusals, REFUSAL_BROKEN_OFF) != broken)
        fail_msg("%s: %d cut off, %d broken off", events,
                 (int)refusals_count(refusals, REFUSAL_CUT_OFF),
                 (int)refusals_count(refusals, REFUSAL_BROKEN_OFF));
    connections_destroy(it);
    refusals_destroy(refusals);
}

static const struct {
    const char *events;
    uint64_t cut, broken;
    uint64_t cut_silent, broken_silent; /* of a socket whose peers may be silent */
} cases[] = {
    {"asmydtt", 0, 0, 0, 0},  /* a message, a bye, the end */
    {"asmdytt", 0, 0, 0, 0},  /* the bye is read after the end */
    {"asmdmytt", 0, 0, 0, 0}, /* a bye counts as a message, too */
    {"asmdmdytt", 0, 0, 0, 0},
    {"asmdmtt", 0, 1, 0, 1},       /* a message after the end is no bye */
    {"asmdtytt", 0, 0, 0, 0},      /* at latest before the second tick */
    {"asmdt", 0, 0, 0, 0},         /* a bye may still come */
    {"asmdtt", 0, 1, 0, 1},        /* no bye came */
    {"asmdttytt", 0, 1, 0, 1},     /* the bye came too late */
    {"asmdttasmdtt", 0, 2, 0, 2},  /* the descriptor is used again */
    {"asmdttasmdttt", 0, 2, 0, 2}, /* each is counted once */
    {"asmbsndedttt", 0, 2, 0, 2},
    {"asmbsndeytt", 0, 1, 0, 1},
    {"ad", 1, 0, 1, 0},      /* the end during the handshake */
    {"adad", 2, 0, 2, 0},    /* twice */
    {"asd", 1, 0, 0, 0},     /* the end before a message */
    {"asbse", 1, 0, 0, 0},   /* the other one is open */
    {"asdm", 0, 0, 0, 0},    /* its message is read after the end */
    {"asdmm", 0, 0, 0, 0},   /* two messages */
    {"asdmytt", 0, 0, 0, 0}, /* and a bye */
    {"asdmtt", 0, 1, 0, 1},  /* no bye */
    {"ard", 0, 0, 0, 0},     /* counted by curve_auth.c */
    {"ardard", 0, 0, 0, 0},
    {"ardad", 1, 0, 1, 0}, /* only the second is cut off here */
    {"rd", 0, 0, 0, 0},
    {"d", 0, 0, 0, 0}, /* never accepted */
    {"dd", 0, 0, 0, 0},
    {"add", 1, 0, 1, 0},   /* ended once */
    {"abds", 1, 0, 1, 0},  /* b is admitted */
    {"abdss", 1, 0, 0, 0}, /* a was admitted: its event came late */
    {"abdesss", 2, 0, 0, 0},
    {"abdessss", 2, 0, 0, 0},
    {"ss", 0, 0, 0, 0},
};

static void each_order_of_events_has_its_counts(void **ctx)
{
    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        play(cases[i].events, false, cases[i].cut, cases[i].broken);
        play(cases[i].events, true, cases[i].cut_silent, cases[i].broken_silent);
    }
}

static void a_connection_is_understood_from_its_first_message_to_its_end(void **ctx)
{
    static const uint32_t fds[] = {0, 1023, 1024, 5000, (1 << 24) - 1};
    struct refusals *refusals = refusals_create();
    struct connections *it = connections_create("tcp://a:1", false, refusals);

    (void)ctx;
    for (size_t i = 0; i < COUNT(fds); i++) {
        assert_false(connections_is_understood(it, fds[i]));
        connections_accepted(it, fds[i]);
        connections_succeeded(it, 0);
        assert_false(connections_is_understood(it, fds[i]));
        connections_received(it, fds[i]);
        assert_true(connections_is_understood(it, fds[i]));
    }
    for (size_t i = 0; i < COUNT(fds); i++) {
        assert_true(connections_is_understood(it, fds[i]));
        connections_disconnected(it, fds[i]);
        assert_false(connections_is_understood(it, fds[i]));
    }
    connections_destroy(it);
    connections_destroy(NULL);
    refusals_destroy(refusals);
}

static void check_limit_of_key(uint32_t key)
{
    struct refusals *refusals = refusals_create();
    struct connections *it = connections_create("tcp://a:1", false, refusals);

    for (uint32_t fd = 0; fd < CONNECTIONS_PER_KEY + 3; fd++) {
        connections_accepted(it, fd);
        connections_received(it, fd);
    }
    for (uint32_t fd = 0; fd < CONNECTIONS_PER_KEY; fd++)
        assert_true(connections_add_key(it, fd, key));
    assert_false(connections_add_key(it, CONNECTIONS_PER_KEY, key));
    assert_true(connections_add_key(it, 0, key)); /* is counted already */
    assert_true(connections_add_key(it, CONNECTIONS_PER_KEY, 0));
    assert_true(connections_add_key(it, CONNECTIONS_PER_KEY, key + 1));
    connections_disconnected(it, 3);
    assert_true(connections_add_key(it, CONNECTIONS_PER_KEY + 1, key));
    assert_false(connections_add_key(it, CONNECTIONS_PER_KEY + 2, key));
    connections_destroy(it);
    refusals_destroy(refusals);
}

static void a_key_has_a_limited_number_of_connections(void **ctx)
{
    static const uint32_t keys[] = {1, 7, 0x01010101, UINT32_MAX - 1};

    (void)ctx;
    assert_int_equal(CONNECTIONS_PER_KEY, 256); /* as in docs/admin/keys.md */
    for (size_t i = 0; i < COUNT(keys); i++)
        check_limit_of_key(keys[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_order_of_events_has_its_counts),
        cmocka_unit_test(a_connection_is_understood_from_its_first_message_to_its_end),
        cmocka_unit_test(a_key_has_a_limited_number_of_connections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
