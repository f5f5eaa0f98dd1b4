/* matrix_test.c - each operator over several cards: 2, 4 and 8 ranks, processes and
 * threads, both builds of the runtime
 *
 * The results equal those without inject. All ranks execute equally often from the same
 * memory, all passes are complete, and the arrivals are recorded. By default a part of
 * the matrix runs: each operator as processes and threads and with each build, and all
 * combinations at least once. MUSTER_TEST_MATRIX=whole runs all cells. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/inject/sample_ranks.h"
#include "tests/support/unit.h"

enum { WARMUPS = 1 };

static struct fake_worker_result alone[FAKE_WORKER_RANKS], attached[FAKE_WORKER_RANKS];
static struct sample_ranks run;

static const uint32_t sizes[] = {2, 4, 8};
static const char *const builds[] = {SIM, SIM "/hidden"};
enum kind { PROCESSES, THREADS, KINDS };
enum { SIZES = 3, BUILDS = 2 };

struct cell {
    const struct sample *sample;
    uint32_t ranks;
    enum kind kind;
    const char *build;
    uint32_t passes;
};

static uint32_t executions(const struct cell *cell)
{
    return cell->passes + WARMUPS;
}

static unsigned count_released(const struct fake_worker_result *result,
                               enum barrier_phase phase,
                               uint32_t execution)
{
    unsigned count = 0;

    for (unsigned i = 0; i < result->barriers; i++)
        count += result->barrier[i].phase == phase &&
                 result->barrier[i].execution == execution &&
                 result->barrier[i].reason == 0;
    return count;
}

/* Checks the number of passes, equal memory before each, and their results. */
static void assert_passes(const struct fake_worker_result *result,
                          uint64_t launch,
                          const struct cell *cell)
{
    const struct record_pass *first = NULL;
    unsigned ran = 0, counted = 0;

    for (unsigned k = 0; k < result->passes; k++) {
        const struct record_pass *pass = &result->pass[k];

        if (pass->launch != launch)
            continue;
        first = first ? first : pass;
        assert_true(pass->input_checksum == first->input_checksum);
        assert_int_equal(pass->status, 0);
        assert_true(pass->start_ns < pass->end_ns);
        ran++;
        counted += pass->kind == PASS_COUNTERS;
    }
    assert_int_equal(ran, 1 + executions(cell));
    assert_int_equal(counted, cell->passes);
}

static void assert_replayed(const struct fake_worker_result *result,
                            uint32_t ranks_here,
                            const struct cell *cell)
{
    static const enum barrier_phase once[] = {BARRIER_PREPARE, BARRIER_SAVED,
                                              BARRIER_FIRST};

    assert_false(result->broken);
    assert_int_equal(result->launches, ranks_here);
    assert_int_equal(result->ends, ranks_here);
    for (uint32_t i = 0; i < ranks_here; i++) {
        assert_string_equal(result->launch[i].kernel, cell->sample->kernel);
        assert_int_equal(result->launch[i].kind, cell->sample->kind);
        assert_string_equal(result->end[i].reason, "");
        assert_int_equal(result->end[i].complete, 1);
        assert_int_equal(result->end[i].passes_done, cell->passes);
        assert_int_equal(result->launch_group[i].replayed, 1);
        assert_passes(result, result->launch[i].launch, cell);
    }
    for (size_t i = 0; i < sizeof(once) / sizeof(once[0]); i++)
        assert_int_equal(count_released(result, once[i], 0), ranks_here);
    for (uint32_t n = 0; n < executions(cell); n++) {
        assert_int_equal(count_released(result, BARRIER_START, n), ranks_here);
        assert_int_equal(count_released(result, BARRIER_END, n), ranks_here);
    }
}

/* Collects the barrier records of one execution, exactly one for each rank. */
static void collect(const struct cell *cell,
                    uint32_t n,
                    const struct record_barrier *met[FAKE_WORKER_RANKS])
{
    uint32_t results = cell->kind == THREADS ? 1 : cell->ranks, count = 0;

    memset(met, 0, FAKE_WORKER_RANKS * sizeof(met[0]));
    for (uint32_t s = 0; s < results; s++)
        for (unsigned i = 0; i < attached[s].barriers; i++) {
            const struct record_barrier *one = &attached[s].barrier[i];

            if (one->phase != BARRIER_START || one->execution != n)
                continue;
            assert_in_range(one->rank, 0, cell->ranks - 1);
            assert_null(met[one->rank]);
            met[one->rank] = one;
            count++;
        }
    assert_int_equal(count, cell->ranks);
}

/* No rank was released before the last one arrived, and all have the same planned time.
 */
