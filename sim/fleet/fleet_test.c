#include "sim/fleet/fleet.h"

#include <stdio.h>
#include <string.h>

#include "sim/fleet/soc.h"
#include "tests/support/unit.h"

#define HEAD "version: 1\nhosts:\n- {name: a, cards: 4}\n"

static char complaints[4096];

static bool read_text(struct fleet *fleet, const char *text)
{
    return fleet_read(fleet, "f.yaml", text, strlen(text), complaints,
                      sizeof(complaints));
}

/* invalid files, the start of their complaint and a text in it */
static const struct {
    const char *text, *begins, *mentions;
} wrong[] = {
    {"", "f.yaml:1:1: ", "empty"},
    {"a: [", "f.yaml:2:1: ", "expected"},
    {"version: 1\n\thosts: 2\n", "f.yaml:2:1: ", ""},
    {"- 1\n", "f.yaml:1:1: ", "mapping"},
    {"version: 1\n", "f.yaml:1:1: hosts: ", "needs"},
    {"hosts: [{name: a, cards: 1}]\n", "f.yaml:1:1: version: ", "needs"},
    {"version: 2\nhosts: [{name: a, cards: 1}]\n", "f.yaml:1:10: version: ", "'2'"},
    {"version: 1\nhosts: []\n", "f.yaml:1:1: hosts: ", "at least one host"},
    {"version: 1\nhosts: a\n", "f.yaml:2:8: hosts: ", "list"},
    {"version: 1\nhosts: [{cards: 1}]\n", "f.yaml:2:9: name: ", "needs"},
    {"version: 1\nhosts: [{name: a}]\n", "f.yaml:2:9: cards: ", "needs"},
    {"version: 1\nhosts: [{name: a, cards: 0}]\n", "f.yaml:2:26: cards: ", "4096"},
    {"version: 1\nhosts: [{name: a, cards: 4097}]\n", "f.yaml:2:26: cards: ", "4096"},
    {"version: 1\nhosts: [{name: a, cards: 1.5}]\n", "f.yaml:2:26: cards: ", "whole"},
    {"version: 1\nhosts: [{name: a, cards: -1}]\n", "f.yaml:2:26: cards: ", "whole"},
    {"version: 1\nhosts: [{name: a, cards: []}]\n", "f.yaml:2:26: cards: ", "word"},
    {"version: 1\nhosts: [{name: '', cards: 1}]\n", "f.yaml:2:16: name: ", "letters"},
    {"version: 1\nhosts: [{name: a, cards: 1}, {name: a, cards: 1}]\n",
     "f.yaml:2:30: name: ", "two hosts have the name 'a'"},
    {"version: 1\nhosts: [{name: a, cards: 1, cards: 1}]\n",
     "f.yaml:2:29: cards: ", "duplicate"},
    {"version: 1\nhosts: [{name: a, cards: 1, sok: Ascend910B1}]\n",
     "f.yaml:2:29: sok: ", "'soc'"},
    {"version: 1\nhosts: [{name: a, cards: 1, soc: H100}]\n",
     "f.yaml:2:34: soc: ", "Ascend910B1"},
    {"version: 1\nhosts: [{name: a, cards: 1, memory_mib: 0}]\n",
     "f.yaml:2:41: memory_mib: ", "whole"},
    {"version: 1\nhosts: [{name: a, cards: 1, mhz: 5}]\n", "f.yaml:2:34: mhz: ", "100"},
    {"version: 1\nhosts: [{name: a, cards: 1, ambient: hot}]\n",
     "f.yaml:2:38: ambient: ", "'hot'"},
    {"version: 1\nhosts: [{name: a, cards: 1, ambient: nan}]\n",
     "f.yaml:2:38: ambient: ", "'nan'"},
    {"version: 1\nhosts: [{name: a, cards: 1, clock: {drift_ppm: 5000}}]\n",
     "f.yaml:2:48: drift_ppm: ", "1000"},
    {"version: 1\nhosts: [{name: a, cards: 1, clock: {offset: 1}}]\n",
     "f.yaml:2:37: offset: ", "offset_us"},
    {"version: 1\nhosts: [{name: a, cards: 1, except: [{card: 1}]}]\n",
     "f.yaml:2:38: card: ", "0 to 0"},
    {"version: 1\nhosts: [{name: a, cards: 2, except: [{card: 1}, {card: 1}]}]\n",
     "f.yaml:2:49: card: ", "two exceptions"},
    {"version: 1\nhosts: [{name: a, cards: 1, except: [{soc: Ascend910B1}]}]\n",
     "f.yaml:2:38: card: ", "needs"},
    {"version: 1\nhosts: [{name: a, cards: 1, except: [{card: 0, soc: "
     "Ascend310P3}]}]\n",
     "f.yaml:2:38: soc: ", "generation"},
    {"version: 1\nhosts: [{name: a, cards: 1, except: [{card: 0, soc: "
     "Ascend910_9391}]}]\n",
     "f.yaml:2:38: soc: ", "generation"},
    {HEAD "d: 1\n", "f.yaml:4:1: d: ", "allowed keys: version"}, /* no key is similar */
    {HEAD "links: {gbs: 0}\n", "f.yaml:4:14: gbs: ", "0.001"},
    {HEAD "links: {gps: 1}\n", "f.yaml:4:9: gps: ", "'gbs'"},
    {HEAD "seed: x\n", "f.yaml:4:7: seed: ", "whole"},
    {HEAD "faults: {}\n", "f.yaml:4:9: faults: ", "list"},
    {HEAD "faults: [1]\n", "f.yaml:4:10: faults: ", "mapping"},
    {HEAD "faults: [{card: 1}]\n", "f.yaml:4:10: fault: ", "slow_card"},
    {HEAD "faults: [{fault: melt}]\n", "f.yaml:4:18: fault: ", "'melt'"},
    {HEAD "faults: [{fault: slow_card, card: 1}]\n", "f.yaml:4:10: factor: ", "needs"},
    {HEAD "faults: [{fault: slow_card, card: 1, factor: 0.5}]\n",
     "f.yaml:4:46: factor: ", "'0.5'"},
    {HEAD "faults: [{fault: slow_card, card: 4, factor: 2}]\n",
     "f.yaml:4:35: card: ", "0 to 3"},
    {HEAD "faults: [{fault: slow_card, card: 1, factor: 2, mhz: 900}]\n",
     "f.yaml:4:49: mhz: ", "no such key"},
    {HEAD "faults: [{fault: slow_card, card: 1, factor: 2, host: z}]\n",
     "f.yaml:4:55: host: ", "'z'"},
    {HEAD "faults: [{fault: stuck_kernel, launch: 1}]\n",
     "f.yaml:4:10: card: ", "or 'rank'"},
    {HEAD "faults: [{fault: stuck_kernel, card: 0, launch: 0}]\n",
     "f.yaml:4:49: launch: ", "whole"},
    {HEAD "faults: [{fault: slow_link, card: 1, to_card: 1, factor: 2}]\n",
     "f.yaml:4:10: to_card: ", "two different cards"},
    {HEAD "faults: [{fault: slow_link, card: 1, to_card: 9, factor: 2}]\n",
     "f.yaml:4:47: to_card: ", "0 to 3"},
    {HEAD "faults: [{fault: ecc_error, card: 1, bits: some}]\n",
     "f.yaml:4:44: bits: ", "'some'"},
    {HEAD "faults: [{fault: other_process}]\n", "f.yaml:4:10: card: ", "needs"},
    {HEAD "faults: [{fault: noisy_neighbour, card: 1, share: 1}]\n",
     "f.yaml:4:51: share: ", "0.95"},
    {HEAD "faults: [{fault: lost_pmu, card: 1, every: 2, when: [a]}]\n",
     "f.yaml:4:53: when: ", "mapping"},
    {"version: 1\nhosts: [{name: a, cards: 1}, {name: b, cards: 1}]\n"
     "faults: [{fault: slow_card, card: 0, factor: 2}]\n",
     "f.yaml:3:10: host: ", "several"},
};

