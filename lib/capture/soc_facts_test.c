#include "lib/capture/soc_facts.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/mem.h"
#include "tests/support/unit.h"

static void each_model_has_its_clock_and_cores(void **ctx)
{
    static const struct {
        const char *soc;
        uint32_t mhz, core_count;
    } rows[] = {
        {"Ascend910B1", 1850, 24},      {"Ascend910B2", 1800, 24},
        {"Ascend910B2C", 1800, 24},     {"Ascend910B3", 1800, 20},
        {"Ascend910B4", 1650, 20},      {"Ascend910B4-1", 1650, 20},
        {"Ascend910_9391", 1850, 24},   {"Ascend910_9392", 1850, 24},
        {"Ascend910_9381", 1850, 24},   {"Ascend910_9382", 1850, 24},
        {"Ascend910_9372", 1850, 20},   {"Ascend910_9362", 1850, 20},
        {"Ascend310P1", 1060, 10},      {"Ascend310P3", 1060, 8},
        {"Ascend310P5", 800, 10},       {"Ascend310P7", 550, 10},
        {"Ascend310B1", 1224, 24},      {"Ascend310B4", 500, 24},
        {"Ascend950PR_9589", 1650, 32}, {"Ascend950PR_9599", 1800, 32},
        {"Ascend950DT_95A1", 1800, 32}, {"Ascend950PR_9579", 1650, 32},
    };
    (void)ctx;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct soc_facts facts = soc_facts_of(rows[i].soc);

        assert_int_equal(facts.mhz, rows[i].mhz);
        assert_int_equal(facts.core_count, rows[i].core_count);
    }
}

static void an_unknown_model_has_the_defaults_of_the_vendor(void **ctx)
{
    struct soc_facts facts = soc_facts_of("Ascend910B9");
    (void)ctx;
    assert_int_equal(facts.mhz, 1850);
    assert_int_equal(facts.core_count, 24);
}

static void a_pattern_gives_a_model_of_its_family(void **ctx)
{
    static const char *const rows[][2] = {
        {"*", "Ascend910B2"},
        {"Ascend910B*", "Ascend910B2"},
        {"Ascend910B4", "Ascend910B4"},
        {"Ascend910B[34]", "Ascend910B3"},
        {"Ascend910_93*", "Ascend910_9391"},
        {"Ascend310P?", "Ascend310P3"},
        {"Ascend950*", "Ascend950PR_9589"},
    };
    (void)ctx;
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_string_equal(soc_first_match(rows[i][0]), rows[i][1]);
    assert_null(soc_first_match("Ascend910B"));
    assert_null(soc_first_match("Ascend910B9"));
}

/* "Ascend910B1 B2, Ascend310P3": the short names and the full ones are the same. */
static void the_names_of_simulated_models_are_those_of_the_list(void **ctx)
{
    const char *at = soc_simulated_names(), *name;
    char family[16] = "";

    (void)ctx;
    for (size_t i = 0; (name = soc_simulated_at(i)); i++) {
        size_t length = strcspn(at, " ,");
        char full[32];

        if (strncmp(at, "Ascend", 6) == 0)
            snprintf(family, sizeof(family), "%.*s",
                     (int)(strncmp(at, "Ascend950PR", 11) == 0 ? 11 : 9), at);
        snprintf(full, sizeof(full), "%s%.*s",
                 strncmp(at, "Ascend", 6) == 0 ? "" : family, (int)length, at);
        assert_string_equal(name, full);
        at += length;
        at += strspn(at, " ,");
    }
    assert_string_equal(at, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_model_has_its_clock_and_cores),
        cmocka_unit_test(an_unknown_model_has_the_defaults_of_the_vendor),
        cmocka_unit_test(a_pattern_gives_a_model_of_its_family),
        cmocka_unit_test(the_names_of_simulated_models_are_those_of_the_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
