/* analysis_test.c - figures of genuine captures */
#include "parsers/anomaly/analysis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/framework/rank_folders.h"
#include "tests/support/unit.h"

#define SAMPLES "../samples/framework/"

static struct rank_input input;
static struct analysis *analysis;
static struct err err;

/* Analyses a rank of a folder; `leave_out` is a file that is not read. */
static void analyse(const char *path, size_t index, enum rank_file leave_out)
{
    struct rank_folders folders;
    char *paths[] = {(char *)path};

    assert_int_equal(rank_folders_find(&folders, paths, 1, &err), 0);
    free(folders.rows[index].files[leave_out]);
    folders.rows[index].files[leave_out] = NULL;
    assert_int_equal(rank_input_read(&input, &folders.rows[index], &err), 0);
    rank_list_clear(&folders);
    analysis = analysis_create(&input);
    assert_int_equal(analysis->step_count, 1);
}

static int clear(void **ctx)
{
    (void)ctx;
    analysis_destroy(analysis);
    analysis = NULL;
    rank_input_clear(&input);
    return 0;
}

struct oracle {
    int64_t first_kernel, step_start, service, busy, prelaunch, internal,
        largest; /* ns */
    size_t rows, count, significant;
    int64_t significant_total, kernel_sum, total_cost, compute, comm, overlap;
    size_t lag, sync, with_comm, untraced; /* gaps per label */
    unsigned bubble_tags;
};

static void check(const struct oracle *oracle)
{
    const struct step *step = &analysis->steps[0];
    const struct bubbles *bubbles = &step->bubbles;
    size_t labels[LABEL_COUNT] = {0};

    assert_int_equal(input.kernels.count, oracle->rows);
    assert_int_equal(input.kernels.rows[0].start, oracle->first_kernel);
    assert_int_equal(step->window.start - oracle->first_kernel, oracle->step_start);
    assert_int_equal(bubbles->service, oracle->service);
    assert_int_equal(bubbles->busy, oracle->busy);
    assert_int_equal(bubbles->prelaunch, oracle->prelaunch);
    assert_int_equal(bubbles->tail, 0);
    assert_int_equal(bubbles->internal, oracle->internal);
    assert_int_equal(bubbles->largest, oracle->largest);
    assert_int_equal(bubbles->count, oracle->count);
    assert_int_equal(bubbles->prelaunch + bubbles->internal + bubbles->tail +
                         bubbles->busy,
                     bubbles->service);
    assert_int_equal(step->significant_count, oracle->significant);
    assert_int_equal(step->significant_total, oracle->significant_total);
    assert_int_equal(step->kernel_sum, oracle->kernel_sum);
    assert_int_equal(step->total_cost, oracle->total_cost);
    assert_int_equal(step->compute, oracle->compute);
    assert_int_equal(step->comm, oracle->comm);
    assert_int_equal(step->overlap, oracle->overlap);
    assert_int_equal(step->compute + step->comm - step->overlap, bubbles->busy);
    for (size_t i = 0; i < analysis->gap_count; i++)
        for (enum label label = 0; label < LABEL_COUNT; label++)
            labels[label] += analysis->gaps[i].labels >> label & 1;
    assert_int_equal(labels[LABEL_LAUNCH_LAG], oracle->lag);
    assert_int_equal(labels[LABEL_SYNC], oracle->sync);
    assert_int_equal(labels[LABEL_COMM], oracle->with_comm);
    assert_int_equal(labels[LABEL_UNTRACED], oracle->untraced);
    assert_int_equal(step->tags & TAGS_HEAVY, oracle->bubble_tags);
}

/* The profiler computed the same sums with doubles that have steps of 0.25 us. */
static void check_step_trace(void)
{
    const struct step *step = &analysis->steps[0];
    const double *us = input.step_trace.rows[0].us;
    const struct {
        enum step_time time;
        int64_t ns;
    } sums[] = {
        {STEP_COMPUTING, step->compute},
        {STEP_COMMUNICATION, step->comm},
        {STEP_OVERLAPPED, step->overlap},
        {STEP_COMMUNICATION_ALONE, step->comm - step->overlap},
        {STEP_FREE, step->bubbles.internal},
        {STEP_STAGE, step->bubbles.service - step->bubbles.prelaunch},
        {STEP_PREPARING, step->bubbles.prelaunch},
    };

    for (size_t i = 0; i < sizeof(sums) / sizeof(*sums); i++)
        assert_true(fabs(us[sums[i].time] - (double)sums[i].ns / 1000) < 0.5);
}