static void an_invalid_file_is_rejected_with_line_and_key(void **ctx)
{
    struct fleet fleet;

    (void)ctx;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        bool read = read_text(&fleet, wrong[i].text);

        if (read ||
            strncmp(complaints, wrong[i].begins, strlen(wrong[i].begins)) != 0 ||
            !strstr(complaints, wrong[i].mentions))
            fail_msg("%s\ngave: %s\nnot: %s ... %s", wrong[i].text, complaints,
                     wrong[i].begins, wrong[i].mentions);
        assert_int_equal(fleet.host_count, 0);
        assert_null(fleet.hosts);
    }
}

static void one_reading_reports_all_complaints(void **ctx)
{
    struct fleet fleet;

    (void)ctx;
    assert_false(read_text(&fleet, "version: 3\n"
                                   "hosts: [{name: a, cards: x, soc: y}]\n"
                                   "speed: 1\n"
                                   "faults: [{fault: no}, {fault: throttle}]\n"));
    for (const char *const *at =
             (const char *const[]){":1:10: version", ":2:26: cards", ":2:34: soc",
                                   ":3:1: speed", ":4:18: fault", ":4:23: card",
                                   ":4:23: mhz", NULL};
         *at; at++)
        assert_non_null(strstr(complaints, *at));
}

