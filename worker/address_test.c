#include "worker/address.h"

#include <string.h>

#include "tests/support/unit.h"

static void a_coordinator_on_this_host_is_reached_by_loopback(void **ctx)
{
    static const char *const endpoints[] = {"ipc:///tmp/x",
                                            "tcp://127.0.0.1:7000",
                                            "tcp://localhost:7000",
                                            "tcp://no port",
                                            "tcp://",
                                            "nonsense"};
    char address[64];

    (void)ctx;
    for (size_t i = 0; i < sizeof(endpoints) / sizeof(endpoints[0]); i++) {
        address_find(address, sizeof(address), endpoints[i]);
        if (strcmp(address, "::1") != 0) /* localhost may be that as well */
            assert_string_equal(address, "127.0.0.1");
    }
    address_find(address, sizeof(address), "tcp://[::1]:7000");
    assert_true(strcmp(address, "::1") == 0 || strcmp(address, "127.0.0.1") == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_coordinator_on_this_host_is_reached_by_loopback),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
