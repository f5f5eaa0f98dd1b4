/* slurm_test.c - command lines for Slurm, and real output of Slurm 22.05 */
#include "lib/cluster/slurm.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/text.h"
#include "tests/support/unit.h"

static const char *const more[] = {"--partition=main"};
static const struct allocation_request request = {.name = "night",
                                                  .resource = "npu",
                                                  .model = "Ascend910B2",
                                                  .nodes = 2,
                                                  .cards_per_node = 4,
                                                  .time_limit_ms = 90001,
                                                  .idle_ms = 5000,
                                                  .simulated = true,
                                                  .options = more,
                                                  .option_count = 1};

static char *joined(const struct alloc_command *command)
{
    struct text text = {0};

    for (char **word = command->argv; *word; word++)
        text_printf(&text, "%s%s", text.length ? " " : "", *word);
    return text_take(&text);
}

static void the_submission_has_place_time_and_a_script_for_the_workers(void **ctx)
{
    struct alloc_command command =
        alloc_slurm_submit(&request, "muster-ab-7", "/log", "/opt/it's/muster");
    char *line = joined(&command);

    (void)ctx;
    assert_string_equal(line, "sbatch --parsable --job-name=muster-ab-7"
                              " --output=/log/muster-ab-7.log --no-requeue --nodes=2"
                              " --ntasks-per-node=1 --gres=npu:4 --time=2"
                              " --partition=main");
    assert_non_null(strstr(command.input, "exec srun --ntasks-per-node=1"));
    assert_non_null(strstr(command.input, " '/opt/it'\\''s/muster' 'alloc' 'node'"
                                          " '--name=muster-ab-7'"));
    assert_non_null(strstr(command.input, "'--model=Ascend910B2' '--simulated'\n"));
    free(line);
    alloc_command_clear(&command);
}

static void step_query_cancel_and_dry_run_have_their_command_lines(void **ctx)
{
    static const char *const names[] = {"a", "b"};
    struct alloc_command commands[] = {
        alloc_slurm_step(&request, "s", "/bin/muster"),
        alloc_slurm_look(names, 2),
        alloc_slurm_cancel("a"),
        alloc_slurm_dry_run(&request, "/bin/muster"),
    };
    static const char *const expected[] = {
        "srun --job-name=s --ntasks-per-node=1 --nodes=2 --ntasks=2"
        " --kill-on-bad-exit=0 --overlap --partition=main /bin/muster alloc node",
        "squeue --noheader --states=all --format=%i|%T|%j --name=a,b",
        "scancel --name=a",
        "sbatch --test-only --nodes=2 --ntasks-per-node=1 --gres=npu:4 --time=2"
        " --partition=main",
    };

    (void)ctx;
    for (size_t i = 0; i < 4; i++) {
        char *line = joined(&commands[i]);

        assert_ptr_equal(strstr(line, expected[i]), line);
        free(line);
        alloc_command_clear(&commands[i]);
    }
}

static void job_numbers_are_read_and_other_output_is_rejected(void **ctx)
{
    static const char *const bad[] = {"",
                                      "\n",
                                      "-4\n",
                                      "0\n",
                                      "12x\n",
                                      "sbatch: error: no\n",
                                      "99999999999999999999999\n"};
    uint64_t number;
    struct err err;

    (void)ctx;
    assert_int_equal(alloc_slurm_read_number("17\n", &number, &err), 0);
    assert_int_equal(number, 17);
    assert_int_equal(alloc_slurm_read_number("18;cluster\n", &number, &err), 0);
    assert_int_equal(number, 18);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(alloc_slurm_read_number(bad[i], &number, &err), -1);
}

