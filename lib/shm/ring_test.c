#include "lib/shm/ring.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/unit.h"

enum { SIZE = 64 * 1024 * 4 };

struct two_sides {
    struct ring writer, reader;
};

static int set_up(void **ctx)
{
    static struct two_sides sides;
    int memory = ring_memory(SIZE, 1);

    assert_true(memory >= 0);
    assert_int_equal(ring_map(&sides.writer, memory, SIZE, 1), 0);
    assert_int_equal(ring_map(&sides.reader, memory, SIZE, 1), 0);
    close(memory);
    *ctx = &sides;
    return 0;
}

static int tear_down(void **ctx)
{
    struct two_sides *sides = *ctx;

    ring_unmap(&sides->writer);
    ring_unmap(&sides->reader);
    return 0;
}

static bool put(struct ring *ring, uint16_t kind, const void *bytes, size_t size)
{
    struct iovec piece = {(void *)bytes, size};

    return ring_put(ring, 0, kind, 7, &piece, 1);
}

static uint8_t taken[RING_FRAME_MAX];

static void frames_are_taken_in_the_order_of_writing(void **ctx)
{
    struct two_sides *sides = *ctx;
    struct iovec pieces[2] = {{"abc", 3}, {"defgh", 5}};
    struct ring_frame frame;

    assert_true(ring_put(&sides->writer, 0, 3, 42, pieces, 2));
    assert_true(put(&sides->writer, 4, "", 0));
    assert_int_equal(ring_take(&sides->reader, &frame, taken), RING_TAKEN);
    assert_int_equal(frame.kind, 3);
    assert_int_equal(frame.time_ns, 42);
    assert_int_equal(frame.length, 8);
    assert_memory_equal(taken, "abcdefgh", 8);
    assert_int_equal(ring_take(&sides->reader, &frame, taken), RING_TAKEN);
    assert_int_equal(frame.length, 0);
    assert_int_equal(ring_take(&sides->reader, &frame, taken), RING_EMPTY);
}

static void a_frame_may_cross_the_end_of_the_ring(void **ctx)
{
    struct two_sides *sides = *ctx;
    static uint8_t bytes[60 * 1000];
    struct ring_frame frame;

    for (int round = 0; round < 40; round++) {
        memset(bytes, round, sizeof(bytes));
        assert_true(put(&sides->writer, 1, bytes, sizeof(bytes)));
        assert_int_equal(ring_take(&sides->reader, &frame, taken), RING_TAKEN);
        assert_int_equal(frame.length, sizeof(bytes));
        assert_memory_equal(taken, bytes, sizeof(bytes));
    }
}

static void a_full_ring_refuses_frames_until_the_reader_takes_one(void **ctx)
{
    struct two_sides *sides = *ctx;
    static uint8_t bytes[60 * 1000];
    struct ring_frame frame;
    int fitted = 0;

    while (put(&sides->writer, 6, bytes, sizeof(bytes)))
        fitted++;
    ring_count_drop(&sides->writer, 6);
    assert_int_equal(fitted, 4);
    assert_int_equal(ring_take_drops(&sides->reader, 6), 1);
    assert_int_equal(ring_take_drops(&sides->reader, 6), 0);

    assert_int_equal(ring_take(&sides->reader, &frame, taken), RING_TAKEN);
    assert_true(put(&sides->writer, 6, bytes, sizeof(bytes)));
}

static void a_frame_above_the_size_limit_is_refused(void **ctx)
{
    struct two_sides *sides = *ctx;
    static uint8_t bytes[RING_FRAME_MAX + 1];

    assert_false(put(&sides->writer, 6, bytes, sizeof(bytes)));
    assert_true(put(&sides->writer, 6, bytes, sizeof(bytes) - 1));
}

static void a_sleeping_reader_is_reported_once(void **ctx)
{
    struct two_sides *sides = *ctx;

    assert_false(ring_reader_slept(&sides->writer));
    assert_true(ring_sleep(&sides->reader));
    assert_true(put(&sides->writer, 1, "x", 1));
    assert_true(ring_reader_slept(&sides->writer));
    assert_false(ring_reader_slept(&sides->writer));
    assert_false(ring_sleep(&sides->reader));
}

