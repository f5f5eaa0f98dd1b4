/* folder_test.c - folders in the vendor's layout, of each chip, become files that pass
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "parsers/inputs/sample.h"
#include "parsers/rank.h"
#include "parsers/visualize/check.h"
#include "tests/support/unit.h"

static char top[64];

static int make_folder(void **ctx)
{
    (void)ctx;
    snprintf(top, sizeof(top), "/tmp/muster-folder-XXXXXX");
    return mkdtemp(top) ? 0 : -1;
}

static int remove_folder(void **ctx)
{
    struct err err;
    (void)ctx;
    return folder_remove(top, &err);
}

static void write_file(const char *folder, const char *name, const struct text *bytes)
{
    char path[256];
    struct err err;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    assert_int_equal(file_write(path, text_get(bytes), bytes->length, &err), 0);
}

static const struct chip_case {
    enum chip chip;
    const char *soc, *type;
    size_t task_bytes;
    uint64_t start, end;
    const char *duration; /* as OpBasicInfo has it */
} cases[] = {
    {CHIP_A2, "Ascend910B4", "mix", 64, 30000, 40000, "200.000000"},
    {CHIP_310P, "Ascend310P3", "AiCore", 64, 60000, 70000, "260.416667"},
    {CHIP_A5, "Ascend950PR_9599", "mix", 32, 60000, 70000, "10.000000"},
};

/* The vendor's own vectors: slots 1001 and up, a cube and its vectors a block. */
static void add_records(const struct chip_case *chip, uint64_t cycles, struct text *out)
{
    struct sample_block block = {.cycles = cycles};

    for (size_t i = 0; i < COUNT(block.slots); i++)
        block.slots[i] = 1001 + i;
    if (chip->chip == CHIP_310P) {
        sample_310p(out, cycles, block.slots);
        return;
    }
    for (block.block = 0; block.block < 2; block.block++)
        for (int i = 0; i < 3; i++) {
            block.is_aiv = i > 0;
            block.sub_block = i == 2;
            if (chip->chip == CHIP_A5)
                sample_a5(out, &block);
            else
                sample_a2(out, &block);
        }
}

static void
write_dump(const struct chip_case *chip, const char *folder, size_t skip_pass)
{
    struct text bytes = {0};
    struct schedule full;
    struct err err;

    assert_int_equal(folder_create(folder, &err), 0);
    assert_int_equal(schedule_full(chip->chip, &full, &err), 0);
    text_printf(&bytes,
                "Op Name=add\nBlock Dim=2\nRun Soc Version=%s\nDevice Id=3\n"
                "Current Freq=1000\nRated Freq=1800",
                chip->soc);
    write_file(folder, "op_basic_info.txt", &bytes);
    for (size_t i = 0; i < full.pass_count; i++) {
        char name[40];

        if (i + 1 == skip_pass)
            continue;
        snprintf(name, sizeof(name), "DeviceProf%zu.bin", i + 1);
        text_reset(&bytes);
        add_records(chip, 10000 + i, &bytes);
        write_file(folder, name, &bytes);
    }
    text_reset(&bytes);
    sample_task(&bytes, chip->task_bytes, 0, 0, chip->start);
    sample_task(&bytes, chip->task_bytes, 0, 1, chip->end);
    write_file(folder, "duration.bin", &bytes);
    text_clear(&bytes);
}

static size_t parse(const char *in, const char *out, struct text *told)
{
    struct json_write lines;
    struct source *source;
    struct err err;
    struct rank_work work = {.folder = out, .lines = &lines};

    assert_int_equal(source_from_folder(&source, in, &err), 0);
    json_write_to_text(&lines, told);
    assert_int_equal(rank_parse(source, &work, &err), 0);
    assert_int_equal(json_write_finish(&lines, &err), 0);
    source_destroy(source);
    return work.bad;
}

static void tell(const struct check_problem *problem, void *arg)
{
    fail_msg("%s: block %zu type 0x%02X: %s: %s", (const char *)arg, problem->block,
             problem->type, problem->rule, problem->text);
}

static void each_chip_gives_files_that_pass(void **ctx)
{
    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char in[128], dump[160], out[128], path[256], row[128];
        struct text told = {0};
        struct err err;
        char *bytes;
        size_t size;

        snprintf(in, sizeof(in), "%s/in%zu", top, i);
        snprintf(dump, sizeof(dump), "%s/device3/add/0/dump", in);
        snprintf(out, sizeof(out), "%s/out%zu", top, i);
        write_dump(&cases[i], dump, 0);
        assert_int_equal(parse(in, out, &told), 0);
        snprintf(path, sizeof(path), "%s/local/device3/add/0/visualize_data.bin", out);
        assert_int_equal(file_read(&bytes, &size, path, 1 << 24, &err), 0);
        visualize_check((const uint8_t *)bytes, size, tell, (void *)cases[i].soc);
        free(bytes);
        snprintf(path, sizeof(path), "%s/local/device3/add/0/OpBasicInfo.csv", out);
        assert_int_equal(file_read(&bytes, &size, path, 1 << 24, &err), 0);
        snprintf(row, sizeof(row), "\nadd,%s,%s,2,", cases[i].type, cases[i].duration);
        assert_non_null(strstr(bytes, row));
        free(bytes);
        text_clear(&told);
    }
}

static void a_missing_pass_is_na_and_not_complete(void **ctx)
{
    char in[128], dump[160], out[128], path[256];
    struct text told = {0};
    struct err err;
    char *csv;
    size_t size;
    (void)ctx;
    snprintf(in, sizeof(in), "%s/partial", top);
    snprintf(dump, sizeof(dump), "%s/device3/add/0/dump", in);
    snprintf(out, sizeof(out), "%s/partial-out", top);
    write_dump(&cases[0], dump, 1); /* pass 1 has the scalar reads of UB */
    assert_int_equal(parse(in, out, &told), 0);
    snprintf(path, sizeof(path), "%s/local/device3/add/0/MemoryUB.csv", out);
    assert_int_equal(file_read(&csv, &size, path, 1 << 24, &err), 0);
    assert_non_null(strstr(csv, ",NA,NA,\n"));
    free(csv);
    assert_null(strstr(text_get(&told), "\"metric\""));
    text_clear(&told);
}

static void a_folder_without_launches_is_refused(void **ctx)
{
    struct source *source;
    struct err err;
    (void)ctx;
    assert_int_equal(source_from_folder(&source, "/nowhere", &err), -1);
    assert_int_equal(source_from_folder(&source, "../cmake", &err), -1);
    assert_int_equal(err.code, ERR_NOT_FOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_chip_gives_files_that_pass),
        cmocka_unit_test(a_missing_pass_is_na_and_not_complete),
        cmocka_unit_test(a_folder_without_launches_is_refused),
    };
    log_open("folder_test", LOG_ERROR);
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