static void a_state_is_found_by_the_complete_job_name(void **ctx)
{
    static const char output[] = "12|RUNNING|muster-ab-1\n"
                                 "13|PENDING|muster-ab-10\n"
                                 "14|COMPLETED|muster-ab-2\n"
                                 "garbage\n"
                                 "15|RUNNING\n"
                                 "16|NODE_FAIL|muster-ab-3";
    uint64_t number = 0;

    (void)ctx;
    assert_int_equal(alloc_slurm_read_state(output, "muster-ab-1", &number),
                     ALLOC_RUNNING);
    assert_int_equal(number, 12);
    assert_int_equal(alloc_slurm_read_state(output, "muster-ab-10", &number),
                     ALLOC_QUEUED);
    assert_int_equal(alloc_slurm_read_state(output, "muster-ab-2", &number),
                     ALLOC_ENDED);
    assert_int_equal(alloc_slurm_read_state(output, "muster-ab-3", &number),
                     ALLOC_ENDED);
    assert_int_equal(number, 16);
    assert_int_equal(alloc_slurm_read_state(output, "muster-ab", &number), ALLOC_ENDED);
    assert_int_equal(alloc_slurm_read_state("", "muster-ab-1", &number), ALLOC_ENDED);
    for (int state = 0; state < ALLOC_STATE_END; state++)
        assert_int_equal(alloc_state_of(alloc_state_name((enum alloc_state)state)),
                         state);
    assert_int_equal(alloc_state_of("x"), ALLOC_STATE_END);
}

static void the_cards_of_a_node_are_read_from_its_line(void **ctx)
{
    static const char output[] =
        "JobId=1 JobName=muster-a\n"
        "   JOB_GRES=npu:6\n"
        "     Nodes=n[0-1] CPU_IDs=1 Mem=0 GRES=npu:2(IDX:0-1)\n"
        "     Nodes=rack[008-012,20],solo CPU_IDs=1 Mem=0"
        " GRES=gpu:1(IDX:7),npu:910b:3(IDX:0,2-3)\n"
        "     Nodes=n5 CPU_IDs=1 Mem=0 GRES=npu:0(IDX:)\n"
        "   MinCPUsNode=1 GRES=npu:2(IDX:9)\n";
    static const struct {
        const char *node, *cards; /* NULL: none is listed */
    } cases[] = {
        {"n0", "0,1"},        {"n1", "0,1"},    {"n2", NULL},
        {"n", NULL},          {"n01", NULL},    {"rack008", "0,2,3"},
        {"rack012", "0,2,3"}, {"rack13", NULL}, {"rack013", NULL},
        {"rack20", "0,2,3"},  {"rack8", NULL},  {"solo", "0,2,3"},
        {"sol", NULL},        {"n5", NULL},     {"", NULL},
    };
    char cards[64];
    struct err err;

    (void)ctx;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int result = alloc_slurm_read_cards(output, cases[i].node, "npu", cards,
                                            sizeof(cards), &err);

        assert_int_equal(result, cases[i].cards ? 0 : -1);
        if (cases[i].cards)
            assert_string_equal(cards, cases[i].cards);
    }
    assert_int_equal(alloc_slurm_read_cards(output, "rack20", "gpu", cards, 64, &err),
                     0);
    assert_string_equal(cards, "7");
    assert_int_equal(alloc_slurm_read_cards(output, "n0", "npu", cards, 3, &err), -1);
    assert_int_equal(err.code, ERR_LIMIT);
}

/* Cuts the text at every length and changes a character: the functions return a result
 * or an error and read nothing after the end. */
static void damaged_output_gives_a_result_or_an_error(void **ctx)
{
    static const char output[] = " Nodes=a[0-1,7],b GRES=npu:2(IDX:0-1,3)\n";
    char cards[64];
    uint64_t number;
    struct err err;

    (void)ctx;
    for (size_t cut = 0; cut < sizeof(output); cut++)
        for (int c = ' '; c < 127; c++) {
            char *copy = strndup(output, cut);

            if (cut)
                copy[(size_t)c % cut] = (char)c;
            if (alloc_slurm_read_cards(copy, "a1", "npu", cards, sizeof(cards), &err) ==
                0)
                assert_true(strlen(cards) > 0);
            assert_in_range(alloc_slurm_read_state(copy, "b", &number), 0,
                            ALLOC_STATE_END - 1);
            free(copy);
        }
}

