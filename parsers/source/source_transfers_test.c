#include "parsers/source/source_transfers.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "parsers/source/source_launches.h"
#include "tests/support/unit.h"

enum { PIECE_ROWS = 4096, REST_BYTES = 3 };

static char folder[64];

static int create_folder(void **ctx)
{
    (void)ctx;
    strcpy(folder, "/tmp/muster_transfers_test.XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **ctx)
{
    struct err err;

    (void)ctx;
    return folder_remove(folder, &err);
}

struct sums {
    uint64_t count, serials;
};

/* The serial numbers arrive in the order of the file. */
static void add_transfer(void *arg, const struct transfer *transfer)
{
    struct sums *sums = arg;

    assert_int_equal(transfer->serial, sums->count);
    assert_int_equal(transfer->src_bytes, 3 * sums->count);
    sums->count++;
    sums->serials += transfer->serial;
}

/* Writes MemoryChart.bin with rows, and some bytes behind the last one. */
static void write_chart(uint64_t rows, size_t rest)
{
    size_t size = rows * TRANSFER_CHART_ROW_BYTES + rest;
    uint8_t *bytes = xcalloc(1, size + 1);
    char *path = xasprintf("%s/MemoryChart.bin", folder);
    struct err err;

    for (uint64_t i = 0; i < rows; i++)
        transfer_write_chart_row(
            bytes + i * TRANSFER_CHART_ROW_BYTES,
            &(struct transfer){.serial = i, .src_bytes = 3 * i, .dst_bytes = 1});
    assert_int_equal(file_write(path, bytes, size, &err), 0);
    free(path);
    free(bytes);
}

static void all_pieces_of_a_chart_are_read(void **ctx)
{
    static const uint64_t rows[] = {1, PIECE_ROWS - 1, PIECE_ROWS, PIECE_ROWS + 1,
                                    3 * PIECE_ROWS};

    (void)ctx;
    for (size_t i = 0; i < 2 * COUNT(rows); i++) {
        struct source *source = source_create();
        struct source_launch *launch = source_add_launch(source);
        uint64_t count = rows[i / 2];
        size_t rest = i % 2 ? REST_BYTES : 0;
        struct transfer_reader reader;
        struct sums sums = {0};
        struct err err;

        write_chart(count, rest);
        source_find_chart(launch, folder);
        assert_true(launch->metrics & METRIC_MEMORY_DETAIL);
        transfer_reader_init(&reader, add_transfer, &sums);
        assert_int_equal(source_read_transfers(launch, &reader, &err), 0);
        assert_int_equal(sums.count, count);
        assert_int_equal(sums.serials, count * (count - 1) / 2);
        assert_int_equal(reader.unread_bytes, rest);
        assert_int_equal(launch->notes.count, 0);
        source_destroy(source);
    }
}

static void an_empty_chart_is_reported(void **ctx)
{
    struct source *source = source_create();
    struct source_launch *launch = source_add_launch(source);

    (void)ctx;
    write_chart(0, 0);
    source_find_chart(launch, folder);
    assert_null(launch->chart);
    assert_int_equal(launch->metrics, METRIC_MEMORY_DETAIL);
    assert_int_equal(launch->notes.count, 1);
    assert_string_equal(launch->notes.notes[0].text, "MemoryChart.bin is empty");
    source_destroy(source);
}

static void a_chart_that_is_no_file_is_reported(void **ctx)
{
    char *path = xasprintf("%s/MemoryChart.bin", folder);
    struct source *source = source_create();
    struct source_launch *launch = source_add_launch(source);
    int fd;

    (void)ctx;
    unlink(path);
    assert_int_equal(mkdir(path, 0700), 0);
    source_find_chart(launch, folder);
    assert_int_equal(rmdir(path), 0);
    assert_null(launch->chart);
    assert_string_equal(launch->notes.notes[0].text, "MemoryChart.bin is not a file");
    fd = open(path, O_CREAT | O_WRONLY, 0600);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, (off_t)TRANSFERS_MAX * TRANSFER_CHART_ROW_BYTES + 1),
                     0); /* without blocks on the disk */
    close(fd);
    source_find_chart(launch, folder);
    assert_int_equal(unlink(path), 0);
    assert_null(launch->chart);
    assert_int_equal(launch->metrics, 0);
    assert_int_equal(launch->notes.count, 2);
    assert_string_equal(launch->notes.notes[1].text,
                        "MemoryChart.bin left out: it has more than 3758096384 bytes");
    source_destroy(source);
    free(path);
}

static void a_missing_chart_is_no_problem(void **ctx)
{
    struct source *source = source_create();
    struct source_launch *launch = source_add_launch(source);
    struct transfer_reader reader;
    struct sums sums = {0};
    struct err err;

    (void)ctx;
    source_find_chart(launch, "/tmp/muster_transfers_test.none");
    assert_true(!launch->chart && !launch->metrics && !launch->notes.count);
    transfer_reader_init(&reader, add_transfer, &sums);
    assert_int_equal(source_read_transfers(launch, &reader, &err), 0);
    assert_int_equal(sums.count, 0);
    source_destroy(source);
}

static void a_chart_that_disappears_is_an_error(void **ctx)
{
    struct source *source = source_create();
    struct source_launch *launch = source_add_launch(source);
    struct transfer_reader reader;
    struct sums sums = {0};
    struct err err;

    (void)ctx;
    write_chart(2, 0);
    source_find_chart(launch, folder);
    assert_int_equal(unlink(launch->chart), 0);
    transfer_reader_init(&reader, add_transfer, &sums);
    assert_int_equal(source_read_transfers(launch, &reader, &err), -1);
    assert_non_null(strstr(err.text, "MemoryChart.bin: No such file"));
    source_destroy(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_pieces_of_a_chart_are_read),
        cmocka_unit_test(an_empty_chart_is_reported),
        cmocka_unit_test(a_chart_that_is_no_file_is_reported),
        cmocka_unit_test(a_missing_chart_is_no_problem),
        cmocka_unit_test(a_chart_that_disappears_is_an_error),
    };
    return cmocka_run_group_tests(tests, create_folder, remove_folder);
}
