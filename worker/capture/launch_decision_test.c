#include "worker/capture/launch_decision.h"

#include <string.h>

#include "lib/capture/format/records.h"
#include "lib/shm/control_channel.h"
#include "tests/support/unit.h"

static struct control_prepare asked_about(const char *kernel, uint64_t launch)
{
    union control_message message;

    control_message_init(&message, CONTROL_PREPARE);
    message.prepare.launch = launch;
    message.prepare.chip = 5;
    strcpy(message.prepare.soc, "Ascend910B1");
    strcpy(message.prepare.kernel, kernel);
    return message.prepare;
}

static uint32_t answer_to(struct launch_decision *decision,
                          const char *kernel,
                          union control_message *answer)
{
    static uint64_t launch;
    struct control_prepare asked = asked_about(kernel, ++launch);
    struct err err;

    assert_int_equal(launch_decision_answer(decision, &asked, answer, &err), 0);
    assert_true(
        control_message_fits(answer, sizeof(answer->decision), CONTROL_DECISION));
    assert_int_equal(answer->decision.launch, launch);
    return answer->decision.answer;
}

static void the_first_are_skipped_the_next_profiled_the_rest_left_alone(void **ctx)
{
    struct launch_decision decision = {.pattern = "add_*", .count = 2, .skip = 1};
    union control_message answer;

    (void)ctx;
    assert_int_equal(answer_to(&decision, "add_custom", &answer), CONTROL_PASS);
    assert_int_equal(answer_to(&decision, "matmul", &answer), CONTROL_PASS_KERNEL);
    assert_int_equal(answer_to(&decision, "add_custom", &answer), CONTROL_PROFILE);
    assert_int_equal(answer_to(&decision, "add_custom", &answer), CONTROL_PROFILE);
    assert_int_equal(answer_to(&decision, "add_custom", &answer), CONTROL_PASS_ALL);
    assert_string_equal(text_get(&decision.others), "matmul");
    launch_decision_clear(&decision);
}

static uint32_t
ask_of(struct launch_decision *decision, uint64_t group, uint64_t sequence)
{
    struct control_prepare asked = asked_about("MatmulAllReduce", sequence);
    union control_message answer;
    struct err err;

    asked.group = group;
    asked.sequence = sequence;
    assert_int_equal(launch_decision_answer(decision, &asked, &answer, &err), 0);
    return answer.decision.answer;
}

/* In whatever order they come: a worker of threads hears all ranks, others one each. */
static void operations_of_a_group_are_decided_by_their_number(void **ctx)
{
    struct launch_decision decision = {.pattern = "Matmul*", .count = 2, .skip = 1};
    union control_message answer;

    (void)ctx;
    decision.barrier_ms = 1000;
    for (int rank = 0; rank < 3; rank++)
        assert_int_equal(ask_of(&decision, 7, 4), CONTROL_PASS);
    assert_int_equal(ask_of(&decision, 7, 6), CONTROL_PROFILE);
    assert_int_equal(ask_of(&decision, 7, 4), CONTROL_PASS);
    assert_int_equal(ask_of(&decision, 8, 1), CONTROL_PASS); /* counts for itself */
    assert_int_equal(ask_of(&decision, 7, 6), CONTROL_PROFILE);
    assert_int_equal(ask_of(&decision, 7, 7), CONTROL_PROFILE);
    assert_int_equal(ask_of(&decision, 7, 8), CONTROL_PASS_GROUP);
    assert_int_equal(ask_of(&decision, 7, 6), CONTROL_PROFILE);
    assert_int_equal(ask_of(&decision, 8, 2), CONTROL_PROFILE);
    assert_int_equal(decision.profiled, 3);

    /* kernels of one card are counted apart, and never end the talk for the groups */
    assert_int_equal(answer_to(&decision, "Matmul", &answer), CONTROL_PASS);
    assert_int_equal(answer_to(&decision, "Matmul", &answer), CONTROL_PROFILE);
    assert_int_equal(answer_to(&decision, "Matmul", &answer), CONTROL_PROFILE);
    assert_int_equal(answer_to(&decision, "Matmul", &answer), CONTROL_PASS_KERNEL);
    assert_int_equal(ask_of(&decision, 8, 3), CONTROL_PROFILE);
    launch_decision_clear(&decision);

    decision = (struct launch_decision){.skip = 2};
    for (uint64_t n = 1; n <= 100; n++)
        assert_int_equal(ask_of(&decision, 5, n),
                         n <= 2 ? CONTROL_PASS : CONTROL_PROFILE);
    assert_int_equal(ask_of(&decision, 5, 2), CONTROL_PASS);
    launch_decision_clear(&decision);
}

