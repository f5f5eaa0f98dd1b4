/* object_numbers_test.c - objects keep their numbers, and addresses do not merge them
 */
#include "xpti/subscriber/object_numbers.h"

#include "tests/support/unit.h"
#include "xpti/abi/abi.h"

static struct xpti_payload add = {.p1 = 1ULL << 32 | 33, .p2 = 2};
static struct xpti_payload multiply = {.p1 = 1ULL << 32 | 40, .p2 = 3};

static int reset(void **ctx)
{
    (void)ctx;
    object_numbers_reset();
    return 0;
}

static void one_address_is_another_object_after_its_release(void **ctx)
{
    struct xpti_event event = {.uid = 0x1000, .instance = 1, .payload = &add};

    (void)ctx;
    assert_int_equal(object_numbers_find(object_key(&event)), 0);
    object_numbers_put(object_key(&event), object_numbers_next());
    event.payload = &multiply; /* same address, other place */
    assert_int_equal(object_numbers_find(object_key(&event)), 0);
    object_numbers_put(object_key(&event), object_numbers_next());
    event.instance = 2; /* same place, next visit */
    assert_int_equal(object_numbers_find(object_key(&event)), 0);
    object_numbers_put(object_key(&event), object_numbers_next());
    assert_int_equal(object_numbers_find(object_key(&event)), 3);
    event.instance = 1;
    assert_int_equal(object_numbers_find(object_key(&event)), 2);
    event.payload = &add;
    assert_int_equal(object_numbers_find(object_key(&event)), 1);
    event.payload = NULL;
    assert_int_equal(object_numbers_find(object_key(&event)), 0);
}

static void a_new_node_replaces_the_number_of_its_key(void **ctx)
{
    (void)ctx;
    object_numbers_put(object_uid_key(5), 1);
    object_numbers_put(object_uid_key(5), 2);
    assert_int_equal(object_numbers_find(object_uid_key(5)), 2);
    object_numbers_reset();
    assert_int_equal(object_numbers_find(object_uid_key(5)), 0);
}

static void a_full_table_never_answers_with_another_objects_number(void **ctx)
{
    enum { OBJECTS = 200000, RECENT = 10000 };

    (void)ctx;
    for (uint64_t uid = 1; uid <= OBJECTS; uid++)
        object_numbers_put(object_uid_key(uid), uid | (uid % 2 ? OBJECT_LEFT_OUT : 0));
    for (uint64_t uid = 1; uid <= OBJECTS; uid++) {
        uint64_t number = object_numbers_find(object_uid_key(uid));

        if (number != 0 || uid > OBJECTS - RECENT)
            assert_int_equal(number, uid | (uid % 2 ? OBJECT_LEFT_OUT : 0));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(one_address_is_another_object_after_its_release, reset),
        cmocka_unit_test_setup(a_new_node_replaces_the_number_of_its_key, reset),
        cmocka_unit_test_setup(a_full_table_never_answers_with_another_objects_number,
                               reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