static void a_training_step_of_rank_0(void **ctx)
{
    static const struct oracle oracle = {1736408883704643212,
                                         -17902502,
                                         154483511,
                                         110836940,
                                         17902502,
                                         25744069,
                                         1318826,
                                         191,
                                         90,
                                         39,
                                         39223108,
                                         114865613,
                                         215986254,
                                         8873737,
                                         105991876,
                                         4028673,
                                         34,
                                         4,
                                         1,
                                         0,
                                         1 << TAG_DEVICE_IDLE_GAP_HEAVY |
                                             1 << TAG_PRELAUNCH_GAP_HEAVY};
    (void)ctx;
    analyse(SAMPLES "alexnet_ddp_level1_text", 0, RANK_DATABASE);
    check(&oracle);
    check_step_trace();
    assert_int_equal(analysis->windows.source, STEP_SOURCE_MARKER);
    assert_int_equal(analysis->gaps[0].kind, GAP_PRELAUNCH);
    assert_int_equal(llround(analysis->gaps[0].share.host * 10000), 10000);
    assert_int_equal(llround(analysis->gaps[0].share.sync * 10000), 4133);
    assert_int_equal(analysis->gaps[0].labels, 1 << LABEL_SYNC);
    assert_int_equal(analysis->steps[0].stream_count, 2);
    assert_int_equal(analysis->steps[0].class_counts[UNIT_COMM], 4);
}

static void a_training_step_of_rank_1(void **ctx)
{
    static const struct oracle oracle = {1736408883709301270,
                                         -20433190,
                                         152345805,
                                         105237328,
                                         20433190,
                                         26675287,
                                         1348567,
                                         191,
                                         90,
                                         45,
                                         43238693,
                                         109253559,
                                         205647659,
                                         8878275,
                                         100375284,
                                         4016231,
                                         39,
                                         5,
                                         1,
                                         0,
                                         1 << TAG_DEVICE_IDLE_GAP_HEAVY |
                                             1 << TAG_PRELAUNCH_GAP_HEAVY};
    (void)ctx;
    analyse(SAMPLES "alexnet_ddp_level1_text", 1, RANK_DATABASE);
    check(&oracle);
    check_step_trace();
}

/* Figures of the databases agree with the step times of analysis.db. */
static void check_database(size_t rank, const struct oracle *oracle)
{
    const struct step *step;

    analyse(SAMPLES "alexnet_ddp_level1_db", rank, RANK_COMM);
    step = &analysis->steps[0];
    assert_int_equal(input.kernels.count, 191);
    assert_int_equal(input.kernels.rows[0].start, oracle->first_kernel);
    assert_int_equal(step->window.start - oracle->first_kernel, oracle->step_start);
    assert_int_equal(step->bubbles.service, oracle->service);
    assert_int_equal(step->bubbles.busy, oracle->busy);
    assert_int_equal(step->bubbles.prelaunch, oracle->prelaunch);
    assert_int_equal(step->bubbles.internal, oracle->internal);
    assert_int_equal(step->bubbles.largest, oracle->largest);
    assert_int_equal(step->bubbles.count, 90);
    assert_int_equal(step->tags & TAGS_HEAVY, oracle->bubble_tags);
    assert_string_equal(step_source_name(analysis->windows.source), "step_time_table");
    assert_true(input.has_comm);
    assert_true(input.has_step_trace);
    check_step_trace();
}

static void databases_of_both_ranks(void **ctx)
{
    static const unsigned tags =
        1 << TAG_DEVICE_IDLE_GAP_HEAVY | 1 << TAG_PRELAUNCH_GAP_HEAVY;
    (void)ctx;
    check_database(0, &(struct oracle){.first_kernel = 1736410576404465403,
                                       .step_start = -18055693,
                                       .service = 150289215,
                                       .busy = 106975378,
                                       .prelaunch = 18055693,
                                       .internal = 25258144,
                                       .largest = 2338607,
                                       .bubble_tags = tags});
    assert_int_equal(analysis->steps[0].compute, 8903431);
    assert_int_equal(analysis->steps[0].comm, 102108100);
    clear(NULL);
    check_database(1, &(struct oracle){.first_kernel = 1736410576407391697,
                                       .step_start = -17512827,
                                       .service = 146825010,
                                       .busy = 103471684,
                                       .prelaunch = 17512827,
                                       .internal = 25840499,
                                       .largest = 1301346,
                                       .bubble_tags = tags});
}

