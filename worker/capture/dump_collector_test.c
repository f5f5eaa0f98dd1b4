#include "worker/capture/dump_collector.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/reactor.h"
#include "lib/base/text.h"
#include "lib/capture/capture_reader.h"
#include "lib/capture/format/records.h"
#include "tests/support/unit.h"

/* A folder with files, and what the collector makes of them: `names` with sizes, and
 * the bytes of all files one behind the other. */
struct setting {
    char folder[40];
    struct reactor *reactor;
    struct dump_collector *collector;
    struct text names, bytes;
    uint32_t groups;
    unsigned refusals; /* turns for which has_room() returns false */
};

static void
on_group(void *arg, uint32_t shard, uint32_t number, const void *bytes, size_t size)
{
    struct setting *setting = arg;
    struct capture_reader *reader = capture_reader_create(bytes, size);
    struct capture_block block;
    const uint8_t *record;
    struct err err;

    assert_int_equal(shard, 3 << 16);
    assert_int_equal(number, setting->groups++);
    assert_int_equal(capture_group_check(bytes, size, 42, shard, number, &err), 0);
    while (capture_reader_next(reader, &block))
        for (size_t at = 0, length; capture_record_next(&block, &at, &record, &length);)
            if (strcmp(block.type, "simulation") == 0) {
                struct record_simulation simulation;

                memcpy(&simulation, record, sizeof(simulation));
                text_printf(&setting->names, "simulation %s;", simulation.chip);
            } else if (strcmp(block.type, "dump.file") == 0) {
                struct record_dump_file file;

                memcpy(&file, record, sizeof(file));
                text_printf(&setting->names, "%u %s %d;", file.file, file.name,
                            (int)file.bytes);
            } else if (strcmp(block.type, "dump.piece") == 0) {
                struct record_dump_piece piece;

                memcpy(&piece, record, sizeof(piece));
                text_add_bytes(&setting->bytes, record + sizeof(piece), piece.bytes);
            }
    capture_reader_destroy(reader);
}

static bool has_room(void *arg)
{
    struct setting *setting = arg;

    return setting->refusals == 0 || setting->refusals-- == 0;
}

static void on_finished(void *arg)
{
    reactor_stop(((struct setting *)arg)->reactor);
}

static void put_folder(const struct setting *setting, const char *name)
{
    char *path = xasprintf("%s/%s", setting->folder, name);
    struct err err;

    assert_int_equal(folder_create(path, &err), 0);
    free(path);
}

static void put_file(const struct setting *setting, const char *name, size_t size)
{
    char *path = xasprintf("%s/%s", setting->folder, name);
    char *bytes = xcalloc(1, size + 1);
    struct err err;

    for (size_t i = 0; i < size; i++)
        bytes[i] = (char)(i * 7 + name[0]);
    assert_int_equal(file_write(path, bytes, size, &err), 0);
    free(bytes);
    free(path);
}

static void open_collector_of(struct setting *setting,
                              const char *pattern,
                              uid_t owner,
                              enum dump_kind kind)
{
    static const struct record_run_rank rank = {.run_id = 42, .rank = 3};
    const struct dump_collector_options options = {.rank = &rank,
                                                   .pattern = pattern,
                                                   .folder = setting->folder,
                                                   .owner = owner,
                                                   .kind = kind,
                                                   .on_group = on_group,
                                                   .has_room = has_room,
                                                   .on_finished = on_finished,
                                                   .arg = setting};
    struct err err;

    assert_int_equal(
        dump_collector_create(&setting->collector, setting->reactor, &options, &err),
        0);
}

static void open_collector(struct setting *setting, const char *pattern, uid_t owner)
{
    open_collector_of(setting, pattern, owner, DUMP_FILE);
}

static const struct dump_collector_totals *collect(struct setting *setting)
{
    struct err err;

    dump_collector_start(setting->collector);
    assert_int_equal(reactor_run(setting->reactor, &err), 0);
    return dump_collector_totals(setting->collector);
}

static int set_up(void **ctx)
{
    struct setting *setting = xcalloc(1, sizeof(*setting));

    strcpy(setting->folder, "/tmp/muster-[dump]-XXXXXX");
    assert_non_null(mkdtemp(setting->folder));
    setting->reactor = reactor_create();
    *ctx = setting;
    return 0;
}

static int tear_down(void **ctx)
{
    struct setting *setting = *ctx;
    struct err err;

    dump_collector_destroy(setting->collector);
    reactor_destroy(setting->reactor);
    folder_remove(setting->folder, &err);
    text_clear(&setting->names);
    text_clear(&setting->bytes);
    free(setting);
    return 0;
}

