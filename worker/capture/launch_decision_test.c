#include "worker/capture/launch_decision.h"

#include <string.h>

#include "lib/capture/format/records.h"
#include "lib/shm/control_channel.h"
#include "tests/support/unit.h"

static struct channel_prepare asked_about(const char *kernel, uint64_t launch)
{
    union channel_message message;

    channel_message_init(&message, CHANNEL_PREPARE);
    message.prepare.launch = launch;
    message.prepare.chip = 5;
    strcpy(message.prepare.soc, "Ascend910B1");
    strcpy(message.prepare.kernel, kernel);
    return message.prepare;
}

static uint32_t
answer_to(struct decide *decide, const char *kernel, union channel_message *answer)
{
    static uint64_t launch;
    struct channel_prepare asked = asked_about(kernel, ++launch);
    struct err err;

    assert_int_equal(decide_answer(decide, &asked, answer, &err), 0);
    assert_true(
        channel_message_fits(answer, sizeof(answer->decision), CHANNEL_DECISION));
    assert_int_equal(answer->decision.launch, launch);
    return answer->decision.answer;
}

static void the_first_are_skipped_the_next_profiled_the_rest_left_alone(void **ctx)
{
    struct decide decide = {.pattern = "add_*", .count = 2, .skip = 1};
    union channel_message answer;

    (void)ctx;
    assert_int_equal(answer_to(&decide, "add_custom", &answer), CHANNEL_PASS);
    assert_int_equal(answer_to(&decide, "matmul", &answer), CHANNEL_PASS_KERNEL);
    assert_int_equal(answer_to(&decide, "add_custom", &answer), CHANNEL_PROFILE);
    assert_int_equal(answer_to(&decide, "add_custom", &answer), CHANNEL_PROFILE);
    assert_int_equal(answer_to(&decide, "add_custom", &answer), CHANNEL_PASS_ALL);
    assert_string_equal(text_get(&decide.others), "matmul");
    decide_clear(&decide);
}

static uint32_t ask_of(struct decide *decide, uint64_t group, uint64_t sequence)
{
    struct channel_prepare asked = asked_about("MatmulAllReduce", sequence);
    union channel_message answer;
    struct err err;

    asked.group = group;
    asked.sequence = sequence;
    assert_int_equal(decide_answer(decide, &asked, &answer, &err), 0);
    return answer.decision.answer;
}

/* In whatever order they come: a worker of threads hears all ranks, others one each. */
static void operations_of_a_group_are_decided_by_their_number(void **ctx)
{
    struct decide decide = {.pattern = "Matmul*", .count = 2, .skip = 1};
    union channel_message answer;

    (void)ctx;
    decide.barrier_ms = 1000;
    for (int rank = 0; rank < 3; rank++)
        assert_int_equal(ask_of(&decide, 7, 4), CHANNEL_PASS);
    assert_int_equal(ask_of(&decide, 7, 6), CHANNEL_PROFILE);
    assert_int_equal(ask_of(&decide, 7, 4), CHANNEL_PASS);
    assert_int_equal(ask_of(&decide, 8, 1), CHANNEL_PASS); /* counts for itself */
    assert_int_equal(ask_of(&decide, 7, 6), CHANNEL_PROFILE);
    assert_int_equal(ask_of(&decide, 7, 7), CHANNEL_PROFILE);
    assert_int_equal(ask_of(&decide, 7, 8), CHANNEL_PASS_GROUP);
    assert_int_equal(ask_of(&decide, 7, 6), CHANNEL_PROFILE);
    assert_int_equal(ask_of(&decide, 8, 2), CHANNEL_PROFILE);
    assert_int_equal(decide.profiled, 3);

    /* kernels of one card are counted apart, and never end the talk for the groups */
    assert_int_equal(answer_to(&decide, "Matmul", &answer), CHANNEL_PASS);
    assert_int_equal(answer_to(&decide, "Matmul", &answer), CHANNEL_PROFILE);
    assert_int_equal(answer_to(&decide, "Matmul", &answer), CHANNEL_PROFILE);
    assert_int_equal(answer_to(&decide, "Matmul", &answer), CHANNEL_PASS_KERNEL);
    assert_int_equal(ask_of(&decide, 8, 3), CHANNEL_PROFILE);
    decide_clear(&decide);

    decide = (struct decide){.skip = 2};
    for (uint64_t n = 1; n <= 100; n++)
        assert_int_equal(ask_of(&decide, 5, n),
                         n <= 2 ? CHANNEL_PASS : CHANNEL_PROFILE);
    assert_int_equal(ask_of(&decide, 5, 2), CHANNEL_PASS);
    decide_clear(&decide);
}

