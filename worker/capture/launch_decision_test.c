#include "worker/capture/launch_decision.h"

#include <string.h>

#include "lib/capture/format/records.h"
#include "lib/shm/control_channel.h"
#include "tests/support/unit.h"

static struct control_prepare make_request(const char *kernel, uint64_t launch)
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
    struct control_prepare request = make_request(kernel, ++launch);
    struct err err;

    assert_int_equal(launch_decision_answer(decision, &request, answer, &err), 0);
    assert_true(
        control_message_fits(answer, sizeof(answer->decision), CONTROL_DECISION));
    assert_int_equal(answer->decision.launch, launch);
    return answer->decision.answer;
}

static void kernel_scale_restricts_the_counters_to_the_marked_part(void **ctx)
{
    static const char *const lists[] = {"Memory", "Memory,KernelScale"};

    (void)ctx;
    for (uint32_t i = 0; i < 2; i++) {
        struct launch_decision decision = {.count = 1};
        union control_message answer;

        text_add(&decision.metrics, lists[i]);
        assert_int_equal(answer_to(&decision, "add_custom", &answer), CONTROL_PROFILE);
        assert_int_equal(answer.decision.partial, i);
        assert_int_equal(answer.decision.pass_count, 2);
        assert_string_equal(answer.decision.metrics, lists[i]);
        launch_decision_clear(&decision);
    }
}

static void counters_need_another_execution_for_the_duration(void **ctx)
{
    static const struct {
        const char *metrics;
        enum launch_kind kind;
        uint32_t plain, starts;
    } cases[] = {
        {"PipeUtilization", LAUNCH_SINGLE, 1, 6}, {"L2Cache", LAUNCH_SINGLE, 1, 4},
        {"BasicInfo", LAUNCH_SINGLE, 0, 1},       {"Memory", LAUNCH_COLLECTIVE, 0, 3},
        {"Memory", LAUNCH_RANGE, 0, 3},
    };

    (void)ctx;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct launch_decision decision = {.count = 1};
        struct control_prepare request = make_request("add_custom", 1);
        union control_message answer;
        uint32_t starts;
        struct err err;

        request.launch_kind = cases[i].kind;
        text_add(&decision.metrics, cases[i].metrics);
        assert_int_equal(launch_decision_answer(&decision, &request, &answer, &err), 0);
        assert_int_equal(answer.decision.plain, cases[i].plain);
        assert_int_equal(launch_decision_count_starts(&starts, "Ascend910B1",
                                                      cases[i].metrics, &err),
                         0);
        assert_int_equal(starts, cases[i].starts);
        launch_decision_clear(&decision);
    }
}

static void skip_and_count_select_the_launches(void **ctx)
{
    struct launch_decision decision = {.pattern = "add_*", .count = 2, .skip = 1};
    union control_message answer;

    (void)ctx;
    assert_int_equal(answer_to(&decision, "add_custom", &answer), CONTROL_PASS);
    assert_int_equal(answer_to(&decision, "matmul", &answer), CONTROL_PASS_KERNEL);
    assert_int_equal(answer_to(&decision, "add_custom", &answer), CONTROL_PROFILE);
    assert_int_equal(answer_to(&decision, "add_custom", &answer), CONTROL_PROFILE);
    assert_int_equal(answer_to(&decision, "add_custom", &answer), CONTROL_PASS_ALL);
    assert_string_equal(text_get(&decision.other_kernels), "matmul");
    launch_decision_clear(&decision);
}

/* `group` 0: no other rank takes segment. */
static uint32_t ask_about_range(struct launch_decision *decision,
                                enum control_about about,
                                uint64_t group,
                                uint64_t sequence)
{
    struct control_prepare request = make_request("step", 1);
    union control_message answer;
    struct err err;

    request.launch_kind = LAUNCH_RANGE;
    request.about = about;
    request.group = group;
    request.sequence = sequence;
    assert_int_equal(launch_decision_answer(decision, &request, &answer, &err), 0);
    return answer.decision.answer;
}

