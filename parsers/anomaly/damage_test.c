/* damage_test.c - cut files and flipped bytes cost rows, never the analysis or its sums
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "parsers/anomaly/analysis.h"
#include "tests/support/unit.h"

#define OUTPUT                                                                         \
    "../samples/framework/alexnet_ddp_level1_text/rank0_ascend_pt/"                    \
    "ASCEND_PROFILER_OUTPUT/"
#define SETTINGS "../samples/framework/qwen3_pp2dp2_level2_text/rank_0_ascend_pt/"

static const struct {
    enum rank_file file;
    const char *path;
    size_t cut_step, flip_step;
} damaged[] = {
    {RANK_KERNELS, OUTPUT "kernel_details.csv", 64, 251},
    {RANK_TRACE, OUTPUT "trace_view.json", 262144, 190001},
    {RANK_STEP_TRACE, OUTPUT "step_trace_time.csv", 1, 1},
    {RANK_COMM, OUTPUT "communication.json", 64, 61},
    {RANK_INFO, SETTINGS "profiler_info_0.json", 64, 17},
    {RANK_METADATA, SETTINGS "profiler_metadata.json", 64, 61},
};

/* The sums that hold for every capture. */
static void check(const struct analysis *analysis)
{
    for (size_t i = 0; i < analysis->step_count; i++) {
        const struct step *step = &analysis->steps[i];
        const struct bubbles *bubbles = &step->bubbles;

        assert_int_equal(bubbles->prelaunch + bubbles->internal + bubbles->tail +
                             bubbles->busy,
                         bubbles->service);
        assert_true(step->compute + step->comm - step->overlap <= bubbles->busy);
        assert_true(step->significant_total <= bubbles->underfeed);
    }
    for (size_t i = 0; i < analysis->gap_count; i++)
        assert_true(analysis->gaps[i].labels != 0);
}

/* Analyses a rank with this content of one file. Returns the number of kernels. */
static size_t analyse(size_t which, const char *bytes, size_t size, uint64_t *skipped)
{
    int fd = memfd_create("damaged", MFD_CLOEXEC);
    char *path = xasprintf("/proc/self/fd/%d", fd);
    struct rank_folder folder = {.path = "x", .output = "x"};
    struct rank_input input;
    struct err err;
    size_t kernels = 0;

    assert_int_equal(fd_write_all(fd, bytes, size), 0);
    folder.files[RANK_KERNELS] = (char *)damaged[0].path;
    folder.files[damaged[which].file] = path;
    *skipped = 0;
    if (rank_input_read(&input, &folder, &err) == 0) {
        struct analysis *analysis = analysis_create(&input);

        check(analysis);
        kernels = input.kernels.count;
        *skipped = input.kernels.rows_skipped;
        analysis_destroy(analysis);
        rank_input_clear(&input);
    } else {
        assert_true(strlen(err.text) > 0);
    }
    free(path);
    close(fd);
    return kernels;
}

static void cut_files_are_analysed_up_to_the_cut(void **ctx)
{
    (void)ctx;
    for (size_t which = 0; which < COUNT(damaged); which++) {
        size_t size, last = 0;
        uint64_t skipped;
        struct err err;
        char *bytes;

        assert_int_equal(file_read(&bytes, &size, damaged[which].path, 1 << 24, &err),
                         0);
        for (size_t length = 0; length < size; length += damaged[which].cut_step) {
            size_t kernels = analyse(which, bytes, length, &skipped);

            if (which == 0) {
                assert_true(kernels >= last && kernels <= last + 1);
                assert_true(skipped <= 1);
                last = kernels;
            }
        }
        free(bytes);
    }
}

static void a_flipped_byte_costs_at_most_two_rows(void **ctx)
{
    (void)ctx;
    for (size_t which = 0; which < COUNT(damaged); which++) {
        size_t size, header = 0;
        uint64_t skipped;
        struct err err;
        char *bytes;

        assert_int_equal(file_read(&bytes, &size, damaged[which].path, 1 << 24, &err),
                         0);
        while (which == 0 && bytes[header++] != '\n')
            continue;
        for (size_t at = header; at < size; at += damaged[which].flip_step) {
            size_t kernels;

            bytes[at] ^= 0x11;
            kernels = analyse(which, bytes, size, &skipped);
            if (which == 0 && kernels > 0) /* 0: the start of a row is far away */
                assert_true(kernels >= 189);
            bytes[at] ^= 0x11;
        }
        free(bytes);
    }
}

/* The first events of the trace, cut at every 64th byte and with changed bytes. A cut
 * file costs the whole evidence of the host. */
static void a_damaged_trace_costs_its_evidence(void **ctx)
{
    enum { TRACE = 1, HEAD = 40000 };
    size_t size, length = HEAD;
    uint64_t skipped;
    struct err err;
    char *bytes;

    (void)ctx;
    assert_int_equal(file_read(&bytes, &size, damaged[TRACE].path, 1 << 24, &err), 0);
    while (length > 0 && strncmp(bytes + length, "},\n{", 4) != 0)
        length--;
    assert_true(length > 0);
    memcpy(bytes + length, "}]", 2);
    length += 2;
    assert_int_equal(analyse(TRACE, bytes, length, &skipped), 191);
    for (size_t cut = 0; cut < length; cut += 64)
        assert_int_equal(analyse(TRACE, bytes, cut, &skipped), 191);
    for (size_t at = 0; at < length; at += 61) {
        bytes[at] ^= 0x11;
        assert_int_equal(analyse(TRACE, bytes, length, &skipped), 191);
        bytes[at] ^= 0x11;
    }
    free(bytes);
}

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* Events from everywhere in the trace, 4 kB at a time, with a changed byte or cut at a
 * random place. The whole file would take seconds for each of them. */
static void damage_anywhere_in_a_trace_costs_its_evidence(void **ctx)
{
    enum { TRACE = 1, PIECES = 250, PIECE = 4000 };
    uint64_t seed = 20240229, skipped;
    int analysed = 0;
    char piece[PIECE + 3];
    struct err err;
    size_t size;
    char *bytes;

    (void)ctx;
    assert_int_equal(file_read(&bytes, &size, damaged[TRACE].path, 1 << 24, &err), 0);
    for (int i = 0; i < PIECES; i++) {
        size_t at = next_random(&seed) % (size - PIECE), length;
        const char *from = strstr(bytes + at, "},\n{");

        if (!from || from + PIECE > bytes + size)
            continue;
        length = PIECE - 1;
        memcpy(piece + 1, from + 3, length);
        piece[0] = '[';
        while (length > 0 && strncmp(piece + length, "},\n{", 4) != 0)
            length--;
        assert_true(length > 0);
        piece[length + 1] = ']';
        length += 2;
        assert_int_equal(analyse(TRACE, piece, length, &skipped), 191);
        at = next_random(&seed) % length;
        piece[at] ^= (char)(1 + next_random(&seed) % 255);
        assert_int_equal(analyse(TRACE, piece, i % 2 ? length : at, &skipped), 191);
        analysed++;
    }
    assert_in_range(analysed, PIECES * 9 / 10, PIECES); /* others are at the end */
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cut_files_are_analysed_up_to_the_cut),
        cmocka_unit_test(a_flipped_byte_costs_at_most_two_rows),
        cmocka_unit_test(a_damaged_trace_costs_its_evidence),
        cmocka_unit_test(damage_anywhere_in_a_trace_costs_its_evidence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
