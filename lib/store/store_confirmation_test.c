#include "lib/store/store_confirmation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/store/store.h"
#include "tests/support/unit.h"

static char folder[] = "/tmp/muster-confirmation-XXXXXX";
static struct store *store;
static struct err err;

#define OK(call)                                                                       \
    do {                                                                               \
        if ((call) < 0)                                                                \
            fail_msg("%s", err.text);                                                  \
    } while (0)

static void add_job(void)
{
    struct store_job job = {.name = "c",
                            .yaml = "",
                            .file_name = "",
                            .folder = "",
                            .user = "",
                            .state = JOB_WAITING};

    OK(store_job_add(store, &job, &err));
}

static int count(const struct store_confirmation *row, void *arg, struct err *ignored)
{
    (void)ignored;
    assert_int_equal(row->confirms_job_id, 8);
    assert_int_equal(row->base_job_id, 7);
    assert_float_equal(row->tolerance, 0.02, 0);
    assert_int_equal(row->until_wall_ms, 99);
    *(int *)arg += row->judged ? 10 : 1;
    return 0;
}

static void a_confirmation_is_open_until_it_is_judged(void **ctx)
{
    const struct store_confirmation row = {.job_id = 1,
                                           .confirms_job_id = 8,
                                           .base_job_id = 7,
                                           .tolerance = 0.02,
                                           .until_wall_ms = 99};
    int open = 0, all = 0;

    (void)ctx;
    add_job();
    OK(store_confirmation_add(store, &row, &err));
    OK(store_each_confirmation(store, 0, count, &open, &err));
    assert_int_equal(open, 1);
    OK(store_confirmation_set_judged(store, 1, &err));
    OK(store_each_confirmation(store, 0, count, &open, &err));
    assert_int_equal(open, 1);
    OK(store_each_confirmation(store, 1, count, &all, &err));
    assert_int_equal(all, 10);
    assert_int_equal(store_confirmation_set_judged(store, 5, &err), -1);
}

static int compare(const struct store_suspect *row, void *arg, struct err *ignored)
{
    const struct store_suspect *expected = arg;

    (void)ignored;
    assert_int_equal(row->number, expected->number);
    assert_string_equal(row->kernel, expected->kernel);
    assert_string_equal(row->cause, expected->cause);
    assert_string_equal(row->slow_card, expected->slow_card);
    assert_string_equal(row->slow_peer, expected->slow_peer);
    assert_int_equal(row->nights, expected->nights);
    assert_true(row->same_program);
    assert_float_equal(row->night_h, expected->night_h, 0);
    for (int i = 0; i < STORE_SUSPECT_CARDS; i++) {
        assert_string_equal(row->places[i], expected->places[i]);
        assert_string_equal(row->code[i], expected->code[i]);
        assert_string_equal(row->drift[i], expected->drift[i]);
        if (isnan(expected->code_shift[i]))
            assert_true(isnan(row->code_shift[i]));
        else
            assert_float_equal(row->code_shift[i], expected->code_shift[i], 0);
        assert_float_equal(row->drift_shift[i], expected->drift_shift[i], 0);
    }
    return 0;
}

static void a_suspect_is_read_as_it_was_written_and_can_be_replaced(void **ctx)
{
    struct store_suspect row = {.job_id = 1,
                                .number = 3,
                                .point = "m=1",
                                .kernel = "k",
                                .metric = "duration_us",
                                .rank = 2,
                                .card = "S1",
                                .places = {"a:0", "a:1", ""},
                                .night_h = 0.01,
                                .night_w = 0.02,
                                .nights = 6,
                                .same_program = true,
                                .cause = "",
                                .also = "",
                                .reason = "",
                                .slow_card = "S1",
                                .slow_peer = "b:2",
                                .code = {"worse", "same", "not-run"},
                                .drift = {"same", "better", ""},
                                .code_shift = {0.05, -0.01, NAN},
                                .drift_shift = {0.1, 0.2, 0.3}};

    (void)ctx;
    OK(store_suspect_put(store, &row, &err));
    OK(store_each_suspect(store, 1, compare, &row, &err));
    row.cause = "code";
    OK(store_suspect_put(store, &row, &err));
    OK(store_each_suspect(store, 1, compare, &row, &err));
}

static int open_store(void **ctx)
{
    (void)ctx;
    assert_non_null(mkdtemp(folder));
    return store_open(&store, folder, STORE_WRITE, &err);
}

static int remove_store(void **ctx)
{
    (void)ctx;
    store_close(store);
    return folder_remove(folder, &err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_confirmation_is_open_until_it_is_judged),
        cmocka_unit_test(a_suspect_is_read_as_it_was_written_and_can_be_replaced),
    };
    return cmocka_run_group_tests(tests, open_store, remove_store);
}
