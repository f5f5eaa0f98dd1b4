#include "parsers/dumps/dump_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/capture/format/records.h"
#include "lib/capture/format/writer.h"
#include "tests/support/unit.h"

enum { RUN = 42, RANK = 3, GROUP_BYTES = 1 << 20, PIECE = 16 };

/* A capture of one rank, and what was restored from it. */
struct setting {
    char folder[40];
    struct capture_writer writer;
    uint8_t *group;
    struct text result;
};

static void put(struct setting *setting, unsigned kind, const void *record, size_t size)
{
    assert_int_equal(capture_put(&setting->writer, kind, record, size, 0),
                     CAPTURE_PUT_DONE);
}

static int set_up(void **ctx)
{
    struct setting *setting = xcalloc(1, sizeof(*setting));
    struct record_run_rank rank = {.run_id = RUN, .rank = RANK, .device_logical = 5};

    strcpy(setting->folder, "/tmp/muster-dumps-XXXXXX");
    assert_non_null(mkdtemp(setting->folder));
    setting->group = xmalloc(GROUP_BYTES);
    capture_writer_init(&setting->writer, setting->group, GROUP_BYTES, RUN, RANK << 16,
                        0, 0);
    strcpy(rank.host, "node one");
    put(setting, RECORD_RUN_RANK, &rank, sizeof(rank));
    *ctx = setting;
    return 0;
}

static int tear_down(void **ctx)
{
    struct setting *setting = *ctx;
    struct err err;

    folder_remove(setting->folder, &err);
    text_clear(&setting->result);
    free(setting->group);
    free(setting);
    return 0;
}

static void
put_file(struct setting *setting, uint32_t number, uint64_t bytes, const char *name)
{
    struct record_dump_file file = {.file = number, .bytes = bytes};

    snprintf(file.name, sizeof(file.name), "%s", name);
    put(setting, RECORD_DUMP_FILE, &file, sizeof(file));
}

static void
put_piece(struct setting *setting, uint32_t number, uint64_t offset, uint32_t bytes)
{
    struct {
        struct record_dump_piece head;
        char bytes[PIECE];
    } piece = {.head = {sizeof(piece), number, offset, bytes, 0}};

    memset(piece.bytes, 'a' + (int)(offset / PIECE), PIECE);
    put(setting, RECORD_DUMP_PIECE, &piece, sizeof(piece));
}

static int keep_file(const struct dump_file *file, void *arg, struct err *err)
{
    struct setting *setting = arg;
    char *bytes;
    size_t size;

    assert_int_equal(file_read(&bytes, &size, file->path, 1000, err), 0);
    text_printf(&setting->result, "%s %s %u %s=%s;", file->folder,
                strrchr(file->path, '/') + 1, file->device, file->name, bytes);
    free(bytes);
    return 0;
}

static void keep_problem(const char *text, void *arg)
{
    text_printf(&((struct setting *)arg)->result, "%s;", text);
}

static const char *restore(struct setting *setting)
{
    const struct dump_files_events events = {keep_file, keep_problem, setting};
    char *path = xasprintf("%s/capture.iidb", setting->folder);
    const void *bytes;
    struct err err;
    size_t size;

    assert_true(capture_writer_finish(&setting->writer, &bytes, &size));
    assert_int_equal(file_write(path, bytes, size, &err), 0);
    if (dump_files_restore(path, RUN, RANK, setting->folder, &events, &err) < 0)
        fail_msg("%s", err.text);
    free(path);
    return text_get(&setting->result);
}

static void files_get_their_original_bytes(void **ctx)
{
    struct setting *setting = *ctx;

    put_file(setting, 0, PIECE + 3, "out/a b.idb");
    put_piece(setting, 0, 0, PIECE);
    put_piece(setting, 0, PIECE, 3);
    put_file(setting, 1, 0, "../empty");
    assert_string_equal(
        restore(setting),
        "node_one/device5/dumps/0 a_b.idb 5 out/a b.idb=aaaaaaaaaaaaaaaabbb;"
        "node_one/device5/dumps/1 empty 5 ../empty=;");
}

static void files_of_a_profile_keep_their_folders(void **ctx)
{
    static const char *const names[] = {"/abs/r0_ascend_pt/OUT/a.csv",
                                        "r0_ascend_pt//.././b c/d.json", "e.db"};
    struct setting *setting = *ctx;

    for (uint32_t i = 0; i < COUNT(names); i++) {
        struct record_dump_file file = {.file = i, .kind = DUMP_PROFILE, .bytes = 1};

        snprintf(file.name, sizeof(file.name), "%s", names[i]);
        put(setting, RECORD_DUMP_FILE, &file, sizeof(file));
        put_piece(setting, i, 0, 1);
    }
    assert_string_equal(restore(setting),
                        "node_one/device5/profile/abs/r0_ascend_pt/OUT a.csv 5 "
                        "/abs/r0_ascend_pt/OUT/a.csv=a;"
                        "node_one/device5/profile/r0_ascend_pt/b_c d.json 5 "
                        "r0_ascend_pt//.././b c/d.json=a;"
                        "node_one/device5/profile e.db 5 e.db=a;");
}

static void a_file_with_missing_or_wrong_pieces_is_a_problem(void **ctx)
{
    struct setting *setting = *ctx;

    put_file(setting, 0, 2 * PIECE, "gap");
    put_piece(setting, 0, PIECE, PIECE);
    put_file(setting, 1, 2 * PIECE, "short");
    put_piece(setting, 1, 0, PIECE);
    put_file(setting, 2, 2, "long");
    put_piece(setting, 2, 0, 3);
    put_file(setting, 3, PIECE, "other");
    put_piece(setting, 2, 0, PIECE);
    put_file(setting, 4, PIECE, "beyond");
    put_piece(setting, 4, 0, PIECE + 1);
    put_file(setting, 5, 1, "good");
    put_piece(setting, 5, 0, 1);
    assert_string_equal(restore(setting),
                        "dump gap: the piece at 16 of 32 bytes is out of place;"
                        "dump short: the capture has only 16 of 32 bytes;"
                        "dump long: the piece at 0 of 2 bytes is out of place;"
                        "dump other: the piece at 0 of 16 bytes is out of place;"
                        "dump beyond: the piece at 0 of 16 bytes is out of place;"
                        "node_one/device5/dumps/5 good 5 good=a;");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(files_get_their_original_bytes, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(files_of_a_profile_keep_their_folders, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(
            a_file_with_missing_or_wrong_pieces_is_a_problem, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
