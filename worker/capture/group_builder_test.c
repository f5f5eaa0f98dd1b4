#include "worker/capture/group_builder.h"

#include <string.h>
#include <unistd.h>

#include "lib/capture/capture_reader.h"
#include "lib/capture/format/records.h"
#include "lib/shm/control_channel.h"
#include "tests/support/unit.h"

static struct ring writer;
static struct group_builder *builder;
static unsigned groups, blocks, launches, drops;

static void
on_group(void *arg, uint32_t shard, uint32_t number, const void *bytes, size_t size)
{
    struct capture_reader *reader = capture_reader_create(bytes, size);
    struct capture_block block;
    struct err err;

    (void)arg;
    assert_int_equal(number, groups++);
    assert_int_equal(capture_group_check(bytes, size, 42, shard, number, &err), 0);
    while (capture_reader_next(reader, &block)) {
        blocks++;
        launches += strcmp(block.type, "launch") == 0 ? block.records : 0;
        drops += strcmp(block.type, "drop") == 0 ? block.records : 0;
    }
    capture_reader_destroy(reader);
}

static int set_up(void **ctx)
{
    struct record_run_rank rank = {.run_id = 42};
    int memory = ring_memory(RING_BYTES, 1);
    struct ring reader;

    (void)ctx;
    groups = blocks = launches = drops = 0;
    assert_int_equal(ring_map(&writer, memory, RING_BYTES, 1), 0);
    assert_int_equal(ring_map(&reader, memory, RING_BYTES, 1), 0);
    close(memory);
    builder = group_builder_create(&reader, &rank, 3, on_group, NULL);
    return 0;
}

static int tear_down(void **ctx)
{
    (void)ctx;
    group_builder_destroy(builder);
    ring_unmap(&writer);
    return 0;
}

static void put(uint16_t kind, const void *record, size_t size)
{
    struct iovec piece = {(void *)record, size};

    assert_true(ring_put(&writer, 0, kind, 1, &piece, 1));
}

static void records_become_groups_with_the_rank_first(void **ctx)
{
    struct record_launch launch = {.launch = 1};
    struct record_launch_end end = {.launch = 1, .complete = 1};

    (void)ctx;
    for (int i = 0; i < 2000; i++)
        put(RECORD_LAUNCH, &launch, sizeof(launch));
    put(RECORD_LAUNCH_END, &end, sizeof(end));
    group_builder_end(builder);
    assert_int_equal(launches, 2000);
    assert_true(groups > 2);
    assert_int_equal(group_builder_totals(builder)->groups, groups);
    assert_int_equal(group_builder_totals(builder)->blocks, blocks);
    assert_int_equal(group_builder_totals(builder)->launches, 1);
    assert_int_equal(group_builder_totals(builder)->dropped, 0);
}

static void invalid_records_are_dropped_and_counted(void **ctx)
{
    struct record_launch launch = {.launch = 1};
    struct record_run_rank forged = {.run_id = 666};

    (void)ctx;
    put(RECORD_LAUNCH, &launch, sizeof(launch) - 1);
    put(RECORD_KIND_END + 5, &launch, sizeof(launch));
    put(RECORD_CHANNEL_BYTES, &launch, 8);
    put(RECORD_RUN_RANK, &forged, sizeof(forged));
    put(RECORD_LAUNCH, &launch, sizeof(launch));
    group_builder_end(builder);
    assert_int_equal(launches, 1);
    assert_int_equal(group_builder_totals(builder)->dropped, 4);
}

static void records_that_inject_dropped_are_recorded(void **ctx)
{
    (void)ctx;
    ring_count_drop(&writer, RECORD_CHANNEL_BYTES);
    ring_count_drop(&writer, RECORD_CHANNEL_BYTES);
    group_builder_end(builder);
    assert_int_equal(drops, 1);
    assert_int_equal(group_builder_totals(builder)->dropped, 2);
}

static void an_invalid_ring_ends_the_shard_only(void **ctx)
{
    struct record_launch launch = {.launch = 1};

    (void)ctx;
    put(RECORD_LAUNCH, &launch, sizeof(launch));
    *(uint64_t *)writer.shared = UINT64_MAX;
    group_builder_end(builder);
    assert_true(group_builder_totals(builder)->broken);
    assert_true(group_builder_totals(builder)->dropped > 0);
    assert_int_equal(groups, 1);
}

/* Checks the rank of each group and counts launches per rank. */
static unsigned launches_of[4], ranks_of[4];

