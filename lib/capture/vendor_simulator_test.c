#include "lib/capture/vendor_simulator.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "tests/support/unit.h"

/* Creates FOLDER/<below>/Ascend910B2/lib with the library, which has no bytes. */
static void install(const char *folder, const char *below)
{
    char *libraries = xasprintf("%s%s/Ascend910B2/lib", folder, below);
    char *library = xasprintf("%s/libruntime_camodel.so", libraries);
    struct err err;

    assert_int_equal(folder_create(libraries, &err), 0);
    assert_int_equal(file_write(library, "", 0, &err), 0);
    free(library);
    free(libraries);
}

static void the_variable_precedes_the_folder_of_the_runtime(void **ctx)
{
    char folder[] = "/tmp/muster-simulator-XXXXXX";
    struct vendor_simulator found;
    char *home, *wanted;
    struct err err;

    (void)ctx;
    assert_non_null(mkdtemp(folder));
    home = xasprintf("%s/home", folder);
    install(folder, "/own");
    install(home, "/tools/simulator");
    assert_int_equal(vendor_simulator_find(&found, "Ascend910B2", "", home, &err), 0);
    wanted = xasprintf("%s/tools/simulator/Ascend910B2/lib", home);
    assert_string_equal(found.libraries, wanted);
    free(wanted);
    wanted = xasprintf("%s/own", folder);
    assert_int_equal(vendor_simulator_find(&found, "Ascend910B2", wanted, home, &err),
                     0);
    free(wanted);
    wanted = xasprintf("%s/own/Ascend910B2/lib/libruntime_camodel.so", folder);
    assert_string_equal(found.runtime, wanted);
    free(wanted);
    free(home);
    folder_remove(folder, &err);
}

static void a_missing_simulator_is_named(void **ctx)
{
    struct vendor_simulator found;
    struct err err;

    (void)ctx;
    assert_int_equal(
        vendor_simulator_find(&found, "Ascend910B1", "/no/simulator", "/", &err), -1);
    assert_string_equal(err.text,
                        "the vendor's simulator for Ascend910B1 is not installed; set "
                        "MUSTER_SIMULATOR to its folder: /no/simulator/Ascend910B1/lib/"
                        "libruntime_camodel.so: No such file or directory");
    assert_int_equal(vendor_simulator_find(&found, "Ascend910B1", "", "", &err), -1);
    assert_string_equal(err.text,
                        "the vendor's simulator is not installed: "
                        "neither MUSTER_SIMULATOR nor ASCEND_HOME_PATH is set");
    for (size_t i = 0; i < 2; i++) {
        static const char *const chips[] = {"unknown", "Ascend910B1/../x"};

        assert_int_equal(vendor_simulator_find(&found, chips[i], "/", "/", &err), -1);
        assert_non_null(strstr(err.text, "has no chip '"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_variable_precedes_the_folder_of_the_runtime),
        cmocka_unit_test(a_missing_simulator_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
