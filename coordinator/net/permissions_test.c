#include "coordinator/net/permissions.h"

#include "tests/support/unit.h"

/* The number of a message in messages.h gives its sender: worker, data, client. */
static enum role sender_of(enum message_type type)
{
    if (type < MSG_WELCOME || type == MSG_GROUP)
        return ROLE_WORKER;
    bool is_client = (type >= MSG_SUBMIT && type < MSG_SUBMITTED) ||
                     (type >= MSG_LIST_RANKS && type < MSG_RANK_ROW);

    return is_client ? ROLE_ADMIN : ROLE_NONE;
}

static void each_message_to_a_coordinator_has_a_role_and_no_other_has_one(void **ctx)
{
    (void)ctx;
    for (const struct message *message = messages; message->type; message++) {
        enum role sender = sender_of(message->type);

        assert_int_equal(permissions_allow(ROLE_WORKER, message->type),
                         sender == ROLE_WORKER);
        assert_int_equal(permissions_allow(ROLE_ADMIN, message->type),
                         sender == ROLE_ADMIN);
        assert_int_equal(permissions_allow(ROLE_ALL, message->type),
                         sender != ROLE_NONE);
        assert_false(permissions_allow(ROLE_NONE, message->type));
    }
}

static void each_client_role_includes_the_lower_ones(void **ctx)
{
    size_t reads = 0, submits = 0, all = 0;

    (void)ctx;
    for (const struct message *message = messages; message->type; message++) {
        bool read = permissions_allow(ROLE_READ, message->type);
        bool submit = permissions_allow(ROLE_SUBMIT, message->type);

        assert_true(submit || !read);
        assert_true(permissions_allow(ROLE_ADMIN, message->type) || !submit);
        reads += read;
        submits += submit;
        all += permissions_allow(ROLE_ADMIN, message->type);
    }
    assert_true(reads > 0 && reads < submits && submits < all);
    assert_false(permissions_allow(ROLE_READ, MSG_SUBMIT));
    assert_false(permissions_allow(ROLE_READ, MSG_CANCEL));
    assert_false(permissions_allow(ROLE_SUBMIT, MSG_DRAIN));
    assert_false(permissions_allow(ROLE_SUBMIT, MSG_SHUTDOWN));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_message_to_a_coordinator_has_a_role_and_no_other_has_one),
        cmocka_unit_test(each_client_role_includes_the_lower_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