static void all_segments_of_a_range_count_once(void **ctx)
{
    struct launch_decision decision = {.pattern = "step", .count = 2};

    (void)ctx;
    assert_int_equal(ask_about_range(&decision, CONTROL_LAUNCH, 0, 0), CONTROL_PROFILE);
    for (int segment = 2; segment <= 4; segment++)
        assert_int_equal(ask_about_range(&decision, CONTROL_LATER_SEGMENT, 0, 0),
                         CONTROL_PROFILE);
    assert_int_equal(ask_about_range(&decision, CONTROL_LAUNCH, 0, 0), CONTROL_PROFILE);
    assert_int_equal(ask_about_range(&decision, CONTROL_LATER_SEGMENT, 0, 0),
                     CONTROL_PROFILE);
    assert_int_equal(ask_about_range(&decision, CONTROL_LAUNCH, 0, 0),
                     CONTROL_PASS_ALL);
    assert_int_equal(decision.in[0].profiled, 2);
    launch_decision_clear(&decision);
}

static void all_segments_of_a_range_of_several_ranks_count_once(void **ctx)
{
    struct launch_decision decision = {.pattern = "step", .count = 1, .barrier_ms = 1};

    (void)ctx;
    for (int rank = 0; rank < 2; rank++)
        assert_int_equal(ask_about_range(&decision, CONTROL_LAUNCH, 9, 1),
                         CONTROL_PROFILE);
    for (uint64_t segment = 2; segment <= 4; segment++)
        for (int rank = 0; rank < 2; rank++)
            assert_int_equal(
                ask_about_range(&decision, CONTROL_LATER_SEGMENT, 9, segment),
                CONTROL_PROFILE);
    assert_int_equal(ask_about_range(&decision, CONTROL_LAUNCH, 9, 5),
                     CONTROL_PASS_GROUP);
    assert_int_equal(decision.in[0].profiled, 1);
    launch_decision_clear(&decision);
}

static void a_range_is_selected_by_its_name_before_its_first_launch(void **ctx)
{
    struct launch_decision decision = {.pattern = "st*", .count = 1};

    (void)ctx;
    assert_int_equal(ask_about_range(&decision, CONTROL_RANGE_NAME, 0, 0),
                     CONTROL_PROFILE);
    assert_int_equal(decision.in[0].matched + decision.in[0].profiled, 0);
    strcpy(decision.pattern, "fo*");
    assert_int_equal(ask_about_range(&decision, CONTROL_RANGE_NAME, 0, 0),
                     CONTROL_PASS_KERNEL);
    assert_string_equal(text_get(&decision.other_kernels), "step");
    launch_decision_clear(&decision);
}

static uint32_t
ask_in_communicator(struct launch_decision *decision, uint64_t group, uint64_t sequence)
{
    struct control_prepare request = make_request("MatmulAllReduce", sequence);
    union control_message answer;
    struct err err;

    request.group = group;
    request.sequence = sequence;
    assert_int_equal(launch_decision_answer(decision, &request, &answer, &err), 0);
    return answer.decision.answer;
}

/* Requests arrive in any order: a process with threads asks for all ranks. */
static void operations_of_a_communicator_are_decided_by_sequence_number(void **ctx)
{
    struct launch_decision decision = {.pattern = "Matmul*", .count = 2, .skip = 1};
    union control_message answer;

    (void)ctx;
    decision.barrier_ms = 1000;
    for (int rank = 0; rank < 3; rank++)
        assert_int_equal(ask_in_communicator(&decision, 7, 4), CONTROL_PASS);
    assert_int_equal(ask_in_communicator(&decision, 7, 6), CONTROL_PROFILE);
    assert_int_equal(ask_in_communicator(&decision, 7, 4), CONTROL_PASS);
    assert_int_equal(ask_in_communicator(&decision, 8, 1),
                     CONTROL_PASS); /* has its own count */
    assert_int_equal(ask_in_communicator(&decision, 7, 6), CONTROL_PROFILE);
    assert_int_equal(ask_in_communicator(&decision, 7, 7), CONTROL_PROFILE);
    assert_int_equal(ask_in_communicator(&decision, 7, 8), CONTROL_PASS_GROUP);
    assert_int_equal(ask_in_communicator(&decision, 7, 6), CONTROL_PROFILE);
    assert_int_equal(ask_in_communicator(&decision, 8, 2), CONTROL_PROFILE);
    assert_int_equal(decision.in[0].profiled, 3);

    /* kernels without a communicator have their own count, which does not end requests
     * of communicators */
    assert_int_equal(answer_to(&decision, "Matmul", &answer), CONTROL_PASS);
    assert_int_equal(answer_to(&decision, "Matmul", &answer), CONTROL_PROFILE);
    assert_int_equal(answer_to(&decision, "Matmul", &answer), CONTROL_PROFILE);
    assert_int_equal(answer_to(&decision, "Matmul", &answer), CONTROL_PASS_KERNEL);
    assert_int_equal(ask_in_communicator(&decision, 8, 3), CONTROL_PROFILE);
    launch_decision_clear(&decision);

    decision = (struct launch_decision){.skip = 2};
    for (uint64_t n = 1; n <= 100; n++)
        assert_int_equal(ask_in_communicator(&decision, 5, n),
                         n <= 2 ? CONTROL_PASS : CONTROL_PROFILE);
    assert_int_equal(ask_in_communicator(&decision, 5, 2), CONTROL_PASS);
    launch_decision_clear(&decision);
}