static uint32_t
answer_in(struct decide *decide, const char *ranges, uint64_t group, uint64_t sequence)
{
    struct channel_prepare asked = asked_about("Matmul", sequence);
    union channel_message answer;
    struct err err;

    asked.group = group;
    asked.sequence = sequence;
    strcpy(asked.ranges, ranges);
    assert_int_equal(decide_answer(decide, &asked, &answer, &err), 0);
    return answer.decision.answer;
}

static void only_launches_in_the_wanted_ranges_count(void **ctx)
{
    struct decide decide = {.range = "step*", .count = 2, .skip = 1};

    (void)ctx;
    assert_int_equal(answer_in(&decide, "", 0, 0), CHANNEL_PASS);
    assert_int_equal(answer_in(&decide, "forward\nstep 1\n", 0, 0), CHANNEL_PASS);
    assert_int_equal(answer_in(&decide, "forward\n", 0, 0), CHANNEL_PASS);
    assert_int_equal(answer_in(&decide, "a step\n", 0, 0), CHANNEL_PASS);
    assert_int_equal(answer_in(&decide, "step 2\nepoch\n", 0, 0), CHANNEL_PROFILE);
    assert_int_equal(answer_in(&decide, "step 3", 0, 0), CHANNEL_PROFILE);
    assert_int_equal(answer_in(&decide, "", 0, 0), CHANNEL_PASS_ALL);
    assert_string_equal(text_get(&decide.others), "Matmul (in no range of that name)");
    decide_clear(&decide);
}

/* Also for threads, whose ranges are those of the process: what one of them met outside
 * is no other one's wish. */
static void operations_outside_of_the_wanted_ranges_pass(void **ctx)
{
    struct decide decide = {.range = "step", .count = 2, .skip = 1};

    (void)ctx;
    for (int rank = 0; rank < 2; rank++)
        assert_int_equal(answer_in(&decide, "", 7, 1), CHANNEL_PASS);
    assert_int_equal(answer_in(&decide, "step\n", 7, 1), CHANNEL_PASS);
    assert_int_equal(answer_in(&decide, "step\n", 7, 2), CHANNEL_PASS); /* skipped */
    assert_int_equal(answer_in(&decide, "step\n", 7, 3), CHANNEL_PROFILE);
    assert_int_equal(answer_in(&decide, "", 7, 4), CHANNEL_PASS);
    assert_int_equal(answer_in(&decide, "step\n", 7, 5), CHANNEL_PROFILE);
    for (uint64_t n = 1; n <= 5; n++) /* a slow one, which is outside once */
        assert_int_equal(answer_in(&decide, n == 4 ? "" : "step\n", 7, n),
                         n == 3 || n == 5 ? CHANNEL_PROFILE : CHANNEL_PASS);
    assert_int_equal(answer_in(&decide, "", 7, 6), CHANNEL_PASS_GROUP);
    assert_int_equal(decide.profiled, 2);
    decide_clear(&decide);
}

static void collectives_are_profiled_where_they_are_named(void **ctx)
{
    struct channel_prepare asked = asked_about("HcclAllReduce", 1);
    struct decide decide = {.pattern = "*", .count = 1};
    union channel_message answer;
    struct err err;

    (void)ctx;
    asked.launch_kind = LAUNCH_COLLECTIVE;
    asked.group = 3;
    asked.sequence = 1;
    assert_int_equal(decide_answer(&decide, &asked, &answer, &err), 0);
    assert_int_equal(answer.decision.answer, CHANNEL_PASS_KERNEL);
    assert_non_null(strstr(text_get(&decide.others), "has to name it"));
    strcpy(decide.pattern, "Hccl*");
    assert_int_equal(decide_answer(&decide, &asked, &answer, &err), 0);
    assert_int_equal(answer.decision.answer, CHANNEL_PROFILE);
    assert_int_equal(answer.decision.pass_count, 1);
    assert_int_equal(answer.decision.pass[0].event_count, 0);
    decide_clear(&decide);
}

