#include "worker/card/card_health.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/file.h"
#include "tests/support/unit.h"

static bool is_bad(struct card_health *health, const char *word)
{
    char text[160] = "";
    bool bad = card_health_has_fault(health, true, text, sizeof(text));

    if (bad && word && !strstr(text, word))
        fail_msg("%s", text);
    return bad;
}

static void an_alarm_is_a_fault_and_a_warning_is_not(void **ctx)
{
    static const struct {
        const char *state;
        bool bad;
        const char *word;
    } rows[] = {{"0", false, NULL},
                {"1", false, NULL},
                {"2", true, "an alarm"},
                {"3", true, "critical"},
                {"-1", true, "card missing"}};
    struct card_health *health = card_health_create(FAKE_DCMI, 1);
    struct card_health *other = card_health_create(FAKE_DCMI, 2);

    (void)ctx;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        setenv("FAKE_DCMI_HEALTH", rows[i].state, 1);
        assert_int_equal(is_bad(health, rows[i].word), rows[i].bad);
        assert_false(is_bad(other, NULL));
    }
    card_health_destroy(health);
    card_health_destroy(other);
    card_health_destroy(NULL);
}

static void an_answer_is_reused_for_a_while(void **ctx)
{
    struct card_health *health = card_health_create(FAKE_DCMI, 1);
    char text[160];

    (void)ctx;
    setenv("FAKE_DCMI_HEALTH", "2", 1);
    assert_true(card_health_has_fault(health, false, text, sizeof(text)));
    setenv("FAKE_DCMI_HEALTH", "0", 1);
    assert_false(card_health_has_fault(health, true, text, sizeof(text)));
    setenv("FAKE_DCMI_HEALTH", "2", 1);
    assert_false(card_health_has_fault(health, false, text, sizeof(text)));
    card_health_destroy(health);
}

static void a_card_without_an_answer_counts_as_healthy(void **ctx)
{
    struct card_health *missing = card_health_create("/nowhere/libdcmi.so", 1), *health;

    (void)ctx;
    setenv("FAKE_DCMI_HEALTH", "3", 1);
    assert_false(is_bad(missing, NULL));
    card_health_destroy(missing);
    setenv("FAKE_DCMI_FAILS", "1", 1);
    health = card_health_create(FAKE_DCMI, 1);
    assert_false(is_bad(health, NULL));
    unsetenv("FAKE_DCMI_FAILS");
    assert_true(is_bad(health, "critical"));
    card_health_destroy(health);
    setenv("FAKE_DCMI_INIT", "1", 1);
    health = card_health_create(FAKE_DCMI, 1);
    assert_false(is_bad(health, NULL));
    card_health_destroy(health);
    unsetenv("FAKE_DCMI_INIT");
}

static void near_processors_are_read_from_the_pci_bus(void **ctx)
{
    struct card_health *health = card_health_create(FAKE_DCMI, 1);
    char folder[] = "/tmp/muster-cpus-XXXXXX", path[160], cpus[64];
    struct err err;

    (void)ctx;
    assert_non_null(mkdtemp(folder));
    assert_false(card_health_near_cpus(health, folder, cpus, sizeof(cpus)));
    snprintf(path, sizeof(path), "%s/bus/pci/devices/0001:c1:03.1", folder);
    assert_int_equal(folder_create(path, &err), 0);
    strcat(path, "/local_cpulist");
    assert_int_equal(file_write(path, "0-23,48-71\n", 11, &err), 0);
    assert_true(card_health_near_cpus(health, folder, cpus, sizeof(cpus)));
    assert_string_equal(cpus, "0-23,48-71");
    card_health_destroy(health);
    assert_int_equal(folder_remove(folder, &err), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_alarm_is_a_fault_and_a_warning_is_not),
        cmocka_unit_test(an_answer_is_reused_for_a_while),
        cmocka_unit_test(a_card_without_an_answer_counts_as_healthy),
        cmocka_unit_test(near_processors_are_read_from_the_pci_bus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
