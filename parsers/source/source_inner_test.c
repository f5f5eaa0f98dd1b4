/* source_inner_test.c - a range of a kernel, a collective and a kernel is cut into its
 * launches */
#include "parsers/source/source_inner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/capture/format/records.h"
#include "lib/capture/format/writer.h"
#include "parsers/records/pmu.h"
#include "parsers/records/sample_records.h"
#include "tests/support/unit.h"

enum { RUN = 5, RANGE = 4, LOG_BYTES = 64, PASSES = 2, AI_CPU = 1 };

static uint8_t buffer[1 << 20];

static void
put(struct capture_writer *writer, unsigned kind, const void *record, size_t size)
{
    assert_int_equal(capture_put(writer, kind, record, size, 1), CAPTURE_PUT_DONE);
}

static void put_channel(struct capture_writer *writer,
                        uint32_t channel,
                        uint32_t pass,
                        const struct text *bytes)
{
    size_t padded = (bytes->length + 7) / 8 * 8;
    struct record_channel_bytes head = {.length = (uint32_t)(sizeof(head) + padded),
                                        .channel = channel,
                                        .pass = pass,
                                        .launch = RANGE,
                                        .bytes = (uint32_t)bytes->length};
    char *record = xcalloc(1, head.length);

    memcpy(record, &head, sizeof(head));
    memcpy(record + sizeof(head), bytes->bytes, bytes->length);
    put(writer, RECORD_CHANNEL_BYTES, record, head.length);
    free(record);
}

static void
add_blocks(struct text *out, uint16_t task, unsigned blocks, uint64_t cycles)
{
    for (uint16_t block = 0; block < blocks; block++)
        sample_a2(out, &(struct sample_block){.stream = 1,
                                              .task = task,
                                              .block = block,
                                              .is_aiv = 1,
                                              .cycles = cycles});
}

/* Task numbers grow from pass to pass: kernel 10, collective 11, kernel 12, then 20. */
static void put_pass(struct capture_writer *writer, uint32_t number, bool lose_piece)
{
    struct record_pass pass = {
        .launch = RANGE, .pass = number, .kind = PASS_COUNTERS, .event_count = 8};
    uint16_t task = (uint16_t)(number * 10);
    struct text bytes = {0};

    put(writer, RECORD_PASS, &pass, sizeof(pass));
    add_blocks(&bytes, task, 2, 100 * number);
    if (!lose_piece)
        add_blocks(&bytes, (uint16_t)(task + 2), 3, 200 * number);
    put_channel(writer, 53, number, &bytes);
    text_clear(&bytes);
}

static void put_log(struct capture_writer *writer)
{
    static const struct {
        unsigned type;
        uint16_t stream, task;
        uint64_t start, end;
    } tasks[] = {
        {0, 1, 20, 1000, 1100},     /* the first kernel */
        {AI_CPU, 4, 7, 1050, 1100}, /* beside it */
        {0, 1, 21, 1200, 1500},     /* the collective */
        {AI_CPU, 4, 8, 1550, 1900}, /* begins before the second kernel */
        {0, 1, 22, 1600, 1900},     /* the second kernel */
        {AI_CPU, 4, 9, 1950, 1960}, /* after it */
    };
    struct text bytes = {0};

    for (size_t i = 0; i < COUNT(tasks); i++) {
        sample_stream_task(&bytes, tasks[i].type, 0, tasks[i].stream, tasks[i].task,
                           tasks[i].start);
        sample_stream_task(&bytes, tasks[i].type, 1, tasks[i].stream, tasks[i].task,
                           tasks[i].end);
    }
    put_channel(writer, 50, PASSES, &bytes);
    text_clear(&bytes);
}

static void put_inner(struct capture_writer *writer)
{
    static const struct {
        const char *kernel;
        uint32_t kind, order;
    } launches[] = {{"add", LAUNCH_SINGLE, 0},
                    {"HcclBarrier", LAUNCH_COLLECTIVE, 0},
                    {"add", LAUNCH_SINGLE, 1}};

    for (uint32_t i = 0; i < COUNT(launches); i++) {
        struct record_range_launch inner = {.range = RANGE,
                                            .launch = i + 1,
                                            .place = i,
                                            .segment = 2,
                                            .device = 0,
                                            .block_dim = i + 1,
                                            .kind = launches[i].kind,
                                            .order = launches[i].order};

        snprintf(inner.kernel, sizeof(inner.kernel), "%s", launches[i].kernel);
        put(writer, RECORD_RANGE_LAUNCH, &inner, sizeof(inner));
    }
}

struct range_options {
    bool lose_piece;    /* the counters of the last kernel in the first pass */
    const char *failed; /* reason of an incomplete range */
};

