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

static struct result_store *opened(void)
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
};

struct told {
    unsigned count;
    bool goes;
};

static bool tell(void *arg, const struct msg_rank_result *result)
{
    struct told *told = arg;

    assert_int_equal(result->run_id, 77);
    assert_string_equal(result->reason, sample.reason);
    told->count++;
    return told->goes;
}

static void save(struct result_store *results, bool sync)
{
    struct err err;

    assert_int_equal(result_store_save(results, &sample, sync, &err), 0);
}

static void what_was_saved_is_told_by_the_next_worker(void **ctx)
{
    struct result_store *results = opened();
    struct told told = {.goes = true};

    (void)ctx;
    save(results, false);
    result_store_close(results);

    results = opened();
    assert_int_equal(result_store_count(results), 1);
    assert_int_equal(result_store_run_id(results, 0), 77);
    result_store_tell(results, false, tell, &told);
    assert_int_equal(told.count, 1);
    result_store_close(results);
}

static void one_whose_groups_go_first_is_taken_and_comes_back(void **ctx)
{
    struct result_store *results = opened();
    struct msg_rank_result result;
    char reason[RESULT_REASON_MAX];

    (void)ctx;
    save(results, true);
    result_store_close(results);

    results = opened();
    assert_false(result_store_take(results, 78, 2, &result, reason));
    assert_true(result_store_take(results, 77, 2, &result, reason));
    assert_int_equal(result_store_count(results), 0);
    assert_string_equal(result.status, "failed");
    assert_string_equal(result.reason, sample.reason);
    assert_int_equal(result.exit_code, -3);
    assert_int_equal(result.launches, 7);
    assert_true(result.injected);
    result_store_add(results, &result);
    assert_true(result_store_ack(results, 77, 2));
    result_store_close(results);
}

static void it_is_told_until_it_was_sent_and_again_when_all_is_new(void **ctx)
{
    struct result_store *results = opened();
    struct told told = {.goes = false};

    (void)ctx;
    result_store_add(results, &sample);
    result_store_tell(results, false, tell, &told);
    result_store_tell(results, false, tell, &told);
    assert_int_equal(told.count, 2);
    told.goes = true;
    result_store_tell(results, false, tell, &told);
    result_store_tell(results, false, tell, &told); /* not due for half a second */
    assert_int_equal(told.count, 3);
    result_store_tell(results, true, tell, &told);
    assert_int_equal(told.count, 4);
    result_store_close(results);
}

static void an_acked_one_is_gone_and_a_second_ack_is_nothing(void **ctx)
{
    struct result_store *results = opened();

    (void)ctx;
    save(results, false);
    result_store_add(results, &sample);
    assert_false(result_store_ack(results, 77, 0));
    assert_true(result_store_ack(results, 77, 2));
    assert_false(result_store_ack(results, 77, 2));
    result_store_close(results);

    results = opened();
    assert_int_equal(result_store_count(results), 0);
    result_store_close(results);
}

static void what_was_cut_off_is_no_result(void **ctx)
{
    static const char *const bytes[] = {"", "done 0 0", "done 0 0 1 1 1 5 6 "};
    struct result_store *results = opened();
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
    results = opened();
    assert_int_equal(result_store_count(results), 0);
    assert_false(file_exists(path));
    result_store_close(results);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(what_was_saved_is_told_by_the_next_worker),
        CASE(one_whose_groups_go_first_is_taken_and_comes_back),
        CASE(it_is_told_until_it_was_sent_and_again_when_all_is_new),
        CASE(an_acked_one_is_gone_and_a_second_ack_is_nothing),
        CASE(what_was_cut_off_is_no_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
