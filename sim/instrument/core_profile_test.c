/* core_profile_test.c - the entries that the channels of the cores send
 *
 * The test defines the channels and the ledger itself and keeps what they receive. */
#include "sim/instrument/core_profile.h"

#include <ascend_hal.h>
#include <stdlib.h>
#include <string.h>

#include "sim/card/channel.h"
#include "sim/card/ledger.h"
#include "tests/support/unit.h"

enum { SENT_MAX = 8192 };

#define MTE2 NPU_SIM_PIPE_MTE2
#define FIXP NPU_SIM_PIPE_FIXP

static struct {
    uint32_t channel;
    uint16_t cycles, info;
} sent[SENT_MAX];
static uint8_t samples[64][16];
static size_t sent_count, sample_count;
static uint32_t open_channel = CHANNEL_CORE_FIRST, open_mode;

bool channel_config(uint32_t card,
                    uint32_t id,
                    void *config,
                    size_t size,
                    uint64_t *session)
{
    const prof_core_config_t open = {.mode = open_mode, .period = 32};

    assert_int_equal(card, 3);
    assert_int_equal(size, sizeof(open));
    memcpy(config, &open, sizeof(open));
    *session = 1;
    return id == open_channel;
}

void channel_write(uint32_t card, uint32_t id, const void *record, size_t size)
{
    assert_int_equal(card, 3);
    if (size == sizeof(samples[0])) {
        assert_int_equal(id, 12);
        memcpy(samples[sample_count++], record, size);
        return;
    }
    assert_int_equal(size, 4);
    assert_true(sent_count < SENT_MAX);
    sent[sent_count].channel = id;
    memcpy(&sent[sent_count].cycles, record, 2);
    memcpy(&sent[sent_count++].info, (const char *)record + 2, 2);
}

void channel_note_loss(uint32_t card, uint32_t id)
{
    (void)card;
    (void)id;
    fail_msg("data was lost");
}

void ledger_pipe(uint32_t card,
                 uint32_t channel,
                 unsigned pipe,
                 uint64_t start,
                 uint64_t end)
{
    (void)card;
    (void)channel;
    (void)pipe;
    assert_true(start < end);
}

void ledger_mark(uint32_t card,
                 uint32_t channel,
                 unsigned pipe,
                 uint64_t cycle,
                 unsigned value)
{
    (void)card;
    (void)channel;
    (void)pipe;
    (void)cycle;
    assert_true(value < 4096);
}

void ledger_sample(uint32_t card,
                   uint32_t channel,
                   uint64_t pc,
                   const uint64_t counts[9])
{
    (void)card;
    (void)counts;
    assert_int_equal(channel, 12);
    assert_int_equal(pc % 8, 0);
}

static void expect(size_t index, uint32_t channel, unsigned cycles, unsigned info)
{
    assert_true(index < sent_count);
    assert_int_equal(sent[index].channel, channel);
    assert_int_equal(sent[index].cycles, cycles);
    assert_int_equal(sent[index].info, info);
}

static void run(struct core_profile *profile,
                enum npu_sim_pipe pipe,
                uint64_t pc,
                uint64_t start,
                uint64_t end)
{
    core_profile_instruction(profile, pipe, "NAME", pc,
                             (struct pipeline_time){start, end});
}

static void the_first_open_channel_gives_the_mode(void **ctx)
{
    (void)ctx;
    assert_int_equal(core_profile_mode(3), PROFILE_INSTRUCTIONS);
    open_mode = 1;
    assert_int_equal(core_profile_mode(3), PROFILE_SAMPLES);
    open_mode = 0;
    open_channel = CHANNEL_CORE_LAST;
    assert_int_equal(core_profile_mode(3), PROFILE_INSTRUCTIONS);
    open_channel = CHANNEL_CORE_LAST + 1;
    assert_int_equal(core_profile_mode(3), PROFILE_NONE);
    open_channel = CHANNEL_CORE_FIRST;
}