static void a_capture_without_trace_and_step_times(void **ctx)
{
    static const struct oracle oracle = {1764246877073569640,
                                         0,
                                         810022360,
                                         651464360,
                                         0,
                                         158558000,
                                         2578400,
                                         2463,
                                         2462,
                                         521,
                                         117715860,
                                         651464360,
                                         810046990,
                                         231290100,
                                         420174260,
                                         0,
                                         0,
                                         0,
                                         0,
                                         521,
                                         0};
    (void)ctx;
    analyse(SAMPLES "qwen3_pp2dp2_level2_text", 0, RANK_STEP_TRACE);
    check(&oracle);
    assert_int_equal(analysis->windows.source, STEP_SOURCE_STEP_ID);
    assert_true(isnan(analysis->gaps[0].share.host));
    assert_true(analysis->requires_host_followup);
    assert_int_equal(analysis->confidence, CONFIDENCE_LOW);
}

/* With the step times, the step starts when the host started it: Preparing, 206.25 us.
 */
static void preparing_extends_a_step_without_marker(void **ctx)
{
    const struct bubbles *bubbles;
    (void)ctx;
    analyse(SAMPLES "qwen3_pp2dp2_level2_text", 0, RANK_DATABASE);
    bubbles = &analysis->steps[0].bubbles;
    assert_int_equal(bubbles->prelaunch, 206250);
    assert_int_equal(bubbles->service, 810022360 + 206250);
    assert_int_equal(analysis->steps[0].significant_count, 522);
    check_step_trace();
}

static void the_largest_gaps_are_found(void **ctx)
{
    static const int64_t largest[3][2] = {
        {3126023, 4444849}, {10313686, 11554151}, {13546071, 14771836}};
    size_t found = 0;
    (void)ctx;
    analyse(SAMPLES "alexnet_ddp_level1_text", 0, RANK_DATABASE);
    for (size_t i = 0; i < analysis->gap_count; i++)
        for (size_t j = 0; j < 3; j++)
            found += analysis->gaps[i].kind == GAP_INTERNAL &&
                     analysis->gaps[i].start - analysis->busy.start == largest[j][0] &&
                     analysis->gaps[i].end - analysis->busy.start == largest[j][1];
    assert_int_equal(found, 3);
    for (size_t i = 0; i < analysis->gap_count; i++) {
        const struct gap *gap = &analysis->gaps[i];

        assert_int_equal(input.kernels.rows[gap->next].start, gap->end);
        assert_true(gap->kind == GAP_PRELAUNCH ||
                    input.kernels.rows[analysis->by_end[gap->previous]].end ==
                        gap->start);
    }
}

/* Checks the anchors: name, calls, sums of duration and wait in ns, rank. */
static void check_anchor(const char *name,
                         size_t calls,
                         int64_t duration,
                         int64_t wait,
                         size_t rank)
{
    const struct ops *ops = &analysis->steps[0].ops;

    for (size_t i = 0; i < ops->count; i++) {
        const struct op *op = &ops->rows[i];

        if (!op->is_anchor || strcmp(names_text(input.names, op->name), name) != 0)
            continue;
        assert_int_equal(op->calls, calls);
        assert_int_equal(op->duration, duration);
        assert_int_equal(op->wait, wait);
        assert_int_equal(op->cost_rank, rank);
        return;
    }
    fail();
}

static size_t count_anchors(void)
{
    size_t count = 0;

    for (size_t i = 0; i < analysis->steps[0].ops.count; i++)
        count += analysis->steps[0].ops.rows[i].is_anchor;
    return count;
}

