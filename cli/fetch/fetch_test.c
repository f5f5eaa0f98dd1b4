/* fetch_test.c - files from a source that can stop, change and lie */
#include "cli/fetch/fetch.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/fetch/file_kinds.h"
#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/capture/format/crc.h"
#include "tests/support/unit.h"

enum {
    PIECE = MSG_FILES_PIECE,
    BIG = 5 * PIECE + 100, /* six pieces */
    CHANGED_NS = 1500000000,
};

struct fake_file {
    const char *path;
    uint64_t size;
    bool missing;
};

/* A source of files whose bytes come from their name and offset. */
static struct fake {
    struct fake_file files[4];
    size_t count;
    struct msg_read_file asked[FETCH_WINDOW];
    char paths[FETCH_WINDOW][64];
    size_t first, waiting, most_waiting;
    struct msg_file_piece piece;
    char bytes[PIECE];
    unsigned answers, answers_with_data;
    unsigned stop_at, change_at, damage_at, lie_at; /* numbers of answers; 0: never */
    bool repeats_page;
} fake;

static char folder[64];
static int top;
static volatile sig_atomic_t stop;
static struct err err;

static char byte_at(const char *path, uint64_t offset)
{
    return (char)(path[offset % strlen(path)] + (char)(offset / 1000));
}

static int list(void *self,
                const struct msg_list_files *request,
                client_row_fn *fn,
                void *arg,
                struct err *error)
{
    (void)self;
    (void)error;
    assert_int_equal(fake.waiting, 0);
    for (size_t i = 0; i < fake.count; i++) {
        const struct fake_file *file = &fake.files[i];
        struct msg_file_row row = {.path = file->path,
                                   .name = file->path,
                                   .size = file->size,
                                   .missing = file->missing,
                                   .place = i + 1};

        if (!strchr(file->path, '/') == request->reports &&
            (request->reports || fake.repeats_page || row.place > request->place))
            fn(&row, arg);
    }
    return 0;
}

static int ask(void *self, const struct msg_read_file *request, struct err *error)
{
    size_t at = (fake.first + fake.waiting) % FETCH_WINDOW;

    (void)self;
    (void)error;
    assert_true(fake.waiting < FETCH_WINDOW);
    fake.asked[at] = *request;
    snprintf(fake.paths[at], sizeof(fake.paths[at]), "%s", request->path);
    if (++fake.waiting > fake.most_waiting)
        fake.most_waiting = fake.waiting;
    return 0;
}

static int answer(void *self, const struct msg_file_piece **piece, struct err *error)
{
    const struct msg_read_file *asked = &fake.asked[fake.first];
    const char *path = fake.paths[fake.first];
    uint64_t size = 0, number = ++fake.answers;

    (void)self;
    (void)error;
    for (size_t i = 0; i < fake.count; i++)
        if (strcmp(fake.files[i].path, path) == 0)
            size = fake.files[i].size;
    fake.piece = (struct msg_file_piece){
        .from = asked->from, .file_size = size, .changed_wall_ns = CHANGED_NS};
    fake.piece.size = size - asked->from < PIECE ? size - asked->from : PIECE;
    for (uint64_t i = 0; i < fake.piece.size; i++)
        fake.bytes[i] = byte_at(path, asked->from + i);
    fake.piece.crc = crc32c(0, fake.bytes, fake.piece.size);
    fake.piece.same = number == fake.lie_at ||
                      (asked->have == fake.piece.size && asked->crc == fake.piece.crc);
    if (number == fake.damage_at)
        fake.bytes[0] ^= 1;
    if (fake.change_at && number >= fake.change_at)
        fake.piece.changed_wall_ns++;
    if (number == fake.stop_at)
        stop = 1;
    if (!fake.piece.same) {
        fake.piece.data = (struct bytes){fake.bytes, fake.piece.size};
        fake.answers_with_data++;
    }
    fake.first = (fake.first + 1) % FETCH_WINDOW;
    fake.waiting--;
    *piece = &fake.piece;
    return 0;
}

static int run(struct fetch_counts *counts, int kinds)
{
    struct fetch_source source = {NULL, list, ask, answer};
    const struct fetch_request request = {
        .job_id = 7, .kinds = kinds, .top = top, .stop = &stop};

    fake.waiting = fake.most_waiting = fake.answers = fake.answers_with_data = 0;
    stop = 0;
    return fetch_files(counts, &source, &request, &err);
}

