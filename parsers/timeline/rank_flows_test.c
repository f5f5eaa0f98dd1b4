/* rank_flows_test.c - arrows between ranks that notify each other */
#include "parsers/timeline/rank_flows.h"

#include <string.h>

#include "lib/base/json_write.h"
#include "lib/base/mem.h"
#include "tests/support/unit.h"

static struct rank_flows *flows;

static int make_flows(void **ctx)
{
    (void)ctx;
    flows = rank_flows_create();
    return 0;
}

static int end_flows(void **ctx)
{
    (void)ctx;
    rank_flows_destroy(flows);
    return 0;
}

static void add(bool is_wait, uint32_t from, uint32_t to, uint64_t at)
{
    static const char *const pids[] = {"rank 0", "rank 1", "rank 2"};

    rank_flows_add(flows, &(struct rank_flow_end){.is_wait = is_wait,
                                                  .group = 7,
                                                  .from = from,
                                                  .to = to,
                                                  .pid = pids[is_wait ? to : from],
                                                  .tid = "PLANE0",
                                                  .at = at});
}

/* Writes the arrows as "pid@time>pid@time ". */
static size_t written(struct text *out)
{
    struct text json_text = {0};
    struct json_write json;
    struct trace_writer trace;
    struct err err;
    size_t left;

    json_write_to_text(&json, &json_text);
    trace_writer_open(&trace, &json, true);
    left = rank_flows_write(flows, &trace);
    trace_writer_close(&trace);
    assert_int_equal(json_write_finish(&json, &err), 0);
    for (const char *at = text_get(&json_text); (at = strstr(at, "\"ph\":\""));) {
        const char *pid = strstr(at, "\"pid\":\"") + 7, *ts = strstr(at, "\"ts\":") + 5;

        text_printf(out, "%.*s@%.*s%c", (int)strcspn(pid, "\""), pid,
                    (int)strcspn(ts, "}"), ts, at[6] == 's' ? '>' : ' ');
        at = ts;
    }
    text_clear(&json_text);
    return left;
}

static void the_nth_record_ends_the_nth_wait(void **ctx)
{
    struct text out = {0};

    (void)ctx;
    add(false, 0, 1, 3000); /* of rank 0 */
    add(false, 0, 1, 9000);
    add(true, 1, 0, 5000);
    add(true, 0, 1, 4000); /* of rank 1, in another order than by time */
    add(false, 1, 0, 2000);
    add(true, 0, 1, 9500);
    assert_int_equal(written(&out), 0);
    assert_string_equal(text_get(&out),
                        "rank 0@3.000>rank 1@4.000 rank 0@9.000>rank 1@9.500 "
                        "rank 1@2.000>rank 0@5.000 ");
    text_clear(&out);
}

static void a_direction_with_missing_reports_has_no_arrows(void **ctx)
{
    struct text out = {0};

    (void)ctx;
    add(false, 0, 1, 1000);
    add(true, 0, 1, 2000);
    add(false, 0, 2, 1000); /* nothing of rank 2 */
    add(true, 2, 0, 1000);
    add(true, 1, 0, 1000);
    add(true, 1, 0, 2000);
    add(false, 1, 0, 2000);
    assert_int_equal(written(&out), 5);
    assert_string_equal(text_get(&out), "rank 0@1.000>rank 1@2.000 ");
    text_clear(&out);
}

static void no_notification_has_no_arrow(void **ctx)
{
    struct text out = {0};

    (void)ctx;
    assert_int_equal(written(&out), 0);
    assert_string_equal(text_get(&out), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_nth_record_ends_the_nth_wait, make_flows,
                                        end_flows),
        cmocka_unit_test_setup_teardown(a_direction_with_missing_reports_has_no_arrows,
                                        make_flows, end_flows),
        cmocka_unit_test_setup_teardown(no_notification_has_no_arrow, make_flows,
                                        end_flows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