static uint32_t answer_in(struct launch_decision *decision,
                          const char *ranges,
                          uint64_t group,
                          uint64_t sequence)
{
    struct control_prepare request = make_request("Matmul", sequence);
    union control_message answer;
    struct err err;

    request.group = group;
    request.sequence = sequence;
    strcpy(request.ranges, ranges);
    assert_int_equal(launch_decision_answer(decision, &request, &answer, &err), 0);
    return answer.decision.answer;
}

static void only_launches_in_the_requested_ranges_count(void **ctx)
{
    struct launch_decision decision = {.ranges = "step*", .count = 2, .skip = 1};

    (void)ctx;
    assert_int_equal(answer_in(&decision, "", 0, 0), CONTROL_PASS);
    assert_int_equal(answer_in(&decision, "forward\nstep 1\n", 0, 0), CONTROL_PASS);
    assert_int_equal(answer_in(&decision, "forward\n", 0, 0), CONTROL_PASS);
    assert_int_equal(answer_in(&decision, "a step\n", 0, 0), CONTROL_PASS);
    assert_int_equal(answer_in(&decision, "step 2\nepoch\n", 0, 0), CONTROL_PROFILE);
    assert_int_equal(answer_in(&decision, "step 3", 0, 0), CONTROL_PROFILE);
    assert_int_equal(answer_in(&decision, "", 0, 0), CONTROL_PASS_ALL);
    assert_string_equal(text_get(&decision.other_kernels),
                        "Matmul (in no range of that name)");
    launch_decision_clear(&decision);
}

/* The same for threads, which share the ranges of their process: an operation that one
 * rank met outside the range is not profiled for another rank. */
static void operations_outside_the_requested_ranges_pass_through(void **ctx)
{
    struct launch_decision decision = {.ranges = "step", .count = 2, .skip = 1};

    (void)ctx;
    for (int rank = 0; rank < 2; rank++)
        assert_int_equal(answer_in(&decision, "", 7, 1), CONTROL_PASS);
    assert_int_equal(answer_in(&decision, "step\n", 7, 1), CONTROL_PASS);
    assert_int_equal(answer_in(&decision, "step\n", 7, 2), CONTROL_PASS); /* skipped */
    assert_int_equal(answer_in(&decision, "step\n", 7, 3), CONTROL_PROFILE);
    assert_int_equal(answer_in(&decision, "", 7, 4), CONTROL_PASS);
    assert_int_equal(answer_in(&decision, "step\n", 7, 5), CONTROL_PROFILE);
    for (uint64_t n = 1; n <= 5; n++) /* a slow rank, outside the range once */
        assert_int_equal(answer_in(&decision, n == 4 ? "" : "step\n", 7, n),
                         n == 3 || n == 5 ? CONTROL_PROFILE : CONTROL_PASS);
    assert_int_equal(answer_in(&decision, "", 7, 6), CONTROL_PASS_GROUP);
    assert_int_equal(decision.in[0].profiled, 2);
    launch_decision_clear(&decision);
}

