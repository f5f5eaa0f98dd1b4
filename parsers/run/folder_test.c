/* folder_test.c - parses folders in the vendor's layout for each chip */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/log.h"
#include "lib/base/mem.h"
#include "parsers/findings/findings.h"
#include "parsers/records/sample_records.h"
#include "parsers/run/parse_rank.h"
#include "parsers/source/sample_folder.h"
#include "parsers/visualize_check/check.h"
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

/* Adds a cube and two vectors per block. Slots count from 1001, as in the vendor's own
 * test data. */
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
    struct counter_schedule full;
    struct err err;

    assert_int_equal(folder_create(folder, &err), 0);
    assert_int_equal(counter_schedule_full(chip->chip, &full, &err), 0);
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

static size_t parse(const char *in, const char *out, struct text *lines_text)
{
    struct json_write lines;
    struct source *source;
    struct err err;
    struct parse_rank_work work = {.folder = out, .lines = &lines};

    assert_int_equal(source_read_folder(&source, in, &err), 0);
    json_write_to_text(&lines, lines_text);
    assert_int_equal(parse_rank(source, &work, &err), 0);
    assert_int_equal(json_write_finish(&lines, &err), 0);
    source_destroy(source);
    return work.bad;
}

static void fail_on_problem(const struct check_problem *problem, void *arg)
{
    fail_msg("%s: block %zu type 0x%02X: %s: %s", (const char *)arg, problem->block,
             problem->type, problem->rule, problem->text);
}

static void the_files_of_each_chip_pass_the_checks(void **ctx)
{
    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char in[128], dump[160], out[128], path[256], row[128];
        struct text lines_text = {0};
        struct err err;
        char *bytes;
        size_t size;

        snprintf(in, sizeof(in), "%s/in%zu", top, i);
        snprintf(dump, sizeof(dump), "%s/device3/add/0/dump", in);
        snprintf(out, sizeof(out), "%s/out%zu", top, i);
        write_dump(&cases[i], dump, 0);
        assert_int_equal(parse(in, out, &lines_text), 0);
        snprintf(path, sizeof(path), "%s/local/device3/add/0/visualize_data.bin", out);
        assert_int_equal(file_read(&bytes, &size, path, 1 << 24, &err), 0);
        visualize_check((const uint8_t *)bytes, size, fail_on_problem,
                        (void *)cases[i].soc);
        free(bytes);
        snprintf(path, sizeof(path), "%s/local/device3/add/0/OpBasicInfo.csv", out);
        assert_int_equal(file_read(&bytes, &size, path, 1 << 24, &err), 0);
        snprintf(row, sizeof(row), "\nadd,%s,%s,2,", cases[i].type, cases[i].duration);
        assert_non_null(strstr(bytes, row));
        free(bytes);
        text_clear(&lines_text);
    }
}

static void a_missing_pass_gives_na_and_no_figures(void **ctx)
{
    char in[128], dump[160], out[128], path[256];
    struct text lines_text = {0};
    struct err err;
    char *csv;
    size_t size;
    (void)ctx;
    snprintf(in, sizeof(in), "%s/partial", top);
    snprintf(dump, sizeof(dump), "%s/device3/add/0/dump", in);
    snprintf(out, sizeof(out), "%s/partial-out", top);
    write_dump(&cases[0], dump, 1); /* pass 1 has the scalar reads of UB */
    assert_int_equal(parse(in, out, &lines_text), 0);
    snprintf(path, sizeof(path), "%s/local/device3/add/0/MemoryUB.csv", out);
    assert_int_equal(file_read(&csv, &size, path, 1 << 24, &err), 0);
    assert_non_null(strstr(csv, ",NA,NA,\n"));
    free(csv);
    assert_null(strstr(text_get(&lines_text), "\"metric\""));
    text_clear(&lines_text);
}

/* Writes three kernels of a range; the second was not selected. The cycle counts tell
 * the kernels apart. */