static void a_mask_is_sent_when_it_changes(void **ctx)
{
    struct core_profile *profile = core_profile_create(3, false);

    (void)ctx;
    sent_count = 0;
    core_profile_enter(profile, 3, true, false); /* the second vector core of core 1 */
    run(profile, MTE2, 1, 100, 150);
    run(profile, MTE2, 2, 150, 200); /* without a break */
    run(profile, FIXP, 3, 120, 130);
    core_profile_enter(profile, 6, false, false); /* no channel */
    run(profile, MTE2, 1, 100, 150);
    core_profile_send(profile);
    assert_int_equal(sent_count, 4);
    expect(0, 16, 100, 0xF000 | 1 << MTE2);
    expect(1, 16, 20, 0xF000 | 1 << MTE2 | 1 << FIXP);
    expect(2, 16, 10, 0xF000 | 1 << MTE2);
    expect(3, 16, 70, 0xF000);
    core_profile_destroy(profile);
}

static void a_long_gap_is_filled_with_equal_masks(void **ctx)
{
    struct core_profile *profile = core_profile_create(3, false);

    (void)ctx;
    sent_count = 0;
    core_profile_enter(profile, 0, false, false);
    run(profile, MTE2, 1, 0, 140000);
    core_profile_send(profile);
    assert_int_equal(sent_count, 4);
    expect(0, 11, 0, 0xF000 | 1 << MTE2);
    expect(1, 11, 65535, 0xF000 | 1 << MTE2);
    expect(2, 11, 65535, 0xF000 | 1 << MTE2);
    expect(3, 11, 140000 - 2 * 65535, 0xF000);
    core_profile_destroy(profile);
}

static void marks_of_a_kernel_begin_and_end_regions(void **ctx)
{
    struct core_profile *profile = core_profile_create(3, false);

    (void)ctx;
    sent_count = 0;
    core_profile_enter(profile, 1, false, false);
    core_profile_mark(profile, MTE2, 5, 0, 10);
    core_profile_mark(profile, FIXP, 5, 1, 30);
    core_profile_send(profile);
    assert_int_equal(sent_count, 2);
    expect(0, 14, 10, 4 << 12 | 0x405);
    expect(1, 14, 20, 10 << 12 | 0xC05);
    core_profile_destroy(profile);
}

static void an_instruction_has_its_mark_at_both_ends(void **ctx)
{
    struct core_profile *profile = core_profile_create(3, true);
    char map[4096] = "";
    uint64_t sizes[2];

    (void)ctx;
    sent_count = 0;
    core_profile_enter(profile, 0, false, false);
    run(profile, MTE2, 0x40, 10, 20);
    run(profile, MTE2, 0x50, 20, 30);
    run(profile, MTE2, 0x40, 30, 40); /* the same instruction again */
    run(profile, NPU_SIM_PIPE_SCALAR, 0x44, 10, 11);
    core_profile_send(profile);
    assert_int_equal(sent_count, 3 + 6); /* masks and marks */
    expect(1, 11, 0, 4 << 12 | 0x600);
    core_profile_write_map(profile, (uint8_t *)map, sizeof(map));
    memcpy(sizes, map, sizeof(sizes));
    assert_string_equal(map + sizeof(sizes),
                        "region_id=1536,pipe=MTE2,index=0,pc=0x00000040,opcode=NAME\n"
                        "region_id=1537,pipe=MTE2,index=1,pc=0x00000050,opcode=NAME\n");
    assert_int_equal(sizes[0], strlen(map + sizeof(sizes)));
    assert_int_equal(sizes[1], 0);
    core_profile_destroy(profile);
}