/* Thousands of invalid faults do not overflow the buffer of the complaints. */
static void the_length_of_complaints_is_limited(void **ctx)
{
    static char text[1 << 16], little[100];
    size_t used = (size_t)sprintf(text, HEAD "faults:\n");
    struct fleet fleet;

    (void)ctx;
    while (used < sizeof(text) - 32)
        used += (size_t)sprintf(text + used, "- {fault: no_such_fault}\n");
    assert_false(fleet_read(&fleet, "f.yaml", text, used, little, sizeof(little)));
    assert_int_equal(strlen(little), sizeof(little) - 1);
    assert_false(read_text(&fleet, text));
}

/* libyaml needs minutes for half a million brackets. */
static void the_nesting_depth_is_limited(void **ctx)
{
    static char text[500000];
    struct fleet fleet;

    (void)ctx;
    memset(text, '[', sizeof(text));
    assert_false(fleet_read(&fleet, "f.yaml", text, sizeof(text), complaints,
                            sizeof(complaints)));
    assert_string_equal(complaints, "f.yaml:1:17: nested too deeply");
}

/* Each prefix of a valid file is read or rejected without a crash. */
static void a_truncated_file_does_not_crash(void **ctx)
{
    static const char text[] =
        "version: 1\nhosts:\n- name: a\n  cards: 4\n  except: [{card: 3, mhz: 900}]\n"
        "faults:\n- {fault: late_rank, rank: 1, launch: 2, seconds: 1.5,\n"
        "   kernel: 'Mat*', when: {A: b}}\n- &x {fault: slow_card, card: 1, factor: "
        "2}\n"
        "- *x\n";
    struct fleet fleet;

    (void)ctx;
    for (size_t size = 0; size < sizeof(text); size++)
        if (fleet_read(&fleet, "f", text, size, complaints, sizeof(complaints)))
            fleet_clear(&fleet);
    assert_true(read_text(&fleet, text));
    assert_int_equal(fleet.fault_count, 3);
    assert_string_equal(fleet.faults[0].kernel, "Mat*");
    assert_true(fleet.faults[0].seconds == 1.5);
    fleet_clear(&fleet);
}

/* A file with random changes is read or rejected without a crash. */
static void a_corrupted_file_does_not_crash(void **ctx)
{
    static const char good[] =
        HEAD "links: {gbs: 30}\nfaults:\n"
             "- {fault: slow_link, card: 1, to_card: 2, factor: 2, when: {A: b}}\n"
             "- {fault: ecc_error, card: 1, bits: multi, launch: 3, kernel: 'M*'}\n";
    static const char letters[] = " \n\t{}[]:,-'\"&*!|>%@`#0x9azA\xff\0";
    char text[sizeof(good) + 8];
    struct fleet fleet;
    uint64_t state = 1;

    (void)ctx;
    for (int i = 0; i < 4000; i++) {
        size_t size = sizeof(good) - 1;

        memcpy(text, good, size);
        for (int changes = 1 + i % 4; changes > 0; changes--) {
            size_t at;

            state = state * 6364136223846793005u + 1442695040888963407u;
            at = (state >> 33) % size;
            if (state >> 60 & 1)
                text[at] = letters[(state >> 50) % (sizeof(letters) - 1)];
            else
                memmove(text + at, text + at + 1, --size - at);
        }
        if (fleet_read(&fleet, "f", text, size, complaints, sizeof(complaints)))
            fleet_clear(&fleet);
        else
            assert_true(complaints[0] != '\0' &&
                        strlen(complaints) < sizeof(complaints));
    }
}

static void an_exception_inherits_from_its_host(void **ctx)
{
    struct fleet fleet;
    struct fleet_card plain, other;

    (void)ctx;
    /* the keys of a host may follow its exceptions */
    assert_true(read_text(&fleet,
                          "version: 1\nhosts:\n- name: a\n"
                          "  except: [{card: 4095, mhz: 1000}]\n"
                          "  cards: 4096\n  soc: Ascend910B4\n  ambient: 40\n"));
    plain = fleet_card_of(&fleet.hosts[0], 0);
    other = fleet_card_of(&fleet.hosts[0], 4095);
    assert_string_equal(plain.soc->name, "Ascend910B4");
    assert_ptr_equal(other.soc, plain.soc);
    assert_int_equal(plain.mhz, 0);
    assert_int_equal(other.mhz, 1000);
    assert_true(other.ambient == 40);
    fleet_clear(&fleet);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_invalid_file_is_rejected_with_line_and_key),
        cmocka_unit_test(one_reading_reports_all_complaints),
        cmocka_unit_test(the_length_of_complaints_is_limited),
        cmocka_unit_test(the_nesting_depth_is_limited),
        cmocka_unit_test(a_truncated_file_does_not_crash),
        cmocka_unit_test(a_corrupted_file_does_not_crash),
        cmocka_unit_test(an_exception_inherits_from_its_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
