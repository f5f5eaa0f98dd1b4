#include "worker/host/host_address.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
        host_address_find(address, sizeof(address), endpoints[i]);
        if (strcmp(address, "::1") != 0) /* localhost can be an IPv6 address */
            assert_string_equal(address, "127.0.0.1");
    }
    host_address_find(address, sizeof(address), "tcp://[::1]:7000");
    assert_true(strcmp(address, "::1") == 0 || strcmp(address, "127.0.0.1") == 0);
}

static void the_address_of_a_card_is_read_from_its_line(void **ctx)
{
    char path[] = "/tmp/muster-address-XXXXXX", address[16];
    int file = mkstemp(path);
    static const char text[] = "address_0=192.168.1.8\nnetmask_0=255.255.255.0\n"
                               "address_1=192.168.1.9  \r\naddress_10=10.0.0.1\n"
                               "address_2=a-name-that-is-far-too-long-for-the-room\n";

    (void)ctx;
    assert_int_equal(write(file, text, sizeof(text) - 1), sizeof(text) - 1);
    close(file);
    host_address_of_card(address, sizeof(address), path, 0);
    assert_string_equal(address, "192.168.1.8");
    host_address_of_card(address, sizeof(address), path, 1);
    assert_string_equal(address, "192.168.1.9");
    for (uint64_t card = 2; card < 4; card++) {
        host_address_of_card(address, sizeof(address), path, card);
        assert_string_equal(address, "");
    }
    unlink(path);
    host_address_of_card(address, sizeof(address), path, 0);
    assert_string_equal(address, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_address_of_a_card_is_read_from_its_line),
        cmocka_unit_test(a_coordinator_on_this_host_is_reached_by_loopback),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
