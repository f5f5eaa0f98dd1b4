#include "sim/card/config.h"

#include <string.h>

#include "sim/card/soc.h"
#include "tests/support/unit.h"

static const char *faults, *cards, *soc;

static const char *get(const char *name)
{
    if (!strcmp(name, "NPU_SIM_FAULTS"))
        return faults;
    if (!strcmp(name, "NPU_SIM_CARDS"))
        return cards;
    return !strcmp(name, "NPU_SIM_SOC") ? soc : NULL;
}

static bool read_with(const char *of_cards, const char *of_soc, const char *of_faults)
{
    static struct config config;
    char message[256] = "";
    bool good;

    cards = of_cards;
    soc = of_soc;
    faults = of_faults;
    good = config_read(&config, get, message, sizeof(message));
    assert_int_equal(good, message[0] == '\0');
    if (!good)
        assert_int_equal(config.cards, 0);
    return good;
}

static void what_is_not_set_has_a_standard(void **ctx)
{
    struct config config;
    char message[256];

    (void)ctx;
    cards = soc = faults = NULL;
    assert_true(config_read(&config, get, message, sizeof(message)));
    assert_int_equal(config.cards, 2);
    assert_int_equal(config.seed, 1);
    assert_int_equal(config.memory_bytes, 1u << 30);
    assert_string_equal(config.soc->name, "Ascend910B2");
}

static void a_setting_that_cannot_be_read_leaves_no_cards(void **ctx)
{
    (void)ctx;
    assert_true(read_with("64", "Ascend310P3", ""));
    assert_false(read_with("65", NULL, NULL));
    assert_false(read_with("-1", NULL, NULL));
    assert_false(read_with("2x", NULL, NULL));
    assert_false(read_with("", NULL, NULL));
    assert_false(read_with(NULL, "Ascend950PR_9599", NULL));
}

static void faults_are_read_one_by_one(void **ctx)
{
    (void)ctx;
    assert_true(read_with(NULL, NULL, "slow_card=1:1.5;lose_pmu=0:7;throttle=1:900"));
    assert_true(read_with(NULL, NULL, "fail_launch=3;read_at_most=10;"));
    assert_false(read_with(NULL, NULL, "slow_card=1.5"));
    assert_false(read_with(NULL, NULL, "slow_card=1:0.5"));
    assert_false(read_with(NULL, NULL, "slow_card=64:2"));
    assert_false(read_with(NULL, NULL, "slow_card"));
    assert_false(read_with(NULL, NULL, "melt=1:2"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_set_has_a_standard),
        cmocka_unit_test(a_setting_that_cannot_be_read_leaves_no_cards),
        cmocka_unit_test(faults_are_read_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
