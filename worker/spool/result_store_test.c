#include "worker/spool/result_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/file.h"
#include "lib/wire/messages.h"
#include "tests/support/unit.h"

static char folder[64];

static int set_up(void **ctx)
{
    (void)ctx;
    strcpy(folder, "/tmp/muster-results-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **ctx)
{
    struct err err;

    (void)ctx;
    return folder_remove(folder, &err);
}

static struct result_store *open_store(void)
{
    struct result_store *results;
    struct err err;

    assert_int_equal(result_store_open(&results, folder, &err), 0);
    return results;
}

static const struct msg_rank_result sample = {
    .run_id = 77,
    .rank = 2,
    .status = "failed",
    .reason = "two words\nand a line",
    .exit_code = -3,
    .launches = 7,
    .injected = true,
    .card_fault = true,
};

struct sender {
    unsigned count;
    bool succeeds;
};

static bool send(void *arg, const struct msg_rank_result *result)
{
    struct sender *sender = arg;

    assert_int_equal(result->run_id, 77);
    assert_string_equal(result->reason, sample.reason);
    sender->count++;
    return sender->succeeds;
}

static void save(struct result_store *results, bool sync)
{
    struct err err;

    assert_int_equal(result_store_save(results, &sample, sync, &err), 0);
}

static void a_saved_result_is_sent_by_the_next_worker(void **ctx)
{
    struct result_store *results = open_store();
    struct sender sender = {.succeeds = true};

    (void)ctx;
    save(results, false);
    result_store_close(results);

    results = open_store();
    assert_int_equal(result_store_count(results), 1);
    assert_int_equal(result_store_run_id(results, 0), 77);
    result_store_send(results, false, send, &sender);
    assert_int_equal(sender.count, 1);
    result_store_close(results);
}

static void a_result_whose_groups_are_sent_first_is_taken_and_added_again(void **ctx)
{
    struct result_store *results = open_store();
    struct msg_rank_result result;
    char reason[RESULT_REASON_MAX];

    (void)ctx;
    save(results, true);
    result_store_close(results);

    results = open_store();
    assert_false(result_store_take(results, 78, 2, &result, reason));
    assert_true(result_store_take(results, 77, 2, &result, reason));
    assert_int_equal(result_store_count(results), 0);
    assert_string_equal(result.status, "failed");
    assert_string_equal(result.reason, sample.reason);
    assert_int_equal(result.exit_code, -3);
    assert_int_equal(result.launches, 7);
    assert_true(result.injected);
    assert_true(result.card_fault);
    result_store_add(results, &result);
    assert_true(result_store_ack(results, 77, 2));
    result_store_close(results);
}

static void a_result_is_sent_until_success_and_again_on_a_new_session(void **ctx)
{
    struct result_store *results = open_store();
    struct sender sender = {.succeeds = false};

    (void)ctx;
    result_store_add(results, &sample);
    result_store_send(results, false, send, &sender);
    result_store_send(results, false, send, &sender);
    assert_int_equal(sender.count, 2);
    sender.succeeds = true;
    result_store_send(results, false, send, &sender);
    result_store_send(results, false, send, &sender); /* not due for half a second */
    assert_int_equal(sender.count, 3);
    result_store_send(results, true, send, &sender);
    assert_int_equal(sender.count, 4);
    result_store_close(results);
}

static void an_acknowledged_result_is_gone_and_a_second_ack_finds_nothing(void **ctx)
{
    struct result_store *results = open_store();

    (void)ctx;
    save(results, false);
    result_store_add(results, &sample);
    assert_false(result_store_ack(results, 77, 0));
    assert_true(result_store_ack(results, 77, 2));
    assert_false(result_store_ack(results, 77, 2));
    result_store_close(results);

    results = open_store();
    assert_int_equal(result_store_count(results), 0);
    result_store_close(results);
}

static void a_truncated_file_is_no_result(void **ctx)
{
    static const char *const bytes[] = {"", "done 0 0", "done 0 0 1 1 1 5 6 "};
    struct result_store *results = open_store();
    char path[128];
    struct err err;

    (void)ctx;
    result_store_close(results);
    for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++) {
        snprintf(path, sizeof(path), "%s/results/%zu-0", folder, i + 1);
        assert_int_equal(file_write(path, bytes[i], strlen(bytes[i]), &err), 0);
    }
    snprintf(path, sizeof(path), "%s/results/77-2.123.new", folder);
    assert_int_equal(file_write(path, "x", 1, &err), 0);
    results = open_store();
    assert_int_equal(result_store_count(results), 0);
    assert_false(file_exists(path));
    result_store_close(results);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_saved_result_is_sent_by_the_next_worker),
        CASE(a_result_whose_groups_are_sent_first_is_taken_and_added_again),
        CASE(a_result_is_sent_until_success_and_again_on_a_new_session),
        CASE(an_acknowledged_result_is_gone_and_a_second_ack_finds_nothing),
        CASE(a_truncated_file_is_no_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
