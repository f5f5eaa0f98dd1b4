#include "worker/process/environment.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/capture/vendor_simulator.h"
#include "lib/wire/messages.h"
#include "tests/support/unit.h"

static void relative_paths_start_at_the_workers_folder(void **ctx)
{
    char here[PATH_MAX], fleet[PATH_MAX + 32];
    (void)ctx;
    assert_non_null(getcwd(here, sizeof(here)));
    snprintf(fleet, sizeof(fleet), "%s/fleets/two hosts.yaml", here);
    setenv("NPU_SIM_FLEET", "fleets/two hosts.yaml", 1);
    setenv("NPU_SIM_DEV_DIR", "/dev/other", 1);
    setenv("ASCEND_HOME_PATH", "", 1);
    unsetenv("MUSTER_PARTS");
    setenv("NPU_SIM_SOC", "Ascend910B2", 1);
    environment_make_paths_absolute();
    assert_string_equal(getenv("NPU_SIM_FLEET"), fleet);
    assert_string_equal(getenv("NPU_SIM_DEV_DIR"), "/dev/other");
    assert_string_equal(getenv("ASCEND_HOME_PATH"), "");
    assert_null(getenv("MUSTER_PARTS"));
    assert_string_equal(getenv("NPU_SIM_SOC"), "Ascend910B2");
    environment_make_paths_absolute();
    assert_string_equal(getenv("NPU_SIM_FLEET"), fleet);
}

/* Returns the value of a variable, or NULL. */
static const char *value_of(const struct environment *environment, const char *key)
{
    size_t length = strlen(key);

    for (const char *const *line = environment_get(environment); *line; line++)
        if (strncmp(*line, key, length) == 0 && (*line)[length] == '=')
            return *line + length + 1;
    return NULL;
}

static void a_traced_operator_gets_the_variables_of_xpti(void **ctx)
{
    static char own[] = "XPTI_SUBSCRIBERS=libtheirs.so";
    static const char *const env[] = {own};
    struct msg_lease lease = {
        .tool = "xpti", .streams = "sycl\nur.*", .filter = "Vec*"};
    struct environment *environment;

    (void)ctx;
    unsetenv("XPTI_FRAMEWORK_DISPATCHER");
    environment = environment_create(&lease, "/parts", "MUSTER_INJECT_FD=7:8", NULL,
                                     NULL, "/tmp", NULL, 0, false, NULL);
    assert_string_equal(value_of(environment, "XPTI_FRAMEWORK_DISPATCHER"),
                        "/parts/libmuster_xpti_dispatcher.so");
    assert_string_equal(value_of(environment, "XPTI_SUBSCRIBERS"),
                        "/parts/libmuster_xpti.so");
    assert_string_equal(value_of(environment, "XPTI_TRACE_ENABLE"), "1");
    assert_string_equal(value_of(environment, "UR_ENABLE_LAYERS"), "UR_LAYER_TRACING");
    assert_string_equal(value_of(environment, "MUSTER_XPTI_STREAMS"), "sycl\nur.*");
    assert_string_equal(value_of(environment, "MUSTER_XPTI_FILTER"), "Vec*");
    assert_string_equal(value_of(environment, "MUSTER_INJECT_FD"), "7:8");
    assert_null(value_of(environment, "LD_PRELOAD"));
    environment_destroy(environment);
    lease.env.items = (const char **)env;
    lease.env.count = 1;
    environment = environment_create(&lease, "/parts", "A=1", NULL, NULL, "/tmp", NULL,
                                     0, false, NULL);
    assert_string_equal(value_of(environment, "XPTI_SUBSCRIBERS"),
                        "libtheirs.so,/parts/libmuster_xpti.so");
    environment_destroy(environment);
    lease.tool = "npu";
    environment = environment_create(&lease, "/parts", "A=1", NULL, NULL, "/tmp", NULL,
                                     0, false, NULL);
    assert_null(value_of(environment, "XPTI_FRAMEWORK_DISPATCHER"));
    environment_destroy(environment);
}

