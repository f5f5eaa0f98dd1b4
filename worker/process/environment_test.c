#include "worker/process/environment.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(relative_paths_start_at_the_workers_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