static void the_script_starts_the_workers_of_each_node(void **ctx)
{
    struct allocation_request least = request;
    struct alloc_command command;

    (void)ctx;
    command = alloc_slurm_submit(&request, "j", "/log", "/m");
    assert_string_equal(
        command.input,
        "#!/bin/sh\n"
        "# Starts one worker per card. Each exits after its idle time.\n"
        "exec srun --ntasks-per-node=1 --kill-on-bad-exit=0 '/m' 'alloc' 'node' "
        "'--name=j' '--resource=npu' '--idle=5000ms' '--model=Ascend910B2' "
        "'--simulated'\n");
    alloc_command_clear(&command);
    assert_null(command.argv);
    least.model = "";
    least.simulated = false;
    least.time_limit_ms = 0;
    least.option_count = 0;
    command = alloc_slurm_submit(&least, "j", "/log", "/m");
    char *line = joined(&command);
    assert_string_equal(line, "sbatch --parsable --job-name=j --output=/log/j.log "
                              "--no-requeue --nodes=2 --ntasks-per-node=1 "
                              "--gres=npu:4");
    assert_non_null(strstr(command.input, "'--idle=5000ms'\n"));
    free(line);
    alloc_command_clear(&command);
}

static void times_are_rounded_up_to_minutes(void **ctx)
{
    static const struct {
        uint64_t ms;
        const char *time;
    } cases[] = {
        {1, " --time=1 "},      {60000, " --time=1 "},    {60001, " --time=2 "},
        {120000, " --time=2 "}, {3600000, " --time=60 "},
    };

    (void)ctx;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct allocation_request timed = request;
        char *line;

        timed.time_limit_ms = cases[i].ms;
        struct alloc_command command = alloc_slurm_dry_run(&timed, "/m");
        line = joined(&command);
        assert_non_null(strstr(line, cases[i].time));
        free(line);
        alloc_command_clear(&command);
    }
}

static void each_state_of_slurm_is_queued_running_or_ended(void **ctx)
{
    static const struct {
        const char *word;
        enum alloc_state state;
    } cases[] = {
        {"PENDING", ALLOC_QUEUED},
        {"CONFIGURING", ALLOC_QUEUED},
        {"REQUEUED", ALLOC_QUEUED},
        {"REQUEUE_HOLD", ALLOC_QUEUED},
        {"RESV_DEL_HOLD", ALLOC_QUEUED},
        {"SPECIAL_EXIT", ALLOC_QUEUED},
        {"RUNNING", ALLOC_RUNNING},
        {"SUSPENDED", ALLOC_RUNNING},
        {"STOPPED", ALLOC_RUNNING},
        {"RESIZING", ALLOC_RUNNING},
        {"SIGNALING", ALLOC_RUNNING},
        {"STAGE_OUT", ALLOC_RUNNING},
        {"COMPLETING", ALLOC_ENDED},
        {"CANCELLED", ALLOC_ENDED},
        {"FAILED", ALLOC_ENDED},
        {"TIMEOUT", ALLOC_ENDED},
        {"RUNNIN", ALLOC_ENDED},
        {"RUNNINGS", ALLOC_ENDED},
        {"", ALLOC_ENDED},
    };

    (void)ctx;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct text output = {0};
        uint64_t number = 0;

        text_printf(&output, "\n4|x|y\n70|%s|job\n", cases[i].word);
        assert_int_equal(alloc_slurm_read_state(text_get(&output), "job", &number),
                         cases[i].state);
        assert_int_equal(number, 70);
        text_clear(&output);
    }
}