static void files_that_are_new_or_changed_are_collected_whole(void **ctx)
{
    enum { LARGE = 3 * 1024 * 1024 + 5 };
    struct setting *setting = *ctx;
    const struct dump_collector_totals *totals;

    put_file(setting, "old.idb", 10);
    put_file(setting, "changed.idb", 10);
    open_collector(setting, "*.idb", geteuid());
    put_file(setting, "changed.idb", 11);
    put_file(setting, "empty.idb", 0);
    put_file(setting, "large.idb", LARGE);
    put_file(setting, "other.txt", 5);
    setting->refusals = 2;
    totals = collect(setting);
    assert_string_equal(totals->error, "");
    assert_int_equal(totals->files, 3);
    assert_int_equal(totals->bytes, LARGE + 11);
    assert_int_equal(totals->groups, setting->groups);
    assert_true(totals->groups >= 4); /* a group has at most 1 MiB */
    assert_int_equal(setting->refusals, 0);
    assert_string_equal(text_get(&setting->names),
                        "0 changed.idb 11;1 empty.idb 0;2 large.idb 3145733;");
    assert_int_equal(setting->bytes.length, LARGE + 11);
    for (size_t i = 0; i < LARGE; i++)
        if (setting->bytes.bytes[11 + i] != (char)(i * 7 + 'l'))
            fail_msg("byte %zu differs", i);
}

static void the_number_of_the_rank_selects_its_files(void **ctx)
{
    struct setting *setting = *ctx;

    open_collector(setting, "rank%r/*.idb", geteuid());
    for (int rank = 2; rank < 4; rank++) {
        char *folder = xasprintf("%s/rank%d", setting->folder, rank);

        assert_int_equal(mkdir(folder, 0700), 0);
        free(folder);
    }
    put_file(setting, "rank2/a.idb", 1);
    put_file(setting, "rank3/b.idb", 2);
    assert_string_equal(collect(setting)->error, "");
    assert_string_equal(text_get(&setting->names), "0 rank3/b.idb 2;");
}

static void a_pattern_without_a_new_file_is_an_error(void **ctx)
{
    struct setting *setting = *ctx;

    put_file(setting, "old.idb", 10);
    open_collector(setting, "*.idb", geteuid());
    assert_string_equal(collect(setting)->error,
                        "the program wrote no file that matches profile.dump '*.idb'; "
                        "older files are not collected");
    assert_int_equal(setting->names.length, 0);
}

static void links_and_files_of_others_are_refused(void **ctx)
{
    struct setting *setting = *ctx;
    char *path = xasprintf("%s/link.idb", setting->folder);

    open_collector(setting, "link.idb", geteuid());
    assert_int_equal(symlink("/etc/passwd", path), 0);
    assert_string_equal(collect(setting)->error,
                        "dump link.idb: Too many levels of symbolic links");
    dump_collector_destroy(setting->collector);
    unlink(path);
    free(path);
    setting->groups = 0;
    open_collector(setting, "own.idb", geteuid() + 1);
    put_file(setting, "own.idb", 1);
    assert_string_equal(collect(setting)->error,
                        "dump own.idb: it belongs to another account");
    assert_int_equal(setting->names.length, 0);
}

/* Writes files of one byte, without the cost of a safe replacement of each. */
static void put_files(const struct setting *setting, char letter, int count)
{
    char path[sizeof(setting->folder) + 24];

    for (int i = 0; i < count; i++) {
        int fd;

        snprintf(path, sizeof(path), "%s/%c%d.idb", setting->folder, letter, i);
        fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        assert_int_equal(write(fd, "x", 1), 1);
        close(fd);
    }
}

static void the_logs_of_a_simulation_and_the_file_of_its_kernel(void **ctx)
{
    static const struct record_run_rank rank = {.run_id = 42, .rank = 3};
    static const struct record_simulation simulation = {.chip = "Ascend910B2"};
    struct setting *setting = *ctx;
    char *kernel = xasprintf("%s/add.o", setting->folder);
    struct dump_collector_options options = {.rank = &rank,
                                             .pattern = "core*",
                                             .folder = setting->folder,
                                             .also = kernel,
                                             .owner = geteuid(),
                                             .simulation = &simulation,
                                             .nothing = "no log",
                                             .on_group = on_group,
                                             .has_room = has_room,
                                             .on_finished = on_finished,
                                             .arg = setting};
    struct err err;

    put_file(setting, "add.o", 4); /* before the program */
    assert_int_equal(
        dump_collector_create(&setting->collector, setting->reactor, &options, &err),
        0);
    assert_string_equal(collect(setting)->error, "no log");
    assert_string_equal(text_get(&setting->names), "simulation Ascend910B2;");
    dump_collector_destroy(setting->collector);
    text_clear(&setting->names);
    setting->groups = 0;
    assert_int_equal(
        dump_collector_create(&setting->collector, setting->reactor, &options, &err),
        0);
    put_file(setting, "core0.instr_log.dump", 3);
    assert_string_equal(collect(setting)->error, "");
    assert_string_equal(text_get(&setting->names),
                        "simulation Ascend910B2;0 core0.instr_log.dump 3;1 add.o 4;");
    free(kernel);
}