static void a_pipe_has_1024_marks(void **ctx)
{
    enum { ROOM = 1 << 20 };
    struct core_profile *profile = core_profile_create(3, true);
    char *map = calloc(1, ROOM);
    uint64_t sizes[2];

    (void)ctx;
    sent_count = 0;
    core_profile_enter(profile, 0, false, false);
    for (uint64_t i = 0; i < 1025; i++)
        run(profile, FIXP, i, 10 * i, 10 * i + 5);
    core_profile_send(profile);
    assert_int_equal(sent_count, 2 * 1025 + 2 * 1024);
    expect(4 * 1023 + 1, 11, 0, 10 << 12 | 0xFFF);
    core_profile_write_map(profile, (uint8_t *)map, ROOM);
    memcpy(sizes, map, sizeof(sizes));
    assert_string_equal(map + sizeof(sizes) + sizes[0],
                        "TUNE-ERROR: all dfx ids consumed [pipe=FIXP]\n");
    assert_int_equal(sizes[1], strlen(map + sizeof(sizes) + sizes[0]));
    free(map);
    core_profile_destroy(profile);
}

static void a_small_buffer_gets_whole_lines(void **ctx)
{
    struct core_profile *profile = core_profile_create(3, true);
    uint8_t map[256] = {0};
    uint64_t sizes[2];

    (void)ctx;
    core_profile_enter(profile, 0, false, false);
    run(profile, MTE2, 0x40, 10, 20);
    run(profile, MTE2, 0x50, 20, 30);
    core_profile_write_map(profile, map, 16 + 59 + 58);
    memcpy(sizes, map, sizeof(sizes));
    assert_int_equal(sizes[0], 59);
    assert_int_equal(map[16 + 59], 0);
    core_profile_write_map(profile, map, 15); /* no room for the sizes */
    core_profile_destroy(profile);
}

static void expect_sample(size_t index, uint32_t pc, unsigned counter, unsigned count)
{
    uint8_t wanted[16] = {(uint8_t)(pc >> 3), (uint8_t)(pc >> 11), (uint8_t)(pc >> 19)};

    assert_true(index < sample_count);
    wanted[3 + counter] = (uint8_t)count;
    assert_memory_equal(samples[index], wanted, sizeof(wanted));
}

/* Samples are taken in the cycles 0, 32, 64 and so on. */
static void running_instructions_of_threads_are_sampled(void **ctx)
{
    struct core_profile *profile;

    (void)ctx;
    sent_count = sample_count = 0;
    open_mode = 1;
    profile = core_profile_create(3, false);
    core_profile_enter(profile, 0, true, false);
    run(profile, MTE2, 0x100, 0, 320); /* not of a thread */
    core_profile_enter(profile, 0, true, true);
    run(profile, MTE2, 0x12345678, 1, 32); /* between two samples */
    run(profile, MTE2, 0x1234567F, 1, 65); /* waits for memory in 32 and 64 */
    run(profile, NPU_SIM_PIPE_VECTOR, 0x200, 64, 65); /* begins in 64 */
    run(profile, NPU_SIM_PIPE_VECTOR, 0x208, 65, 97);
    run(profile, NPU_SIM_PIPE_SCALAR, 0x210, 100, 129);
    run(profile, FIXP, 0x218, 1, 32 * 300 + 1);
    core_profile_send(profile);
    assert_int_equal(sent_count, 0);
    assert_int_equal(sample_count, 6);
    expect_sample(0, 0x12345678 & 0x7FFFFFF, 2, 2);
    expect_sample(1, 0x200, 8, 1);
    expect_sample(2, 0x208, 4, 1);
    expect_sample(3, 0x210, 0, 1);
    expect_sample(4, 0x218, 2, 255);
    expect_sample(5, 0x218, 2, 45);
    core_profile_destroy(profile);
    open_mode = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_open_channel_gives_the_mode),
        cmocka_unit_test(a_mask_is_sent_when_it_changes),
        cmocka_unit_test(a_long_gap_is_filled_with_equal_masks),
        cmocka_unit_test(marks_of_a_kernel_begin_and_end_regions),
        cmocka_unit_test(an_instruction_has_its_mark_at_both_ends),
        cmocka_unit_test(a_pipe_has_1024_marks),
        cmocka_unit_test(a_small_buffer_gets_whole_lines),
        cmocka_unit_test(running_instructions_of_threads_are_sampled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