static void each_range_of_a_list_has_its_own_count(void **ctx)
{
    struct launch_decision decision = {
        .ranges = "fo*|warm\nback*", .count = 2, .skip = 1};
    char range[LAUNCH_RANGE_BYTES_MAX];
    uint64_t found, wanted;

    (void)ctx;
    assert_int_equal(answer_in(&decision, "forward\nstep\n", 0, 0), CONTROL_PASS);
    assert_int_equal(answer_in(&decision, "warm\n", 0, 0), CONTROL_PROFILE);
    assert_int_equal(answer_in(&decision, "forward\n", 0, 0), CONTROL_PROFILE);
    assert_int_equal(answer_in(&decision, "forward\n", 0, 0), CONTROL_PASS);
    assert_true(launch_decision_is_short(&decision, &found, &wanted, range));
    assert_string_equal(range, "back*");
    assert_int_equal(found, 0);
    assert_int_equal(wanted, 2);
    assert_int_equal(answer_in(&decision, "", 0, 0), CONTROL_PASS);
    assert_int_equal(answer_in(&decision, "backward\n", 0, 0), CONTROL_PASS);
    /* the innermost range that matches decides */
    assert_int_equal(answer_in(&decision, "backward\nforward\n", 0, 0),
                     CONTROL_PROFILE);
    assert_int_equal(answer_in(&decision, "forward\nbackward\n", 0, 0), CONTROL_PASS);
    assert_int_equal(answer_in(&decision, "other\nbackward\n", 0, 0), CONTROL_PROFILE);
    assert_int_equal(answer_in(&decision, "forward\n", 0, 0), CONTROL_PASS_ALL);
    assert_int_equal(decision.in[0].profiled, 2);
    assert_int_equal(decision.in[1].profiled, 2);
    assert_false(launch_decision_is_short(&decision, &found, &wanted, range));
    launch_decision_clear(&decision);
}

static void each_range_of_a_communicator_has_its_own_count(void **ctx)
{
    static const char *const open[] = {"forward\n", "forward\n",  "backward\n",
                                       "",          "backward\n", "forward\n"};
    static const uint32_t expected[] = {CONTROL_PROFILE, CONTROL_PASS, CONTROL_PROFILE,
                                        CONTROL_PASS,    CONTROL_PASS, CONTROL_PASS};
    struct launch_decision decision = {.ranges = "forward\nbackward\nstep", .count = 1};

    (void)ctx;
    for (int rank = 0; rank < 2; rank++)
        for (uint64_t n = 1; n <= 6; n++)
            assert_int_equal(answer_in(&decision, open[n - 1], 7, n), expected[n - 1]);
    assert_int_equal(answer_in(&decision, "step\n", 7, 7), CONTROL_PROFILE);
    assert_int_equal(answer_in(&decision, "step\n", 7, 8), CONTROL_PASS_GROUP);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(decision.in[i].profiled, 1);
    launch_decision_clear(&decision);
}

static uint32_t answer_of_kind(struct launch_decision *decision,
                               const char *kernel,
                               uint32_t kind,
                               union control_message *answer)
{
    struct control_prepare request = make_request(kernel, 1);
    struct err err;

    request.launch_kind = kind;
    if (kind == LAUNCH_COLLECTIVE)
        request.group = request.sequence = 1;
    assert_int_equal(launch_decision_answer(decision, &request, answer, &err), 0);
    return answer->decision.answer;
}

static void without_a_pattern_collectives_and_messages_are_not_profiled(void **ctx)
{
    struct launch_decision decision = {.count = 9};
    union control_message answer;

    (void)ctx;
    assert_int_equal(
        answer_of_kind(&decision, "HcclAllReduce", LAUNCH_COLLECTIVE, &answer),
        CONTROL_PASS_KERNEL);
    assert_int_equal(
        answer_of_kind(&decision, "HcclSend", LAUNCH_POINT_TO_POINT, &answer),
        CONTROL_PASS_KERNEL);
    assert_int_equal(answer_of_kind(&decision, "add", LAUNCH_SINGLE, &answer),
                     CONTROL_PROFILE);
    assert_string_equal(text_get(&decision.other_kernels),
                        "HcclAllReduce (a collective; name it in profile.kernel), "
                        "HcclSend (point-to-point; name it in profile.kernel)");
    launch_decision_clear(&decision);
}