static void assert_released_together(const struct cell *cell)
{
    const struct record_barrier *met[FAKE_WORKER_RANKS];

    for (uint32_t n = 0; n < executions(cell); n++) {
        collect(cell, n, met);
        for (uint32_t i = 0; i < cell->ranks; i++) {
            assert_int_equal(met[i]->ranks, cell->ranks);
            assert_true(met[i]->key != 0 && met[i]->key == met[0]->key);
            assert_true(met[i]->fingerprint == met[0]->fingerprint);
            assert_true(met[i]->planned_ns == met[0]->planned_ns);
            assert_true(met[i]->arrived_ns > 0);
            assert_true(met[i]->arrived_ns <= met[0]->planned_ns);
            assert_true(met[i]->released_ns >= met[0]->planned_ns);
        }
    }
}

static void start(const struct cell *cell,
                  struct fake_worker_result *results,
                  struct fake_worker_plan plan)
{
    run.home = cell->build;
    if (cell->kind == THREADS)
        sample_run_threads(&run, results, cell->ranks, cell->sample, plan);
    else
        sample_run_processes(&run, results, cell->ranks, cell->sample, plan);
}

/* The only execution of a message, that of the program, is measured. */
static void assert_measured_once(const struct fake_worker_result *result)
{
    assert_int_equal(result->launches, 1);
    assert_int_equal(result->ends, 1);
    assert_int_equal(result->launch[0].kind, LAUNCH_POINT_TO_POINT);
    assert_int_equal(result->launch[0].restore_class, RESTORE_NOT_NEEDED);
    assert_string_equal(result->end[0].reason, "");
    assert_int_equal(result->end[0].complete, 1);
    assert_int_equal(result->passes, 1);
    assert_int_equal(result->pass[0].kind, PASS_COUNTERS);
    assert_int_equal(result->pass[0].status, 0);
    assert_int_equal(result->barriers, 0);
}

static void check(const struct cell *cell)
{
    uint32_t results = cell->kind == THREADS ? 1 : cell->ranks;
    uint32_t each = cell->kind == THREADS ? cell->ranks : 1;
    struct fake_worker_plan plan = {
        .profile = 1,
        .passes = cell->passes,
        .warmups = WARMUPS,
        .barrier_ms = 20000,
    };

    start(cell, attached, plan);
    plan.not_attached = true;
    start(cell, alone, plan);
    for (uint32_t i = 0; i < results; i++) {
        assert_int_equal(alone[i].status, 0);
        assert_int_equal(attached[i].status, 0);
        assert_string_equal(alone[i].out, attached[i].out);
        if (cell->sample->kind == 0) /* of a pair */
            assert_measured_once(&attached[i]);
        else
            assert_replayed(&attached[i], each, cell);
    }
    assert_non_null(strstr(attached[0].out, "result=ok"));
    if (cell->sample->kind != 0)
        assert_released_together(cell);
}

/* Which cells are met in a part of the matrix: two of an operator, one in each kind and
 * each build, and the numbers of ranks in turns. */
static bool is_selected(size_t number, size_t size, size_t kind, size_t build)
{
    return (number + kind) % BUILDS == build &&
           (number / BUILDS + kind * (1 + number % BUILDS)) % SIZES == size;
}

/* Each pass without a restore would add to the error of a computation in place. */
static uint32_t passes_of(size_t number)
{
    return number == SAMPLE_IN_PLACE ? 10 : 3;
}

static void each_operator_is_replayed_by_all_ranks_at_once(void **ctx)
{
    const char *value = getenv("MUSTER_TEST_MATRIX");
    bool all_cells = value && strcmp(value, "whole") == 0;
    bool met[KINDS][SIZES][BUILDS] = {0};
    unsigned cells = 0, combinations = 0;

    (void)ctx;
    for (size_t number = 0; number < SAMPLE_RANKS_COUNT; number++)
        for (size_t at = 0; at < KINDS * SIZES * BUILDS; at++) {
            size_t kind = at % KINDS, size = at / KINDS % SIZES,
                   build = at / KINDS / SIZES;
            const struct cell cell = {&samples[number], sizes[size], (enum kind)kind,
                                      builds[build], passes_of(number)};

            if (!all_cells && !is_selected(number, size, kind, build))
                continue;
            check(&cell);
            met[kind][size][build] = true;
            cells++;
        }
    for (size_t at = 0; at < KINDS * SIZES * BUILDS; at++)
        combinations += (&met[0][0][0])[at];
    assert_int_equal(combinations, KINDS * SIZES * BUILDS);
    print_message("%u of %u cells\n", cells,
                  SAMPLE_RANKS_COUNT * KINDS * SIZES * BUILDS);
}

static int set_up(void **ctx)
{
    (void)ctx;
    return sample_ranks_init(&run, INJECT_LIBRARY, SIM);
}

static int tear_down(void **ctx)
{
    (void)ctx;
    sample_ranks_clear(&run);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_operator_is_replayed_by_all_ranks_at_once),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