static void many_old_files_cost_no_limit_of_new_ones(void **ctx)
{
    struct setting *setting = *ctx;
    const struct dump_collector_totals *totals;

    put_files(setting, 'm', 5000);
    open_collector(setting, "*.idb", geteuid());
    put_files(setting, 'l', 2);
    put_files(setting, 'm', 3); /* written again */
    put_file(setting, "n.idb", 1);
    totals = collect(setting);
    assert_string_equal(totals->error, "");
    assert_string_equal(text_get(&setting->names),
                        "0 l0.idb 1;1 l1.idb 1;2 m0.idb 1;3 m1.idb 1;4 m2.idb 1;"
                        "5 n.idb 1;");
}

static void more_than_4096_new_files_are_refused(void **ctx)
{
    struct setting *setting = *ctx;
    const struct dump_collector_totals *totals;

    open_collector(setting, "*.idb", geteuid());
    put_files(setting, 'm', 4097);
    totals = collect(setting);
    assert_string_equal(totals->error,
                        "the program wrote more than 4096 files that match "
                        "profile.dump, at most 4096 are collected; use a narrower "
                        "pattern");
    assert_int_equal(totals->files, 0);
}

static void a_profile_is_collected_with_its_folders_and_without_raw_data(void **ctx)
{
    struct setting *setting = *ctx;
    const struct dump_collector_totals *totals;

    put_folder(setting, "r3_ascend_pt/OUT");
    put_folder(setting, "r3_ascend_pt/PROF_1/device_0/data");
    put_folder(setting, "r3_ascend_pt/FRAMEWORK");
    put_folder(setting, "r4_ascend_pt/OUT");
    put_file(setting, "r3_ascend_pt/OUT/old.csv", 2);
    open_collector_of(setting, "r%r_*", geteuid(), DUMP_PROFILE);
    put_file(setting, "r3_ascend_pt/OUT/trace_view.json", 5);
    put_file(setting, "r3_ascend_pt/OUT/.hidden.csv", 5);
    put_file(setting, "r3_ascend_pt/a.db", 3);
    put_file(setting, "r3_ascend_pt/a.log", 3);
    put_file(setting, "r3_ascend_pt/FRAMEWORK/raw.json", 3);
    put_file(setting, "r3_ascend_pt/PROF_1/device_0/info.json.0", 4);
    put_file(setting, "r3_ascend_pt/PROF_1/device_0/data/stars.slice", 9);
    put_file(setting, "r4_ascend_pt/OUT/b.csv", 3);
    totals = collect(setting);
    assert_string_equal(totals->error, "");
    assert_string_equal(text_get(&setting->names),
                        "0 r3_ascend_pt/OUT/trace_view.json 5;"
                        "1 r3_ascend_pt/PROF_1/device_0/info.json.0 4;"
                        "2 r3_ascend_pt/a.db 3;");
}

static void an_empty_folder_of_a_profile_is_an_error(void **ctx)
{
    struct setting *setting = *ctx;

    put_folder(setting, "r3_ascend_pt");
    open_collector_of(setting, "r%r_*", geteuid(), DUMP_PROFILE);
    assert_string_equal(collect(setting)->error,
                        "the program wrote no file that matches profile.collect "
                        "'r%r_*'; check the pattern and the program");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            files_that_are_new_or_changed_are_collected_whole, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_number_of_the_rank_selects_its_files,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_pattern_without_a_new_file_is_an_error,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(links_and_files_of_others_are_refused, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(
            the_logs_of_a_simulation_and_the_file_of_its_kernel, set_up, tear_down),
        cmocka_unit_test_setup_teardown(many_old_files_cost_no_limit_of_new_ones,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(more_than_4096_new_files_are_refused, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(
            a_profile_is_collected_with_its_folders_and_without_raw_data, set_up,
            tear_down),
        cmocka_unit_test_setup_teardown(an_empty_folder_of_a_profile_is_an_error,
                                        set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