static void a_missing_library_is_reported_before_the_start(void **ctx)
{
    static const struct {
        const char *env, *error;
    } rows[] = {
        {"XPTI_SUBSCRIBERS=libx.so,/absent/s.so",
         "XPTI_SUBSCRIBERS names /absent/s.so"},
        {"XPTI_FRAMEWORK_DISPATCHER=/absent/d.so",
         "XPTI_FRAMEWORK_DISPATCHER names /absent/d.so"},
        {"XPTI_FRAMEWORK_DISPATCHER=libxptifw.so", NULL}, /* the linker searches it */
    };
    char folder[] = "/tmp/muster-environment-XXXXXX", path[64];
    struct msg_lease lease = {.tool = "xpti"};
    struct err err;

    (void)ctx;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(environment_check_trace(&lease, folder, &err), -1);
    assert_non_null(strstr(err.text, "/libmuster_xpti.so"));
    assert_int_equal(environment_check_trace(&lease, "/tmp/a,b", &err), -1);
    assert_non_null(strstr(err.text, "the folder /tmp/a,b has one"));
    snprintf(path, sizeof(path), "%s/libmuster_xpti.so", folder);
    fclose(fopen(path, "w"));
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *env = rows[i].env;

        lease.env.items = &env;
        lease.env.count = 1;
        assert_int_equal(environment_check_trace(&lease, folder, &err),
                         rows[i].error ? -1 : 0);
        if (rows[i].error)
            assert_non_null(strstr(err.text, rows[i].error));
    }
    unlink(path);
    rmdir(folder);
}

static void
an_operator_in_the_simulator_gets_the_variables_of_the_vendors_tool(void **ctx)
{
    static char home[] = "ASCEND_HOME_PATH=/cann";
    static const char *const env[] = {home};
    static const struct vendor_simulator simulator = {
        .libraries = "/vendor/Ascend910B2/lib",
        .runtime = "/vendor/Ascend910B2/lib/libruntime_camodel.so"};
    const struct environment_simulation simulation = {&simulator, "Ascend910B2",
                                                      "/spool/work/simulation"};
    struct msg_lease lease = {.tool = "simulator"};

    (void)ctx;
    setenv("ASCEND_HOME_PATH", "", 1);
    unsetenv("LD_LIBRARY_PATH");
    for (int with_home = 0; with_home < 2; with_home++) {
        struct environment *environment;

        lease.env.items = (const char **)env;
        lease.env.count = (size_t)with_home;
        environment = environment_create(&lease, "/parts", "A=1", NULL, NULL, "/tmp",
                                         NULL, 0, true, &simulation);
        assert_string_equal(value_of(environment, "LD_PRELOAD"), simulator.runtime);
        assert_string_equal(value_of(environment, "LD_LIBRARY_PATH"),
                            with_home ? "/vendor/Ascend910B2/lib:/cann/lib64"
                                      : "/vendor/Ascend910B2/lib:/parts/sim/lib64");
        assert_string_equal(value_of(environment, "IS_SIMULATOR_ENV"), "true");
        assert_string_equal(value_of(environment, "GE_INIT_DISABLE"), "1");
        assert_string_equal(value_of(environment, "CAMODEL_SOC_VERSION"),
                            "Ascend910B2");
        assert_string_equal(value_of(environment, "CAMODEL_LOG_PATH"),
                            "/spool/work/simulation");
        assert_null(value_of(environment, "A"));
        environment_destroy(environment);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(relative_paths_start_at_the_workers_folder),
        cmocka_unit_test(a_traced_operator_gets_the_variables_of_xpti),
        cmocka_unit_test(
            an_operator_in_the_simulator_gets_the_variables_of_the_vendors_tool),
        cmocka_unit_test(a_missing_library_is_reported_before_the_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
