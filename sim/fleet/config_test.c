#include "sim/fleet/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/fleet/soc.h"
#include "tests/support/unit.h"

static const char *faults, *cards, *soc, *fleet, *host, *attempt, *noise, *host_step;

static const char *get(const char *name)
{
    if (!strcmp(name, "NPU_SIM_FAULTS"))
        return faults;
    if (!strcmp(name, "NPU_SIM_CARDS"))
        return cards;
    if (!strcmp(name, "NPU_SIM_FLEET"))
        return fleet;
    if (!strcmp(name, "NPU_SIM_HOST"))
        return host;
    if (!strcmp(name, "ATTEMPT"))
        return attempt;
    if (!strcmp(name, "NPU_SIM_NOISE"))
        return noise;
    if (!strcmp(name, "NPU_SIM_HOST_STEP_US"))
        return host_step;
    return !strcmp(name, "NPU_SIM_SOC") ? soc : NULL;
}

static bool read_with(const char *of_cards, const char *of_soc, const char *of_faults)
{
    struct config config;
    char message[256] = "";
    bool good;

    cards = of_cards;
    soc = of_soc;
    faults = of_faults;
    good = config_read(&config, get, message, sizeof(message));
    assert_int_equal(good, message[0] == '\0');
    if (!good)
        assert_int_equal(config.cards, 0);
    config_clear(&config);
    return good;
}

static void unset_variables_have_defaults(void **ctx)
{
    struct config config;
    char message[256];

    (void)ctx;
    cards = soc = faults = NULL;
    assert_true(config_read(&config, get, message, sizeof(message)));
    assert_int_equal(config.cards, 2);
    assert_int_equal(config.seed, 1);
    assert_true(config.noise == 1.0);
    assert_int_equal(config.host_step_ns, 100000000);
    assert_int_equal(config.card[1].memory_bytes, 1u << 30);
    assert_string_equal(config.card[1].soc->name, "Ascend910B2");
    assert_int_equal(config.card[1].mhz, config.soc->mhz);
    config_clear(&config);
}

static void an_invalid_setting_leaves_no_cards(void **ctx)
{
    (void)ctx;
    assert_true(read_with("4096", "Ascend310P3", ""));
    assert_false(read_with("4097", NULL, NULL));
    assert_false(read_with("-1", NULL, NULL));
    assert_false(read_with("2x", NULL, NULL));
    assert_false(read_with("", NULL, NULL));
    assert_false(read_with(NULL, "Ascend950PR_9500", NULL));
}

static void the_times_of_the_model_have_settings(void **ctx)
{
    static const char *const bad_noise[] = {"", "-1", "101", "nan", "1x"};
    static const char *const bad_step[] = {"", "-1", "60000001", "1ms"};
    struct config config;
    char message[256] = "";

    (void)ctx;
    cards = soc = faults = NULL;
    noise = "0.5";
    host_step = "0";
    assert_true(config_read(&config, get, message, sizeof(message)));
    assert_true(config.noise == 0.5);
    assert_int_equal(config.host_step_ns, 0);
    config_clear(&config);
    for (size_t i = 0; i < sizeof(bad_noise) / sizeof(bad_noise[0]); i++) {
        noise = bad_noise[i];
        assert_false(read_with(NULL, NULL, NULL));
    }
    noise = NULL;
    for (size_t i = 0; i < sizeof(bad_step) / sizeof(bad_step[0]); i++) {
        host_step = bad_step[i];
        assert_false(read_with(NULL, NULL, NULL));
    }
    host_step = NULL;
}

static void a_list_of_faults_is_read(void **ctx)
{
    (void)ctx;
    assert_true(read_with(NULL, NULL, "slow_card=1:1.5;lose_pmu=0:7;throttle=1:900"));
    assert_true(read_with(NULL, NULL, "fail_launch=3;read_at_most=10;"));
    assert_false(read_with(NULL, NULL, "slow_card=1.5"));
    assert_false(read_with(NULL, NULL, "slow_card=1:0.5"));
    assert_false(read_with(NULL, NULL, "slow_card=4096:2"));
    assert_false(read_with(NULL, NULL, "slow_card"));
    assert_false(read_with(NULL, NULL, "melt=1:2"));
    assert_false(read_with("2", NULL, "slow_card=2:2")); /* would have no effect */
    assert_true(read_with("3", NULL, "slow_card=2:2"));
}