static void on_shard_group(void *arg,
                           uint32_t shard,
                           uint32_t number,
                           const void *bytes,
                           size_t size)
{
    struct capture_reader *reader = capture_reader_create(bytes, size);
    struct capture_block block;
    struct err err;

    (void)arg;
    assert_true(shard >> 16 < 4 && (shard & 0xffff) == 5);
    assert_int_equal(capture_group_check(bytes, size, 42, shard, number, &err), 0);
    while (capture_reader_next(reader, &block)) {
        struct record_run_rank rank;

        if (strcmp(block.type, "run.rank") == 0) {
            memcpy(&rank, block.payload, sizeof(rank));
            ranks_of[shard >> 16]++;
            assert_int_equal(rank.rank, shard >> 16);
            assert_int_equal(rank.device_logical, 10 + 2 * (shard >> 16));
        }
        if (strcmp(block.type, "launch") == 0 || strcmp(block.type, "pass") == 0 ||
            strcmp(block.type, "barrier") == 0)
            launches_of[shard >> 16] += (unsigned)block.records;
    }
    capture_reader_destroy(reader);
}

static void a_process_with_several_cards_has_one_shard_per_card(void **ctx)
{
    static const uint32_t cards[] = {10, 12, 14, 16};
    struct record_run_rank rank = {.run_id = 42};
    struct ring reader;
    int memory = ring_memory(RING_BYTES, 1);

    (void)ctx;
    ring_unmap(&writer);
    group_builder_destroy(builder);
    assert_int_equal(ring_map(&writer, memory, RING_BYTES, 1), 0);
    assert_int_equal(ring_map(&reader, memory, RING_BYTES, 1), 0);
    close(memory);
    builder = group_builder_create_for_cards(&reader, &rank, 5, cards, 4,
                                             on_shard_group, NULL);
    for (uint64_t i = 1; i <= 30; i++) {
        struct record_barrier before = {.launch =
                                            i}; /* before the record of its launch */
        struct record_launch launch = {.launch = i, .device = cards[i % 3]};
        struct record_pass pass = {.launch = i};

        put(RECORD_BARRIER, &before, sizeof(before));
        put(RECORD_LAUNCH, &launch, sizeof(launch));
        put(RECORD_PASS, &pass, sizeof(pass));
    }
    group_builder_end(builder);
    for (int shard = 0; shard < 3; shard++) {
        assert_int_equal(launches_of[shard], 30);
        assert_int_equal(ranks_of[shard], 1);
    }
    assert_int_equal(ranks_of[3], 0); /* its card was not used */
    assert_int_equal(group_builder_totals(builder)->dropped, 0);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

/* Two starts give one launch with both passes, and its end record comes last. */
static void several_program_starts_give_one_shard(void **ctx)
{
    struct record_launch launch = {.launch = 1};
    struct record_launch_end end = {.launch = 1, .complete = 1, .passes_done = 1};
    struct ring reader;
    int memory;

    (void)ctx;
    group_builder_expect_starts(builder, 2);
    put(RECORD_LAUNCH, &launch, sizeof(launch));
    put(RECORD_LAUNCH_END, &end, sizeof(end));
    group_builder_end_start(builder);
    assert_int_equal(group_builder_totals(builder)->launches, 0);

    ring_unmap(&writer);
    memory = ring_memory(RING_BYTES, 1);
    assert_int_equal(ring_map(&writer, memory, RING_BYTES, 1), 0);
    assert_int_equal(ring_map(&reader, memory, RING_BYTES, 1), 0);
    close(memory);
    group_builder_next_start(builder, &reader);
    launch.launch = end.launch = 3;
    put(RECORD_LAUNCH, &launch, sizeof(launch));
    put(RECORD_LAUNCH_END, &end, sizeof(end));
    group_builder_end(builder);
    assert_int_equal(launches, 1);
    assert_int_equal(group_builder_totals(builder)->launches, 1);
    assert_int_equal(group_builder_totals(builder)->incomplete, 0);
    assert_int_equal(group_builder_totals(builder)->dropped, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(records_become_groups_with_the_rank_first),
        CASE(invalid_records_are_dropped_and_counted),
        CASE(records_that_inject_dropped_are_recorded),
        CASE(several_program_starts_give_one_shard),
        CASE(a_process_with_several_cards_has_one_shard_per_card),
        CASE(an_invalid_ring_ends_the_shard_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