static void frames_of_a_killed_writer_can_be_read(void **ctx)
{
    struct two_sides *sides = *ctx;
    struct ring_frame frame;
    int status, count = 0;
    pid_t child = fork();

    if (child == 0) {
        for (int i = 0; i < 100; i++)
            put(&sides->writer, 2, &i, sizeof(i));
        raise(SIGKILL);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    while (ring_take(&sides->reader, &frame, taken) == RING_TAKEN) {
        assert_memory_equal(taken, &count, sizeof(count));
        count++;
    }
    assert_int_equal(count, 100);
}

/* A program may overwrite the head, whose first field is `written`. */
static void an_overwritten_head_is_reported_as_broken(void **ctx)
{
    struct two_sides *sides = *ctx;
    struct ring_frame frame;
    uint64_t *written = (uint64_t *)sides->writer.shared;

    *written = 8;
    assert_int_equal(ring_take(&sides->reader, &frame, taken), RING_BROKEN);
    *written = SIZE + 8;
    assert_int_equal(ring_take(&sides->reader, &frame, taken), RING_BROKEN);
    *written = UINT64_MAX;
    assert_int_equal(ring_take(&sides->reader, &frame, taken), RING_BROKEN);
}

static void an_overwritten_frame_is_reported_as_broken(void **ctx)
{
    struct two_sides *sides = *ctx;
    struct ring_frame frame = {0};

    assert_true(put(&sides->writer, 1, "abcdefgh", 8));
    frame.length = RING_FRAME_MAX + 1;
    memcpy(sides->writer.lanes[0].data, &frame, sizeof(frame));
    assert_int_equal(ring_take(&sides->reader, &frame, taken), RING_BROKEN);
    frame.length = 9; /* more than was committed */
    memcpy(sides->writer.lanes[0].data, &frame, sizeof(frame));
    assert_int_equal(ring_take(&sides->reader, &frame, taken), RING_BROKEN);
}

static void lanes_fill_and_empty_each_on_its_own(void **ctx)
{
    static uint8_t bytes[60 * 1000];
    const struct iovec large = {bytes, sizeof(bytes)}, small = {bytes, 8};
    int memory = ring_memory(SIZE, 3), count = 0;
    unsigned kinds[4] = {0};
    struct ring writer, reader;
    struct ring_frame frame;

    (void)ctx;
    assert_int_equal(ring_map(&writer, memory, SIZE, 3), 0);
    assert_int_equal(ring_map(&reader, memory, SIZE, 3), 0);
    close(memory);
    while (ring_put(&writer, 0, 1, 7, &large, 1))
        count++;
    assert_int_equal(count, 4);
    assert_true(ring_put(&writer, 2, 3, 7, &large, 1)); /* a quarter of lane 0 */
    assert_false(ring_put(&writer, 2, 3, 7, &large, 1));
    for (int i = 0; i < 600; i++)
        assert_true(ring_put(&writer, 1, 2, 7, &small, 1));
    assert_false(ring_sleep(&reader));
    while (ring_take(&reader, &frame, taken) == RING_TAKEN)
        kinds[frame.kind]++;
    assert_int_equal(kinds[1], 4);
    assert_int_equal(kinds[2], 600);
    assert_int_equal(kinds[3], 1);
    assert_true(ring_sleep(&reader));
    ring_unmap(&writer);
    ring_unmap(&reader);
}

/* The reader turns to another lane although the first one never empties. */
static void a_busy_lane_delays_no_other(void **ctx)
{
    const struct iovec piece = {"abcdefgh", 8};
    int memory = ring_memory(SIZE, 2);
    unsigned before = 0;
    struct ring ring;
    struct ring_frame frame = {0};

    (void)ctx;
    assert_int_equal(ring_map(&ring, memory, SIZE, 2), 0);
    close(memory);
    assert_true(ring_put(&ring, 0, 1, 7, &piece, 1));
    assert_true(ring_put(&ring, 1, 2, 7, &piece, 1));
    while (frame.kind != 2 && before++ < 1000) {
        assert_true(ring_put(&ring, 0, 1, 7, &piece, 1));
        assert_int_equal(ring_take(&ring, &frame, taken), RING_TAKEN);
    }
    assert_int_equal(before, 257);
    ring_unmap(&ring);
}

static void an_overwritten_lane_is_reported_as_broken(void **ctx)
{
    int memory = ring_memory(SIZE, 2);
    struct ring ring;
    struct ring_frame frame;

    (void)ctx;
    assert_int_equal(ring_map(&ring, memory, SIZE, 2), 0);
    close(memory);
    ((uint64_t *)ring.shared)[16] = SIZE / 4 + 8; /* `written` of lane 1 */
    assert_int_equal(ring_take(&ring, &frame, taken), RING_BROKEN);
    ring_unmap(&ring);
}

static void invalid_ring_sizes_are_refused(void **ctx)
{
    struct ring ring;

    (void)ctx;
    assert_int_equal(ring_map(&ring, -1, 4096, 0), -1);
    assert_int_equal(ring_map(&ring, -1, 4096, 2), -1);
    assert_int_equal(ring_map(&ring, -1, SIZE, RING_LANES_MAX + 1), -1);
    assert_int_equal(ring_memory(SIZE, RING_LANES_MAX + 1), -1);
    assert_int_equal(ring_map(&ring, -1, 0, 1), -1);
    assert_int_equal(ring_map(&ring, -1, 4097, 1), -1);
    assert_int_equal(ring_map(&ring, -1, 1UL << 40, 1), -1);
    assert_int_equal(ring_map(&ring, -1, 4096, 1), -1);
    ring_unmap(&ring);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(frames_are_taken_in_the_order_of_writing),
        CASE(a_frame_may_cross_the_end_of_the_ring),
        CASE(a_full_ring_refuses_frames_until_the_reader_takes_one),
        CASE(a_frame_above_the_size_limit_is_refused),
        CASE(a_sleeping_reader_is_reported_once),
        CASE(frames_of_a_killed_writer_can_be_read),
        CASE(an_overwritten_head_is_reported_as_broken),
        CASE(an_overwritten_frame_is_reported_as_broken),
        cmocka_unit_test(lanes_fill_and_empty_each_on_its_own),
        cmocka_unit_test(a_busy_lane_delays_no_other),
        cmocka_unit_test(an_overwritten_lane_is_reported_as_broken),
        cmocka_unit_test(invalid_ring_sizes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