static void write_range(const char *in, size_t odd_bytes)
{
    static const char *const kernels[] = {"add", "left_out", "mul"};
    struct text bytes = {0};
    struct counter_schedule full;
    char folder[160];
    struct err err;

    for (size_t i = 0; i < COUNT(kernels); i += 2) {
        snprintf(folder, sizeof(folder), "%s/device3/%s/0/dump", in, kernels[i]);
        assert_int_equal(folder_create(folder, &err), 0);
        text_printf(&bytes,
                    "Op Name=%s\nBlock Dim=1\nRun Soc Version=Ascend910B4\n"
                    "Device Id=3\n",
                    kernels[i]);
        write_file(folder, "op_basic_info.txt", &bytes);
        text_reset(&bytes);
    }
    snprintf(folder, sizeof(folder), "%s/tmp_dump/device3/1234/0", in);
    assert_int_equal(folder_create(folder, &err), 0);
    assert_int_equal(counter_schedule_full(CHIP_A2, &full, &err), 0);
    for (size_t pass = 0; pass < full.pass_count; pass++) {
        char name[40];

        text_reset(&bytes);
        for (uint16_t k = 0; k < COUNT(kernels); k++)
            for (uint16_t block = 0; block < 2; block++)
                sample_a2(&bytes, &(struct sample_block){.task = 7 + k,
                                                         .block = block,
                                                         .is_aiv = 1,
                                                         .cycles = 1000u * (k + 1)});
        text_add_bytes(&bytes, "0123456789", odd_bytes);
        snprintf(name, sizeof(name), "DeviceProf%zu.bin", pass + 1);
        write_file(folder, name, &bytes);
    }
    text_reset(&bytes);
    for (uint16_t k = 0; k < COUNT(kernels); k++) {
        sample_stream_task(&bytes, 0, 0, 0, 7 + k, 50000u * (k + 1));
        sample_stream_task(&bytes, 0, 1, 0, 7 + k, 50000u * (k + 1) + 500u * (k + 1));
    }
    write_file(folder, "duration.bin", &bytes);
    text_reset(&bytes);
    text_add(&bytes,
             "/moved/since/device3/add/0/dump\n-1\n/moved/since/device3/mul/0/dump\n");
    write_file(folder, "output.txt", &bytes);
    text_reset(&bytes);
    text_add(&bytes, "Current Freq=1000\nRated Freq=1800\n");
    write_file(folder, "freq.txt", &bytes);
    text_clear(&bytes);
}

static void kernels_of_a_range_get_their_own_records(void **ctx)
{
    static const struct {
        const char *kernel, *basic, *time;
    } expected[] = {
        {"add", "\nadd,vector,10.000000,1,NA,3,NA,1000,1800,\n", ",1.000000,1000,"},
        {"mul", "\nmul,vector,30.000000,1,NA,3,NA,1000,1800,\n", ",3.000000,3000,"},
    };
    char in[128], out[128], path[256];
    struct text lines_text = {0};
    struct err err;
    (void)ctx;
    snprintf(in, sizeof(in), "%s/range", top);
    snprintf(out, sizeof(out), "%s/range-out", top);
    write_range(in, 0);
    assert_int_equal(parse(in, out, &lines_text), 0);
    for (size_t i = 0; i < COUNT(expected); i++) {
        char *csv;
        size_t size;

        snprintf(path, sizeof(path), "%s/local/device3/%s/0/OpBasicInfo.csv", out,
                 expected[i].kernel);
        assert_int_equal(file_read(&csv, &size, path, 1 << 20, &err), 0);
        if (!strstr(csv, expected[i].basic))
            fail_msg("%s", csv);
        free(csv);
        snprintf(path, sizeof(path), "%s/local/device3/%s/0/PipeUtilization.csv", out,
                 expected[i].kernel);
        assert_int_equal(file_read(&csv, &size, path, 1 << 20, &err), 0);
        if (!strstr(csv, expected[i].time))
            fail_msg("%s", csv);
        free(csv);
    }
    text_reset(&lines_text);
    write_range(in, 10);
    assert_true(parse(in, out, &lines_text) > 0);
    assert_non_null(strstr(text_get(&lines_text), "counters end inside a record"));
    text_clear(&lines_text);
}

/* The compiler writes the instructions of a kernel only beside its first launch. */
static void all_launches_have_the_instructions_of_the_first(void **ctx)
{
    const struct sample_launch *launch = &sample_launches[4];
    char in[128], dump[160], path[256];
    struct source *source;
    struct err err;
    (void)ctx;
    assert_true(launch->counts_operands);
    snprintf(in, sizeof(in), "%s/instructions", top);
    for (int order = 0; order < 2; order++) {
        snprintf(dump, sizeof(dump), "%s/device0/kernel/%d/dump", in, order);
        sample_dump(dump, launch, NULL);
    }
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof(path), "%s/%s", dump,
                 i ? "dfx_tune.log" : "dfx_region_map.txt");
        assert_int_equal(unlink(path), 0);
    }
    assert_int_equal(source_read_folder(&source, in, &err), 0);
    assert_int_equal(source->count, 2);
    for (size_t i = 0; i < 2; i++) {
        struct findings findings;

        assert_true(source->launches[i]->marks_instructions);
        findings_read(&findings, source->launches[i]);
        assert_int_equal(findings.pipes.count, 2);
        assert_string_equal(region_map_find(&findings.regions, PIPE_MTE2, 1537)->opcode,
                            "MOV_OUT_TO_UB");
        findings_clear(&findings);
    }
    source_destroy(source);
}

static void a_folder_without_launches_is_rejected(void **ctx)
{
    struct source *source;
    struct err err;
    (void)ctx;
    assert_int_equal(source_read_folder(&source, "/nowhere", &err), -1);
    assert_int_equal(source_read_folder(&source, "../cmake", &err), -1);
    assert_int_equal(err.code, ERR_NOT_FOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_files_of_each_chip_pass_the_checks),
        cmocka_unit_test(a_missing_pass_gives_na_and_no_figures),
        cmocka_unit_test(kernels_of_a_range_get_their_own_records),
        cmocka_unit_test(all_launches_have_the_instructions_of_the_first),
        cmocka_unit_test(a_folder_without_launches_is_rejected),
    };
    log_open("folder_test", LOG_ERROR);
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