static void there_is_an_end_of_groups(void **ctx)
{
    struct decide decide = {.count = 1};

    (void)ctx;
    for (uint64_t key = 1; key <= DECIDE_GROUPS_MAX; key++)
        assert_int_equal(ask_of(&decide, key, 1), CHANNEL_PROFILE);
    assert_int_equal(ask_of(&decide, DECIDE_GROUPS_MAX + 1, 1), CHANNEL_PASS_GROUP);
    decide_clear(&decide);
}

static void without_a_pattern_and_a_count_all_are_profiled(void **ctx)
{
    struct decide decide = {.warmup = 3};
    union channel_message answer;

    (void)ctx;
    for (int i = 0; i < 20; i++) {
        assert_int_equal(answer_to(&decide, "any", &answer), CHANNEL_PROFILE);
        assert_int_equal(answer.decision.warmups, 3);
    }
    decide_clear(&decide);
}

static void the_plan_has_the_passes_of_the_metrics(void **ctx)
{
    struct decide decide = {.count = 0};
    union channel_message answer;

    (void)ctx;
    assert_int_equal(answer_to(&decide, "any", &answer), CHANNEL_PROFILE);
    assert_int_equal(answer.decision.pass_count, 10);
    assert_true(answer.decision.has_l2 && answer.decision.l2_alone);
    assert_int_equal(answer.decision.l2_events[4], 0x9c);
    assert_int_equal(answer.decision.pass[0].event_count, 8);
    assert_int_equal(answer.decision.pass[0].aic[0], 1032);
    assert_string_equal(answer.decision.metrics, "Default");

    text_add(&decide.metrics, "MemoryUB");
    assert_int_equal(answer_to(&decide, "any", &answer), CHANNEL_PROFILE);
    assert_int_equal(answer.decision.pass_count, 1);
    assert_string_equal(answer.decision.metrics, "MemoryUB");
    decide_clear(&decide);
}

static void an_unknown_chip_is_passed_and_told(void **ctx)
{
    struct channel_prepare asked = asked_about("any", 1);
    struct decide decide = {.count = 1};
    union channel_message answer;
    struct err err;

    (void)ctx;
    asked.chip = 99;
    strcpy(asked.soc, "Ascend777");
    assert_int_equal(decide_answer(&decide, &asked, &answer, &err), -1);
    assert_int_equal(answer.decision.answer, CHANNEL_PASS_ALL);
    assert_non_null(strstr(err.text, "Ascend777"));
    decide_clear(&decide);
}

static void simulated_and_real_figures_do_not_mix(void **ctx)
{
    (void)ctx;
    for (unsigned simulated = 0; simulated <= 1; simulated++) {
        struct channel_prepare asked = asked_about("any", 1);
        struct decide decide = {.simulated = !simulated};
        union channel_message answer;
        struct err err;

        asked.simulated = simulated;
        assert_int_equal(decide_answer(&decide, &asked, &answer, &err), -1);
        assert_int_equal(answer.decision.answer, CHANNEL_PASS_ALL);
        assert_non_null(
            strstr(err.text, simulated ? "uses a simulated" : "uses a real"));
        decide.simulated = simulated;
        assert_int_equal(decide_answer(&decide, &asked, &answer, &err), 0);
        decide_clear(&decide);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_are_skipped_the_next_profiled_the_rest_left_alone),
        cmocka_unit_test(operations_of_a_group_are_decided_by_their_number),
        cmocka_unit_test(only_launches_in_the_wanted_ranges_count),
        cmocka_unit_test(operations_outside_of_the_wanted_ranges_pass),
        cmocka_unit_test(collectives_are_profiled_where_they_are_named),
        cmocka_unit_test(there_is_an_end_of_groups),
        cmocka_unit_test(without_a_pattern_and_a_count_all_are_profiled),
        cmocka_unit_test(the_plan_has_the_passes_of_the_metrics),
        cmocka_unit_test(an_unknown_chip_is_passed_and_told),
        cmocka_unit_test(simulated_and_real_figures_do_not_mix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