static uint32_t answer_in(struct launch_decision *decision,
                          const char *ranges,
                          uint64_t group,
                          uint64_t sequence)
{
    struct control_prepare asked = asked_about("Matmul", sequence);
    union control_message answer;
    struct err err;

    asked.group = group;
    asked.sequence = sequence;
    strcpy(asked.ranges, ranges);
    assert_int_equal(launch_decision_answer(decision, &asked, &answer, &err), 0);
    return answer.decision.answer;
}

static void only_launches_in_the_wanted_ranges_count(void **ctx)
{
    struct launch_decision decision = {.range = "step*", .count = 2, .skip = 1};

    (void)ctx;
    assert_int_equal(answer_in(&decision, "", 0, 0), CONTROL_PASS);
    assert_int_equal(answer_in(&decision, "forward\nstep 1\n", 0, 0), CONTROL_PASS);
    assert_int_equal(answer_in(&decision, "forward\n", 0, 0), CONTROL_PASS);
    assert_int_equal(answer_in(&decision, "a step\n", 0, 0), CONTROL_PASS);
    assert_int_equal(answer_in(&decision, "step 2\nepoch\n", 0, 0), CONTROL_PROFILE);
    assert_int_equal(answer_in(&decision, "step 3", 0, 0), CONTROL_PROFILE);
    assert_int_equal(answer_in(&decision, "", 0, 0), CONTROL_PASS_ALL);
    assert_string_equal(text_get(&decision.others),
                        "Matmul (in no range of that name)");
    launch_decision_clear(&decision);
}

/* Also for threads, whose ranges are those of the process: what one of them met outside
 * is no other one's wish. */
static void operations_outside_of_the_wanted_ranges_pass(void **ctx)
{
    struct launch_decision decision = {.range = "step", .count = 2, .skip = 1};

    (void)ctx;
    for (int rank = 0; rank < 2; rank++)
        assert_int_equal(answer_in(&decision, "", 7, 1), CONTROL_PASS);
    assert_int_equal(answer_in(&decision, "step\n", 7, 1), CONTROL_PASS);
    assert_int_equal(answer_in(&decision, "step\n", 7, 2), CONTROL_PASS); /* skipped */
    assert_int_equal(answer_in(&decision, "step\n", 7, 3), CONTROL_PROFILE);
    assert_int_equal(answer_in(&decision, "", 7, 4), CONTROL_PASS);
    assert_int_equal(answer_in(&decision, "step\n", 7, 5), CONTROL_PROFILE);
    for (uint64_t n = 1; n <= 5; n++) /* a slow one, which is outside once */
        assert_int_equal(answer_in(&decision, n == 4 ? "" : "step\n", 7, n),
                         n == 3 || n == 5 ? CONTROL_PROFILE : CONTROL_PASS);
    assert_int_equal(answer_in(&decision, "", 7, 6), CONTROL_PASS_GROUP);
    assert_int_equal(decision.profiled, 2);
    launch_decision_clear(&decision);
}