static void wait_anchors_are_found(void **ctx)
{
    (void)ctx;
    analyse(SAMPLES "alexnet_ddp_level1_text", 0, RANK_DATABASE);
    assert_int_equal(count_anchors(), 2);
    check_anchor("aclnnInplaceFillScalar_FillAiCore_Fill", 1, 1440, 1025261, 8);
    check_anchor("aclnnDropoutGenMaskV2_DSAGenBitMask_DSAGenBitMask", 2, 5520, 1967580,
                 9);
    clear(NULL);
    analyse(SAMPLES "qwen3_pp2dp2_level2_text", 0, RANK_STEP_TRACE);
    assert_int_equal(count_anchors(), 0);
}

static int compare_times(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;

    return left < right ? -1 : left > right;
}

/* Checks the shortest, the upper one of the two in the middle, and the longest of the
 * whole layers, in us. */
static void check_walls(const struct structures *structures,
                        enum structure_kind kind,
                        const int64_t us[3])
{
    int64_t walls[64];
    size_t count = 0;

    for (size_t i = 0; i < structures->count; i++)
        if (structures->rows[i].kind == kind && !structures->rows[i].ends_pass)
            walls[count++] = structures->rows[i].end - structures->rows[i].start;
    qsort(walls, count, sizeof(*walls), compare_times);
    assert_int_equal(count, 26);
    assert_int_equal((walls[0] + 500) / 1000, us[0]);
    assert_int_equal((walls[13] + 500) / 1000, us[1]);
    assert_int_equal((walls[25] + 500) / 1000, us[2]);
}

static void layers_and_passes_are_found(void **ctx)
{
    static const enum structure_kind passes[] = {
        STRUCTURE_LAYER, STRUCTURE_LAYER, STRUCTURE_LAYER_GRAD, STRUCTURE_LAYER_GRAD};
    const struct structures *structures;
    size_t counts[STRUCTURE_KIND_COUNT] = {0}, kernels = 0;
    (void)ctx;
    analyse(SAMPLES "qwen3_pp2dp2_level2_text", 0, RANK_DATABASE);
    structures = &analysis->steps[0].structures;
    assert_int_equal(structures->rows[0].kind, STRUCTURE_PROLOGUE);
    assert_int_equal(structures->rows[0].count, 30);
    assert_int_equal(structures->template_length[STRUCTURE_LAYER], 31);
    assert_int_equal(structures->template_length[STRUCTURE_LAYER_GRAD], 36);
    assert_int_equal(structures->equal_count[STRUCTURE_LAYER], 26);
    assert_int_equal(structures->equal_count[STRUCTURE_LAYER_GRAD], 26);
    for (size_t i = 0; i < structures->count; i++) {
        const struct structure *row = &structures->rows[i];

        counts[row->kind]++;
        kernels += row->count;
        if (row->kind == STRUCTURE_LAYER || row->kind == STRUCTURE_LAYER_GRAD)
            assert_int_equal(row->ends_pass, row->number == 13 || row->number == 27);
        if (row->ends_pass)
            assert_int_equal(row->count, row->kind == STRUCTURE_LAYER ? 8 : 22);
    }
    assert_int_equal(counts[STRUCTURE_LAYER], 28);
    assert_int_equal(counts[STRUCTURE_LAYER_GRAD], 28);
    assert_int_equal(counts[STRUCTURE_EPILOGUE], 1);
    assert_int_equal(kernels, 2463);
    assert_int_equal(structures->pass_count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(structures->passes[i].kind, passes[i]);
        assert_int_equal(structures->passes[i].layers, 14);
    }
    check_walls(structures, STRUCTURE_LAYER, (int64_t[]){4220, 4766, 6076});
    check_walls(structures, STRUCTURE_LAYER_GRAD, (int64_t[]){4929, 5464, 6688});
}

static void a_rank_without_kernels_is_an_error(void **ctx)
{
    struct rank_folder folder = {.path = "x", .output = "x", .rank = 3};
    (void)ctx;
    assert_int_equal(rank_input_read(&input, &folder, &err), -1);
    assert_non_null(strstr(err.text, "rank 3: x has no kernel_details.csv"));
}

#define CASE(name) cmocka_unit_test_teardown(name, clear)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_training_step_of_rank_0),
        CASE(a_training_step_of_rank_1),
        CASE(databases_of_both_ranks),
        CASE(a_capture_without_trace_and_step_times),
        CASE(preparing_extends_a_step_without_marker),
        CASE(the_largest_gaps_are_found),
        CASE(wait_anchors_are_found),
        CASE(layers_and_passes_are_found),
        CASE(a_rank_without_kernels_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
