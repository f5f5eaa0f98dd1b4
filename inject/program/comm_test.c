/* comm_test.c - keys of communicators, and the table of their resources */
#include "inject/program/comm.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/unit.h"

static char handles[1024]; /* the addresses are the handles */

static struct comm made(int handle, const char *name, uint32_t ranks, int32_t device)
{
    struct comm comm = {
        .handle = &handles[handle],
        .ranks = ranks,
        .rank = (uint32_t)handle % ranks,
        .device = device,
    };

    snprintf(comm.name, sizeof(comm.name), "%s", name);
    return comm;
}

static int start(void **ctx)
{
    (void)ctx;
    comms_reset();
    return 0;
}

static uint64_t
key_of(int handle, const char *name, uint32_t ranks, int32_t device, uint64_t origin)
{
    struct comm comm = made(handle, name, ranks, device);

    assert_true(comm_add(&comm, origin, &comm));
    return comm.key;
}

static void ranks_of_a_communicator_have_one_key(void **ctx)
{
    uint64_t first = key_of(0, "world", 4, 0, 77);

    (void)ctx;
    for (int rank = 1; rank < 4; rank++)
        assert_true(key_of(rank, "world", 4, rank, 77) == first);
}

static void keys_differ_by_origin_name_and_size(void **ctx)
{
    uint64_t first = key_of(0, "world", 4, 0, 77);

    (void)ctx;
    assert_true(key_of(1, "world", 4, 0, 78) != first);
    assert_true(key_of(2, "tp", 4, 0, 77) != first);
    assert_true(key_of(3, "world", 2, 0, 77) != first);
}

/* The operations count from 1 again, so the key must differ from the old one. It must
 * still be equal on all ranks. */
static void a_communicator_created_again_has_a_new_key(void **ctx)
{
    uint64_t old[2], new[2];

    (void)ctx;
    for (int rank = 0; rank < 2; rank++)
        old[rank] = key_of(rank, "world", 2, rank, 77);
    comm_remove(&handles[0]);
    comm_remove(&handles[1]);
    for (int rank = 0; rank < 2; rank++)
        new[rank] = key_of(rank, "world", 2, rank, 77);
    assert_true(old[0] == old[1] && new[0] == new[1] && old[0] != new[0]);
}

static void rank_tables_differ_by_more_than_white_space(void **ctx)
{
    const char one[] = "{\"rank_id\": \"0\"}\n", two[] = "{\"rank_id\":\"0\"}";
    const char other[] = "{\"rank_id\":\"1\"}";

    (void)ctx;
    assert_true(comm_hash_text(2, one, sizeof(one) - 1) ==
                comm_hash_text(2, two, sizeof(two) - 1));
    assert_true(comm_hash_text(2, other, sizeof(other) - 1) !=
                comm_hash_text(2, two, sizeof(two) - 1));
}

/* Two examples that are published with the format of the reports. */
static void names_hash_as_reports_hash_them(void **ctx)
{
    (void)ctx;
    assert_true(comm_name_hash("Notify_Record") == 0x9eb5886f0b5ef22fu);
    assert_true(comm_name_hash("Memcpy") == 0x628f0043a268d0cfu);
}

static void a_communicator_is_found_until_it_is_removed(void **ctx)
{
    struct comm comm;
    char context, stream;

    (void)ctx;
    key_of(5, "world", 8, 3, 1);
    assert_false(comm_has_any_context());
    comm_set_context(&handles[5], &context);
    comm_set_server(&handles[5], &stream, NULL, 0);
    comm_set_buffer(&handles[5], (void *)0x10000, 0x1000);
    assert_true(comm_has_any_context());

    assert_true(comm_get(&handles[5], &comm) && comm.rank == 5 && comm.ranks == 8);
    assert_true(comm_find_name("world", 3, &comm) && comm.context == &context);
    assert_true(comm_find_context(&context, 3, &comm) && comm.handle == &handles[5]);
    assert_true(comm_find_server(&stream, &comm) && comm.handle == &handles[5]);
    assert_false(comm_find_name("world", 4, &comm));
    assert_false(comm_find_context(&context, 4, &comm));
    assert_false(comm_find_context(NULL, 3, &comm));
    assert_false(comm_get(NULL, &comm));

    assert_true(comm_owns_memory(3, 0x10fff, 1));
    assert_true(comm_owns_memory(3, 0xffff, 2));
    assert_false(comm_owns_memory(3, 0xffff, 1));
    assert_false(comm_owns_memory(3, 0x11000, 1));
    assert_false(comm_owns_memory(2, 0x10000, 1));

    comm_remove(&handles[5]);
    assert_false(comm_get(&handles[5], &comm));
    assert_false(comm_find_context(&context, 3, &comm));
    assert_false(comm_owns_memory(3, 0x10000, 1));
}

static void operations_are_counted_for_each_communicator(void **ctx)
{
    (void)ctx;
    key_of(0, "tp", 2, 0, 1);
    key_of(1, "dp", 2, 0, 2);
    assert_int_equal(comm_next_operation(&handles[0]), 1);
    assert_int_equal(comm_next_operation(&handles[0]), 2);
    assert_int_equal(comm_next_operation(&handles[1]), 1);
    assert_int_equal(comm_next_operation(&handles[2]), 0);
}

static void a_full_table_refuses_until_an_entry_is_removed(void **ctx)
{
    struct comm comm;
    int count = 0;

    (void)ctx;
    for (; count < 1024; count++) {
        comm = made(count, "world", 1024, count);
        if (!comm_add(&comm, 1, &comm))
            break;
    }
    assert_true(count > 64 && count < 1024);
    comm = made(count, "world", 1024, count);
    comm_remove(&handles[7]);
    assert_true(comm_add(&comm, 1, &comm));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(ranks_of_a_communicator_have_one_key, start),
        cmocka_unit_test_setup(keys_differ_by_origin_name_and_size, start),
        cmocka_unit_test_setup(a_communicator_created_again_has_a_new_key, start),
        cmocka_unit_test_setup(rank_tables_differ_by_more_than_white_space, start),
        cmocka_unit_test(names_hash_as_reports_hash_them),
        cmocka_unit_test_setup(a_communicator_is_found_until_it_is_removed, start),
        cmocka_unit_test_setup(operations_are_counted_for_each_communicator, start),
        cmocka_unit_test_setup(a_full_table_refuses_until_an_entry_is_removed, start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