static void collectives_are_profiled_where_they_are_named(void **ctx)
{
    struct control_prepare asked = asked_about("HcclAllReduce", 1);
    struct launch_decision decision = {.pattern = "*", .count = 1};
    union control_message answer;
    struct err err;

    (void)ctx;
    asked.launch_kind = LAUNCH_COLLECTIVE;
    asked.group = 3;
    asked.sequence = 1;
    assert_int_equal(launch_decision_answer(&decision, &asked, &answer, &err), 0);
    assert_int_equal(answer.decision.answer, CONTROL_PASS_KERNEL);
    assert_non_null(strstr(text_get(&decision.others), "has to name it"));
    strcpy(decision.pattern, "Hccl*");
    assert_int_equal(launch_decision_answer(&decision, &asked, &answer, &err), 0);
    assert_int_equal(answer.decision.answer, CONTROL_PROFILE);
    assert_int_equal(answer.decision.pass_count, 1);
    assert_int_equal(answer.decision.pass[0].event_count, 0);
    launch_decision_clear(&decision);
}

static void there_is_an_end_of_groups(void **ctx)
{
    struct launch_decision decision = {.count = 1};

    (void)ctx;
    for (uint64_t key = 1; key <= LAUNCH_DECISION_GROUPS_MAX; key++)
        assert_int_equal(ask_of(&decision, key, 1), CONTROL_PROFILE);
    assert_int_equal(ask_of(&decision, LAUNCH_DECISION_GROUPS_MAX + 1, 1),
                     CONTROL_PASS_GROUP);
    launch_decision_clear(&decision);
}

static void without_a_pattern_and_a_count_all_are_profiled(void **ctx)
{
    struct launch_decision decision = {.warmup = 3};
    union control_message answer;

    (void)ctx;
    for (int i = 0; i < 20; i++) {
        assert_int_equal(answer_to(&decision, "any", &answer), CONTROL_PROFILE);
        assert_int_equal(answer.decision.warmups, 3);
    }
    launch_decision_clear(&decision);
}

static void the_plan_has_the_passes_of_the_metrics(void **ctx)
{
    struct launch_decision decision = {.count = 0};
    union control_message answer;

    (void)ctx;
    assert_int_equal(answer_to(&decision, "any", &answer), CONTROL_PROFILE);
    assert_int_equal(answer.decision.pass_count, 10);
    assert_true(answer.decision.has_l2 && answer.decision.l2_alone);
    assert_int_equal(answer.decision.l2_events[4], 0x9c);
    assert_int_equal(answer.decision.pass[0].event_count, 8);
    assert_int_equal(answer.decision.pass[0].aic[0], 1032);
    assert_string_equal(answer.decision.metrics, "Default");

    text_add(&decision.metrics, "MemoryUB");
    assert_int_equal(answer_to(&decision, "any", &answer), CONTROL_PROFILE);
    assert_int_equal(answer.decision.pass_count, 1);
    assert_string_equal(answer.decision.metrics, "MemoryUB");
    launch_decision_clear(&decision);
}

static void an_unknown_chip_is_passed_and_told(void **ctx)
{
    struct control_prepare asked = asked_about("any", 1);
    struct launch_decision decision = {.count = 1};
    union control_message answer;
    struct err err;

    (void)ctx;
    asked.chip = 99;
    strcpy(asked.soc, "Ascend777");
    assert_int_equal(launch_decision_answer(&decision, &asked, &answer, &err), -1);
    assert_int_equal(answer.decision.answer, CONTROL_PASS_ALL);
    assert_non_null(strstr(err.text, "Ascend777"));
    launch_decision_clear(&decision);
}

static void simulated_and_real_figures_do_not_mix(void **ctx)
{
    (void)ctx;
    for (unsigned simulated = 0; simulated <= 1; simulated++) {
        struct control_prepare asked = asked_about("any", 1);
        struct launch_decision decision = {.simulated = !simulated};
        union control_message answer;
        struct err err;

        asked.simulated = simulated;
        assert_int_equal(launch_decision_answer(&decision, &asked, &answer, &err), -1);
        assert_int_equal(answer.decision.answer, CONTROL_PASS_ALL);
        assert_non_null(
            strstr(err.text, simulated ? "uses a simulated" : "uses a real"));
        decision.simulated = simulated;
        assert_int_equal(launch_decision_answer(&decision, &asked, &answer, &err), 0);
        launch_decision_clear(&decision);
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