static struct source *open_range(const struct range_options *options)
{
    struct record_run_rank rank = {.run_id = RUN, .attempt = 1, .host = "a"};
    struct record_run_clock clock = {
        .ticks_khz = 50000, .core_mhz_current = 1800, .chip = 5, .soc = "Ascend910B2"};
    struct record_launch launch = {
        .launch = RANGE, .kind = LAUNCH_RANGE, .block_dim = 3, .kernel = "step"};
    struct record_launch_end end = {.launch = RANGE, .complete = !options->failed};
    char path[] = "/tmp/muster-inner-XXXXXX";
    struct capture_writer writer;
    struct source *source;
    struct err err;
    const void *bytes;
    size_t size;
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    close(fd);
    if (options->failed)
        snprintf(end.reason, sizeof(end.reason), "%s", options->failed);
    capture_writer_init(&writer, buffer, sizeof(buffer), RUN, 0, 0, 0);
    put(&writer, RECORD_RUN_RANK, &rank, sizeof(rank));
    put(&writer, RECORD_RUN_CLOCK, &clock, sizeof(clock));
    put(&writer, RECORD_LAUNCH, &launch, sizeof(launch));
    put_inner(&writer);
    for (uint32_t pass = 1; pass <= PASSES && !options->failed; pass++)
        put_pass(&writer, pass, options->lose_piece && pass == 1);
    if (!options->failed)
        put_log(&writer);
    put(&writer, RECORD_LAUNCH_END, &end, sizeof(end));
    assert_true(capture_writer_finish(&writer, &bytes, &size));
    assert_int_equal(file_write(path, bytes, size, &err), 0);
    assert_int_equal(source_open_file(&source, path, RUN, 0, &err), 0);
    source_load_all(source);
    unlink(path);
    return source;
}

static void assert_counters(const struct source_launch *launch,
                            size_t pass,
                            size_t blocks,
                            uint64_t cycles)
{
    const struct text *counters = &launch->passes[pass].counters;

    assert_int_equal(counters->length, blocks * PMU_RECORD_BYTES);
    for (size_t i = 0; i < blocks; i++)
        assert_int_equal(
            load_u64((const uint8_t *)counters->bytes + i * PMU_RECORD_BYTES + 32),
            cycles);
}

static void
assert_log(const struct source_launch *launch, const uint64_t *ticks, size_t count)
{
    const struct text *log = &launch->passes[PASSES - 1].task_log;

    assert_int_equal(log->length, count * LOG_BYTES);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(load_u64((const uint8_t *)log->bytes + i * LOG_BYTES + 8),
                         ticks[i]);
}

static void each_launch_has_its_own_counters_and_tasks(void **ctx)
{
    static const uint64_t first[] = {1000, 1100, 1050, 1100},
                          collective[] = {1200, 1500},
                          last[] = {1550, 1900, 1600, 1900, 1950, 1960};
    struct source *source = open_range(&(struct range_options){0});
    struct source_launch **inner = source->launches[0]->inner;

    (void)ctx;
    assert_int_equal(source->count, 4);
    assert_int_equal(source->launches[0]->inner_count, 3);
    assert_int_equal(source->launches[0]->segment, 2);
    for (size_t pass = 0; pass < PASSES; pass++) {
        assert_counters(inner[0], pass, 2, 100 * (pass + 1));
        assert_counters(inner[1], pass, 0, 0);
        assert_counters(inner[2], pass, 3, 200 * (pass + 1));
    }
    assert_log(inner[0], first, COUNT(first));
    assert_log(inner[1], collective, COUNT(collective));
    assert_log(inner[2], last, COUNT(last));
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(inner[i]->notes.count, 0);
        assert_true(inner[i]->complete);
        assert_int_equal(inner[i]->info.block_dim, i + 1);
        assert_string_equal(inner[i]->info.soc, "Ascend910B2");
    }
    source_destroy(source);
}

static void a_range_lasts_from_its_first_start_to_its_last_end(void **ctx)
{
    struct source *source = open_range(&(struct range_options){0});
    const struct source_launch *missing;
    uint64_t start, end;

    (void)ctx;
    assert_true(source_inner_times(source->launches[0], &start, &end, &missing));
    assert_int_equal(start, 1000);
    assert_int_equal(end, 1900);
    source_destroy(source);
}

/* Without the counters of one launch, no counters of that pass can be assigned. */
static void counters_of_too_few_launches_are_not_assigned(void **ctx)
{
    struct source *source = open_range(&(struct range_options){.lose_piece = true});
    struct source_launch **inner = source->launches[0]->inner;

    (void)ctx;
    assert_counters(inner[0], 0, 0, 0);
    assert_counters(inner[2], 0, 0, 0);
    assert_counters(inner[0], 1, 2, 200);
    assert_counters(inner[2], 1, 3, 400);
    assert_int_equal(inner[2]->notes.count, 1);
    assert_string_equal(inner[2]->notes.notes[0].text,
                        "pass 1 of range step: counters of 1 launches, but 2 launches "
                        "have counters; they cannot be assigned");
    assert_int_equal(inner[2]->notes.notes[0].level, SOURCE_ERROR);
    source_destroy(source);
}

static void launches_of_an_incomplete_range_are_named_as_not_measured(void **ctx)
{
    struct source *source =
        open_range(&(struct range_options){.failed = "add: not all ranks call it"});

    (void)ctx;
    assert_string_equal(source->launches[0]->notes.notes[0].text,
                        "it is not complete: add: not all ranks call it");
    for (size_t i = 1; i < 4; i++) {
        assert_false(source->launches[i]->complete);
        assert_string_equal(source->launches[i]->notes.notes[0].text,
                            "not measured: launch 0 of range step is not complete");
    }
    source_destroy(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_launch_has_its_own_counters_and_tasks),
        cmocka_unit_test(a_range_lasts_from_its_first_start_to_its_last_end),
        cmocka_unit_test(counters_of_too_few_launches_are_not_assigned),
        cmocka_unit_test(launches_of_an_incomplete_range_are_named_as_not_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