static void patterns_select_launches_of_all_kinds(void **ctx)
{
    static const char *const patterns[] = {"*", "Hccl*", "add|HcclAll*|HcclSend",
                                           "HcclSend|HcclAllReduce"};
    union control_message answer;

    (void)ctx;
    for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
        struct launch_decision decision = {.count = 9, .warmup = 5};

        strcpy(decision.pattern, patterns[i]);
        assert_int_equal(
            answer_of_kind(&decision, "HcclAllReduce", LAUNCH_COLLECTIVE, &answer),
            CONTROL_PROFILE);
        assert_int_equal(answer.decision.pass_count, 1);
        assert_int_equal(answer.decision.pass[0].event_count, 0);
        assert_int_equal(
            answer_of_kind(&decision, "HcclSend", LAUNCH_POINT_TO_POINT, &answer),
            CONTROL_PROFILE);
        assert_int_equal(answer.decision.once, 1);
        assert_int_equal(answer.decision.warmups, 0);
        assert_int_equal(answer.decision.pass_count, 1);
        assert_int_equal(answer_of_kind(&decision, "add", LAUNCH_SINGLE, &answer),
                         i == 0 || i == 2 ? CONTROL_PROFILE : CONTROL_PASS_KERNEL);
        launch_decision_clear(&decision);
    }
}

static void the_number_of_communicators_is_limited(void **ctx)
{
    struct launch_decision decision = {.count = 1};

    (void)ctx;
    for (uint64_t key = 1; key <= LAUNCH_DECISION_COMMUNICATORS_MAX; key++)
        assert_int_equal(ask_in_communicator(&decision, key, 1), CONTROL_PROFILE);
    assert_int_equal(
        ask_in_communicator(&decision, LAUNCH_DECISION_COMMUNICATORS_MAX + 1, 1),
        CONTROL_PASS_GROUP);
    launch_decision_clear(&decision);
}

static void without_pattern_and_count_all_launches_are_profiled(void **ctx)
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

static void a_launch_on_an_unknown_chip_passes_with_an_error(void **ctx)
{
    struct control_prepare request = make_request("any", 1);
    struct launch_decision decision = {.count = 1};
    union control_message answer;
    struct err err;

    (void)ctx;
    request.chip = 99;
    strcpy(request.soc, "Ascend777");
    assert_int_equal(launch_decision_answer(&decision, &request, &answer, &err), -1);
    assert_int_equal(answer.decision.answer, CONTROL_PASS_ALL);
    assert_non_null(strstr(err.text, "Ascend777"));
    launch_decision_clear(&decision);
}

static void simulated_and_real_cards_do_not_mix(void **ctx)
{
    (void)ctx;
    for (unsigned simulated = 0; simulated <= 1; simulated++) {
        struct control_prepare request = make_request("any", 1);
        struct launch_decision decision = {.simulated = !simulated};
        union control_message answer;
        struct err err;

        request.simulated = simulated;
        assert_int_equal(launch_decision_answer(&decision, &request, &answer, &err),
                         -1);
        assert_int_equal(answer.decision.answer, CONTROL_PASS_ALL);
        assert_non_null(
            strstr(err.text, simulated ? "uses a simulated" : "uses a real"));
        decision.simulated = simulated;
        assert_int_equal(launch_decision_answer(&decision, &request, &answer, &err), 0);
        launch_decision_clear(&decision);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernel_scale_restricts_the_counters_to_the_marked_part),
        cmocka_unit_test(counters_need_another_execution_for_the_duration),
        cmocka_unit_test(skip_and_count_select_the_launches),
        cmocka_unit_test(all_segments_of_a_range_count_once),
        cmocka_unit_test(all_segments_of_a_range_of_several_ranks_count_once),
        cmocka_unit_test(a_range_is_selected_by_its_name_before_its_first_launch),
        cmocka_unit_test(operations_of_a_communicator_are_decided_by_sequence_number),
        cmocka_unit_test(only_launches_in_the_requested_ranges_count),
        cmocka_unit_test(operations_outside_the_requested_ranges_pass_through),
        cmocka_unit_test(each_range_of_a_list_has_its_own_count),
        cmocka_unit_test(each_range_of_a_communicator_has_its_own_count),
        cmocka_unit_test(without_a_pattern_collectives_and_messages_are_not_profiled),
        cmocka_unit_test(patterns_select_launches_of_all_kinds),
        cmocka_unit_test(the_number_of_communicators_is_limited),
        cmocka_unit_test(without_pattern_and_count_all_launches_are_profiled),
        cmocka_unit_test(the_plan_has_the_passes_of_the_metrics),
        cmocka_unit_test(a_launch_on_an_unknown_chip_passes_with_an_error),
        cmocka_unit_test(simulated_and_real_cards_do_not_mix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
