/* record_output_test.c - records that find a full ring: they wait, or are counted */
#include "inject/session/record_output.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "lib/capture/format/records.h"
#include "lib/shm/ring.h"
#include "tests/support/unit.h"

enum { RING_SIZE = 4096, AFTER = 1000 };

static struct ring reader;

static int start(void **ctx)
{
    int memory = ring_memory(RING_SIZE, 1);

    (void)ctx;
    assert_int_equal(ring_map(&reader, memory, RING_SIZE, 1), 0);
    assert_int_equal(record_output_start(memory, RING_SIZE, 1, eventfd(0, EFD_CLOEXEC)),
                     0);
    close(memory);
    return 0;
}

static int stop(void **ctx)
{
    (void)ctx;
    record_output_reset();
    ring_unmap(&reader);
    return 0;
}

/* Fills the ring with stamps; the last one is counted as dropped. */
static void fill(void)
{
    struct record_stamp stamp = {0};
    uint64_t dropped;

    do {
        record_output_if_room(RECORD_STAMP, &stamp, sizeof(stamp));
        dropped = ring_take_drops(&reader, RECORD_STAMP);
    } while (dropped == 0);
    assert_int_equal(dropped, 1);
}

static void write_event(uint64_t address)
{
    struct record_mem_event event = {.address = address};

    record_output_frequent(RECORD_MEM_EVENT, address, &event, sizeof(event));
}

static void *write_events(void *arg)
{
    (void)arg;
    for (uint64_t i = 0; i < AFTER; i++)
        write_event(i);
    return NULL;
}

/* Reads until an event was there, and checks that they have the order of writing. */
static void read_events(uint64_t *next, uint64_t end)
{
    static uint8_t payload[RING_FRAME_MAX];
    struct record_mem_event event;
    struct ring_frame frame;

    while (*next < end) {
        enum ring_take taken = ring_take(&reader, &frame, payload);

        assert_int_not_equal(taken, RING_BROKEN);
        if (taken == RING_EMPTY || frame.kind != RECORD_MEM_EVENT)
            continue;
        memcpy(&event, payload, sizeof(event));
        assert_int_equal(event.address, (*next)++);
    }
}

static void a_frequent_record_waits_for_room(void **ctx)
{
    uint64_t next = 0;
    pthread_t writer;

    (void)ctx;
    fill();
    assert_int_equal(pthread_create(&writer, NULL, write_events, NULL), 0);
    read_events(&next, AFTER);
    assert_int_equal(pthread_join(writer, NULL), 0);
    assert_int_equal(ring_take_drops(&reader, RECORD_MEM_EVENT), 0);
}

/* With a wait for each of them, these events would take more than half an hour. */
static void without_a_reader_only_the_first_record_waits(void **ctx)
{
    uint64_t next = 7;

    (void)ctx;
    fill();
    write_events(NULL);
    assert_int_equal(ring_take_drops(&reader, RECORD_MEM_EVENT), AFTER);

    /* when the reader is back, events are written again */
    while (ring_take(&reader, &(struct ring_frame){0}, (uint8_t[RING_FRAME_MAX]){0}) ==
           RING_TAKEN)
        ;
    write_event(7);
    read_events(&next, 8);
    assert_int_equal(ring_take_drops(&reader, RECORD_MEM_EVENT), 0);
}

static void a_quick_record_does_not_wait(void **ctx)
{
    struct record_xpti_event event = {0};

    (void)ctx;
    fill();
    record_output_quick(RECORD_XPTI_EVENT, 1, &event, sizeof(event));
    assert_int_equal(ring_take_drops(&reader, RECORD_XPTI_EVENT), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_frequent_record_waits_for_room, start, stop),
        cmocka_unit_test_setup_teardown(without_a_reader_only_the_first_record_waits,
                                        start, stop),
        cmocka_unit_test_setup_teardown(a_quick_record_does_not_wait, start, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
