/* matrix_test.c - every operator over several cards: 2, 4 and 8 ranks, processes and
 * threads, both builds of the runtime
 *
 * Each gives the answer it gives alone; all ranks execute equally often from the same
 * memory; all passes are whole; and who came when is kept. A part of it, in which each
 * operator meets each way and each build, and every pair of the rest is met; all of it
 * with MATRIX=whole. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/inject/sample_ranks.h"
#include "tests/support/unit.h"

enum { WARMUPS = 1 };

static struct fake_worker_story alone[FAKE_WORKER_RANKS], attached[FAKE_WORKER_RANKS];
static struct sample_ranks run;

static const uint32_t sizes[] = {2, 4, 8};
static const char *const homes[] = {SIM, SIM "/hidden"};
enum way { PROCESSES, THREADS, WAYS };
enum { SIZES = 3, HOMES = 2 };

struct cell {
    const struct sample *sample;
    uint32_t ranks;
    enum way way;
    const char *home;
    uint32_t passes;
};

static uint32_t executions(const struct cell *cell)
{
    return cell->passes + WARMUPS;
}

static unsigned count_met(const struct fake_worker_story *story,
                          enum barrier_phase phase,
                          uint32_t execution)
{
    unsigned count = 0;

    for (unsigned i = 0; i < story->barriers; i++)
        count += story->barrier[i].phase == phase &&
                 story->barrier[i].execution == execution &&
                 story->barrier[i].reason == 0;
    return count;
}

/* As often as all others, each time from the same memory, and with nothing lost. */
static void assert_passes(const struct fake_worker_story *story,
                          uint64_t launch,
                          const struct cell *cell)
{
    const struct record_pass *first = NULL;
    unsigned ran = 0, counted = 0;

    for (unsigned k = 0; k < story->passes; k++) {
        const struct record_pass *pass = &story->pass[k];

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

static void assert_replayed(const struct fake_worker_story *story,
                            uint32_t ranks_here,
                            const struct cell *cell)
{
    static const enum barrier_phase once[] = {BARRIER_PREPARE, BARRIER_SAVED,
                                              BARRIER_FIRST};

    assert_false(story->broken);
    assert_int_equal(story->launches, ranks_here);
    assert_int_equal(story->ends, ranks_here);
    for (uint32_t i = 0; i < ranks_here; i++) {
        assert_string_equal(story->launch[i].kernel, cell->sample->kernel);
        assert_int_equal(story->launch[i].kind, cell->sample->kind);
        assert_string_equal(story->end[i].reason, "");
        assert_int_equal(story->end[i].complete, 1);
        assert_int_equal(story->end[i].passes_done, cell->passes);
        assert_int_equal(story->launch_group[i].replayed, 1);
        assert_passes(story, story->launch[i].launch, cell);
    }
    for (size_t i = 0; i < sizeof(once) / sizeof(once[0]); i++)
        assert_int_equal(count_met(story, once[i], 0), ranks_here);
    for (uint32_t n = 0; n < executions(cell); n++) {
        assert_int_equal(count_met(story, BARRIER_START, n), ranks_here);
        assert_int_equal(count_met(story, BARRIER_END, n), ranks_here);
    }
}

/* The meetings of one execution, of all ranks; each rank was there once. */
static void collect(const struct cell *cell,
                    uint32_t n,
                    const struct record_barrier *met[FAKE_WORKER_RANKS])
{
    uint32_t stories = cell->way == THREADS ? 1 : cell->ranks, count = 0;

    memset(met, 0, FAKE_WORKER_RANKS * sizeof(met[0]));
    for (uint32_t s = 0; s < stories; s++)
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

/* Nobody was released before the last one had come, and all know when that was: what
 * lies between the first and the last one, coming and going, is the skew. */
static void assert_lock_step(const struct cell *cell)
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
                  struct fake_worker_story *stories,
                  struct fake_worker_plan plan)
{
    run.home = cell->home;
    if (cell->way == THREADS)
        sample_run_threads(&run, stories, cell->ranks, cell->sample, plan);
    else
        sample_run_processes(&run, stories, cell->ranks, cell->sample, plan);
}

static void check(const struct cell *cell)
{
    uint32_t stories = cell->way == THREADS ? 1 : cell->ranks;
    uint32_t each = cell->way == THREADS ? cell->ranks : 1;
    struct fake_worker_plan plan = {
        .profile = 1,
        .passes = cell->passes,
        .warmups = WARMUPS,
        .barrier_ms = 20000,
    };

    start(cell, attached, plan);
    plan.not_attached = true;
    start(cell, alone, plan);
    for (uint32_t i = 0; i < stories; i++) {
        assert_int_equal(alone[i].status, 0);
        assert_int_equal(attached[i].status, 0);
        assert_string_equal(alone[i].out, attached[i].out);
        if (cell->sample->kind == 0) /* of a pair: it passes */
            assert_int_equal(attached[i].launches, 0);
        else
            assert_replayed(&attached[i], each, cell);
    }
    assert_non_null(strstr(attached[0].out, "result=ok"));
    if (cell->sample->kind != 0)
        assert_lock_step(cell);
}

/* Which cells are met in a part of the matrix: two of an operator, one in each way and
 * each build, and the numbers of ranks in turns. */
static bool is_in_part(size_t number, size_t size, size_t way, size_t home)
{
    return (number + way) % HOMES == home &&
           (number / HOMES + way * (1 + number % HOMES)) % SIZES == size;
}

/* What is computed in place goes wrong once more with each pass, should it ever not be
 * put back. */
static uint32_t passes_of(size_t number)
{
    return number == SAMPLE_IN_PLACE ? 10 : 3;
}

static void each_operator_is_replayed_in_lock_step(void **ctx)
{
    const char *asked = getenv("MUSTER_TEST_MATRIX");
    bool whole = asked && strcmp(asked, "whole") == 0;
    bool met[WAYS][SIZES][HOMES] = {0};
    unsigned cells = 0, combinations = 0;

    (void)ctx;
    for (size_t number = 0; number < SAMPLE_RANKS_COUNT; number++)
        for (size_t at = 0; at < WAYS * SIZES * HOMES; at++) {
            size_t way = at % WAYS, size = at / WAYS % SIZES, home = at / WAYS / SIZES;
            const struct cell cell = {&samples[number], sizes[size], (enum way)way,
                                      homes[home], passes_of(number)};

            if (!whole && !is_in_part(number, size, way, home))
                continue;
            check(&cell);
            met[way][size][home] = true;
            cells++;
        }
    for (size_t at = 0; at < WAYS * SIZES * HOMES; at++)
        combinations += (&met[0][0][0])[at];
    assert_int_equal(combinations, WAYS * SIZES * HOMES);
    print_message("%u of %u cells\n", cells, SAMPLE_RANKS_COUNT * WAYS * SIZES * HOMES);
}

static int set_up(void **ctx)
{
    (void)ctx;
    return sample_ranks_init(&run, GUEST, SIM);
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
        cmocka_unit_test(each_operator_is_replayed_in_lock_step),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