static void a_misspelt_variable_is_refused(void **ctx)
{
    static const char *const known[] = {"NPU_SIM_NOISE=0", "NPU_SIM_SOC=", "PATH=/bin",
                                        "NPU_SIMX=1", NULL};
    static const char *const wrong[][2] = {{"NPU_SIM_NOIZE=0", NULL},
                                           {"NPU_SIM_=1", NULL},
                                           {"NPU_SIM_CARD=1", NULL},
                                           {"NPU_SIM_CARDSX", NULL}};
    char message[256] = "";

    (void)ctx;
    assert_true(config_check_names((char *const *)known, message, sizeof(message)));
    assert_string_equal(message, "");
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_false(
            config_check_names((char *const *)wrong[i], message, sizeof(message)));
    assert_non_null(strstr(message, "NPU_SIM_CARDSX: the simulated NPU has no such"));
}

static void write_fleet(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* Reads the fleet of two hosts as host b, in attempt 2. */
static void a_host_has_the_faults_of_its_place_and_environment(void **ctx)
{
    char path[] = "/tmp/npu_sim_fleet_XXXXXX", message[1024];
    int fd = mkstemp(path);
    struct config config;

    (void)ctx;
    assert_true(fd >= 0);
    close(fd);
    write_fleet(path, "version: 1\n"
                      "seed: 9\n"
                      "hosts:\n"
                      "- {name: a, cards: 2}\n"
                      "- name: b\n"
                      "  cards: 3\n"
                      "  first_physical_id: 4\n"
                      "  except: [{card: 2, soc: Ascend910B4, memory_mib: 64}]\n"
                      "  soc: Ascend910B1\n"
                      "faults:\n"
                      "- {fault: slow_card, host: a, card: 1, factor: 3}\n"
                      "- {fault: slow_card, host: b, card: 1, factor: 2}\n"
                      "- {fault: throttle, host: b, card: 0, mhz: 900,"
                      " when: {ATTEMPT: 1}}\n"
                      "- {fault: lost_pmu, host: b, card: 0, every: 5,"
                      " when: {ATTEMPT: 2}}\n"
                      "- {fault: full_memory, host: b, card: 2, free_mib: 1}\n"
                      "- {fault: dead_rank, rank: 5, launch: 2}\n");
    fleet = path;
    host = "b";
    attempt = "2";
    cards = "7"; /* ignored when there is a fleet file */
    soc = faults = NULL;
    assert_true(config_read(&config, get, message, sizeof(message)));
    assert_int_equal(config.cards, 3);
    assert_int_equal(config.seed, 9);
    assert_string_equal(config.soc->name, "Ascend910B1");
    assert_string_equal(config.card[2].soc->name, "Ascend910B4");
    assert_int_equal(config.card[2].memory_bytes - config.card[2].taken_bytes, 1 << 20);
    assert_int_equal(config.card[1].physical, 5);
    assert_true(config.card[1].slow == 2.0 && config.card[0].slow == 1.0);
    assert_int_equal(config.card[0].throttle_mhz, 0);
    assert_int_equal(config.card[0].lose_pmu_every, 5);
    assert_int_equal(config.mishap_count, 1);
    config_clear(&config);

    host = "c";
    assert_false(config_read(&config, get, message, sizeof(message)));
    assert_non_null(strstr(message, "NPU_SIM_HOST"));
    unlink(path);
    assert_false(config_read(&config, get, message, sizeof(message)));
    assert_non_null(strstr(message, path));
    fleet = host = NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unset_variables_have_defaults),
        cmocka_unit_test(an_invalid_setting_leaves_no_cards),
        cmocka_unit_test(the_times_of_the_model_have_settings),
        cmocka_unit_test(a_list_of_faults_is_read),
        cmocka_unit_test(a_misspelt_variable_is_refused),
        cmocka_unit_test(a_host_has_the_faults_of_its_place_and_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