static void lists_of_nodes_and_cards_have_these_forms(void **ctx)
{
    static const struct {
        const char *nodes, *gres, *node, *cards; /* cards NULL: an error */
    } cases[] = {
        {"a1", "npu:1(IDX:5)", "a1", "5"},
        {"a[1]", "npu:1(IDX:5)", "a1", "5"},
        {"a[1-3]", "npu:1(IDX:5)", "a3", "5"},
        {"a[1-3]", "npu:1(IDX:5)", "a4", NULL},
        {"a[1-3]", "npu:1(IDX:5)", "a0", NULL},
        {"a[8-12]", "npu:1(IDX:5)", "a10", "5"},
        {"a[08-12]", "npu:1(IDX:5)", "a010", NULL},
        {"a[08-12]", "npu:1(IDX:5)", "a08", "5"},
        {"a[8-12]", "npu:1(IDX:5)", "a08", NULL},
        {"a[1-]", "npu:1(IDX:5)", "a1", NULL},
        {"a[-1]", "npu:1(IDX:5)", "a1", NULL},
        {"a[1x]", "npu:1(IDX:5)", "a1", NULL},
        {"a[1", "npu:1(IDX:5)", "a1", NULL},
        {"b,a[1,3],c", "npu:1(IDX:5)", "a3", "5"},
        {"b,a[1,3],c", "npu:1(IDX:5)", "c", "5"},
        {"a", "npu(IDX:5)", "a", "5"},
        {"a", "npux:1(IDX:5)", "a", NULL},
        {"a", "npu:2(IDX:0,9-11,15)", "a", "0,9,10,11,15"},
        {"a", "npu:2(IDX:3-2)", "a", NULL},
        {"a", "npu:2(IDX:4095)", "a", "4095"},
        {"a", "npu:2(IDX:4096)", "a", NULL},
        {"a", "gpu:1(IDX:1),npu:1(IDX:2)", "a", "2"},
    };

    (void)ctx;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct text output = {0};
        char cards[64];
        struct err err;

        text_printf(&output, "   Nodes=%s CPU_IDs=0 GRES=%s\n", cases[i].nodes,
                    cases[i].gres);
        int result = alloc_slurm_read_cards(text_get(&output), cases[i].node, "npu",
                                            cards, sizeof(cards), &err);
        if (result != (cases[i].cards ? 0 : -1))
            fail_msg("%s: %s", text_get(&output), result < 0 ? err.text : cards);
        if (cases[i].cards)
            assert_string_equal(cards, cases[i].cards);
        text_clear(&output);
    }
}

static void a_list_of_cards_needs_its_room(void **ctx)
{
    static const char output[] = "   Nodes=a CPU_IDs=0 GRES=npu:4(IDX:0-1,10)\n";

    (void)ctx;
    for (size_t room = 1; room <= 8; room++) {
        char *cards = malloc(room); /* a sanitizer checks its end */
        struct err err;
        int result = alloc_slurm_read_cards(output, "a", "npu", cards, room, &err);

        assert_int_equal(result, room >= sizeof("0,1,10") ? 0 : -1);
        if (result == 0)
            assert_string_equal(cards, "0,1,10");
        else
            assert_int_equal(err.code, ERR_LIMIT);
        free(cards);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_submission_has_place_time_and_a_script_for_the_workers),
        cmocka_unit_test(step_query_cancel_and_dry_run_have_their_command_lines),
        cmocka_unit_test(job_numbers_are_read_and_other_output_is_rejected),
        cmocka_unit_test(a_state_is_found_by_the_complete_job_name),
        cmocka_unit_test(the_cards_of_a_node_are_read_from_its_line),
        cmocka_unit_test(the_script_starts_the_workers_of_each_node),
        cmocka_unit_test(times_are_rounded_up_to_minutes),
        cmocka_unit_test(each_state_of_slurm_is_queued_running_or_ended),
        cmocka_unit_test(lists_of_nodes_and_cards_have_these_forms),
        cmocka_unit_test(a_list_of_cards_needs_its_room),
        cmocka_unit_test(damaged_output_gives_a_result_or_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