static void assert_complete(const char *path, uint64_t size)
{
    char *full = xasprintf("%s/in/%s", folder, path), *bytes;
    size_t length;

    if (file_read(&bytes, &length, full, BIG, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(length, size);
    for (uint64_t i = 0; i < size; i++)
        if (bytes[i] != byte_at(path, i))
            fail_msg("%s: wrong byte at %llu", path, (unsigned long long)i);
    free(bytes);
    free(full);
}

static bool is_there(const char *path)
{
    return faccessat(top, path, F_OK, 0) == 0;
}

static int set_up(void **ctx)
{
    (void)ctx;
    strcpy(folder, "/tmp/muster-fetch-XXXXXX");
    assert_non_null(mkdtemp(folder));
    char *inside = xasprintf("%s/in", folder);
    assert_int_equal(mkdir(inside, 0700), 0);
    top = open(inside, O_RDONLY | O_DIRECTORY);
    free(inside);
    fake = (struct fake){.files = {{"report.html", 10, false},
                                   {"p0/r0/empty.csv", 0, false},
                                   {"p0/r0/big.bin", BIG, false}},
                         .count = 3};
    return 0;
}

static int tear_down(void **ctx)
{
    (void)ctx;
    close(top);
    return folder_remove(folder, &err);
}

static void a_second_run_compares_all_and_transfers_nothing(void **ctx)
{
    struct fetch_counts counts;
    struct stat status;

    (void)ctx;
    assert_int_equal(run(&counts, FILE_KINDS_ALL), 0);
    assert_int_equal(counts.files, 3);
    assert_int_equal(counts.written, 3);
    assert_int_equal(counts.bytes, BIG + 10);
    assert_int_equal(counts.fetched_bytes, BIG + 10);
    assert_complete("report.html", 10);
    assert_complete("p0/r0/empty.csv", 0);
    assert_complete("p0/r0/big.bin", BIG);
    assert_int_equal(fstatat(top, "p0/r0/big.bin", &status, 0), 0);
    assert_int_equal(status.st_mtim.tv_sec, 1);
    assert_int_equal(status.st_mtim.tv_nsec, 500000000);
    assert_int_equal(status.st_mode & 07777, 0640);

    assert_int_equal(run(&counts, FILE_KINDS_ALL), 0);
    assert_int_equal(counts.files, 3);
    assert_int_equal(counts.written, 0);
    assert_int_equal(counts.bytes, BIG + 10);
    assert_int_equal(counts.fetched_bytes, 0);
    assert_int_equal(fake.answers, 1 + 1 + 6);
}

static void a_damaged_copy_gets_only_the_piece_that_differs(void **ctx)
{
    struct fetch_counts counts;

    (void)ctx;
    assert_int_equal(run(&counts, FILE_KIND_BIN), 0);
    int fd = openat(top, "p0/r0/big.bin", O_WRONLY);
    assert_int_equal(pwrite(fd, "?", 1, 2 * PIECE + 5), 1);
    assert_int_equal(pwrite(fd, "longer", 6, BIG), 6);
    close(fd);
    assert_int_equal(run(&counts, FILE_KIND_BIN), 0);
    assert_int_equal(counts.written, 1);
    assert_int_equal(counts.fetched_bytes, PIECE + 100); /* piece 3 and the last one */
    assert_int_equal(fake.answers_with_data, 2);
    assert_complete("p0/r0/big.bin", BIG);
    assert_false(is_there("p0/r0/big.bin.part"));
}

static void an_interrupted_run_is_continued_by_the_next_one(void **ctx)
{
    struct fetch_counts counts;

    (void)ctx;
    fake.files[2].size = BIG;
    fake.files[3] = (struct fake_file){"p0/r1/big.bin", 40 * PIECE, false};
    fake.count = 4;
    fake.stop_at = 20; /* within the last file: 1 + 1 + 6 pieces are before it */
    assert_int_equal(run(&counts, FILE_KINDS_ALL), 0);
    assert_true(counts.interrupted);
    assert_int_equal(counts.written, 3);
    assert_false(is_there("p0/r1/big.bin"));
    assert_true(is_there("p0/r1/big.bin.part"));
    assert_int_equal(fake.most_waiting, FETCH_WINDOW);
    uint64_t before = counts.fetched_bytes - BIG - 10;
    assert_true(before >= 12 * PIECE && before < 40 * PIECE);

    fake.stop_at = 0;
    assert_int_equal(run(&counts, FILE_KINDS_ALL), 0);
    assert_false(counts.interrupted);
    assert_int_equal(counts.written, 1);
    assert_int_equal(counts.fetched_bytes, 40 * PIECE - before);
    assert_true(is_there("p0/r1/big.bin"));
    assert_false(is_there("p0/r1/big.bin.part"));
}

static void paths_that_lead_out_of_the_folder_are_refused(void **ctx)
{
    static const char *const paths[] = {"../out.csv", "/tmp/out.csv", "a/../../out.csv",
                                        "up/out.csv", "..",           "a//b.csv"};
    struct fetch_counts counts;

    (void)ctx;
    assert_int_equal(symlinkat("..", top, "up"), 0);
    for (size_t i = 0; i < COUNT(paths); i++) {
        fake.files[0].path = paths[i];
        fake.count = 1;
        assert_int_equal(run(&counts, FILE_KINDS_ALL), -1);
        assert_int_equal(err.code, i == 3 ? ERR_DENIED : ERR_INPUT);
        assert_int_equal(fake.answers, 0);
    }
    assert_false(is_there("../out.csv"));
    assert_int_equal(symlinkat("/etc/passwd", top, "report.html"), 0);
    fake.files[0].path = "report.html";
    assert_int_equal(run(&counts, FILE_KINDS_ALL), -1);
    assert_int_equal(err.code, ERR_DENIED);
}

static void wrong_bytes_and_wrong_claims_are_refused(void **ctx)
{
    struct fetch_counts counts;

    (void)ctx;
    fake.damage_at = 3;
    assert_int_equal(run(&counts, FILE_KIND_BIN), -1);
    assert_string_equal(err.text, "p0/r0/big.bin: the checksum of the bytes at 131072 "
                                  "is wrong; repeat the command");
    fake.damage_at = 0;
    fake.lie_at = 4; /* "the same", but nothing is there */
    assert_int_equal(run(&counts, FILE_KIND_BIN), -1);
    assert_string_equal(err.text, "p0/r0/big.bin: the checksum of the bytes at 196608 "
                                  "is wrong; repeat the command");
    assert_false(is_there("p0/r0/big.bin"));
    fake.lie_at = 0;
    assert_int_equal(run(&counts, FILE_KIND_BIN), 0);
    assert_complete("p0/r0/big.bin", BIG);
}

static void a_file_that_changes_or_is_missing_is_counted(void **ctx)
{
    struct fetch_counts counts;

    (void)ctx;
    fake.change_at = 4;
    assert_int_equal(run(&counts, FILE_KIND_BIN | FILE_KIND_CSV), 0);
    assert_int_equal(counts.files, 2);
    assert_int_equal(counts.changed, 1);
    assert_int_equal(counts.written, 1);
    assert_false(is_there("p0/r0/big.bin"));
    fake.change_at = 0;
    fake.files[2].missing = true;
    assert_int_equal(run(&counts, FILE_KIND_BIN | FILE_KIND_CSV), 0);
    assert_int_equal(counts.missing, 1);
    assert_int_equal(counts.files, 2);
}

static void a_list_that_does_not_advance_is_refused(void **ctx)
{
    struct fetch_counts counts;

    (void)ctx;
    fake.repeats_page = true;
    assert_int_equal(run(&counts, FILE_KINDS_ALL), -1);
    assert_string_equal(err.text,
                        "the list of files does not advance at p0/r0/big.bin");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_second_run_compares_all_and_transfers_nothing),
        CASE(a_damaged_copy_gets_only_the_piece_that_differs),
        CASE(an_interrupted_run_is_continued_by_the_next_one),
        CASE(paths_that_lead_out_of_the_folder_are_refused),
        CASE(wrong_bytes_and_wrong_claims_are_refused),
        CASE(a_file_that_changes_or_is_missing_is_counted),
        CASE(a_list_that_does_not_advance_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
