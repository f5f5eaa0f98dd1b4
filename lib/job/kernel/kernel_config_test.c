/* kernel_config_test.c - the vendor's description of a kernel becomes an operator, and
 * each field that muster cannot follow is a problem */
#include "lib/job/kernel/kernel_config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/job/job.h"
#include "tests/support/unit.h"

static char folder[] = "/tmp/muster-config-XXXXXX";
static char job_path[64], bytes[64];
static struct problems problems;
static struct err err;

static void put(const char *name, const void *content, size_t size)
{
    char path[128];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    assert_int_equal(file_write(path, content, size, &err), 0);
}

static int create_folder(void **ctx)
{
    (void)ctx;
    assert_non_null(mkdtemp(folder));
    snprintf(job_path, sizeof(job_path), "%s/job.yaml", folder);
    put("x.bin", bytes, 2 * 8 * 2);
    put("tiling.bin", bytes, 8);
    return 0;
}

static int remove_folder(void **ctx)
{
    (void)ctx;
    return folder_remove(folder, &err);
}

/* Writes the description, and a job file with further keys of the operator. */
static int
read_job(struct job **job, const char *head, const char *params, const char *keys)
{
    char *config =
        xasprintf("{\"kernel_name\": \"add_1\", \"kernel_path\": \"./k/add.o\", "
                  "\"magic\": \"RT_DEV_BINARY_MAGIC_ELF_AIVEC\", %s,\n"
                  "\"test_cases\": [{\"case_name\": \"a\", \"param_desc\": [\n%s]}]}",
                  head, params);
    char *text =
        xasprintf("version: 1\nname: t\noperator: {config: op.json%s}\n", keys);
    int result;

    put("op.json", config, strlen(config));
    put("job.yaml", text, strlen(text));
    result = job_parse_file(job, job_path, &problems, &err);
    free(config);
    free(text);
    return result;
}

static const char good_head[] =
    "\"mode\": \"onboard\", \"blockdim\": 8, \"device_id\": 0";
static const char good_params[] =
    "{\"param_type\": \"input\", \"type\": \"float16\", \"shape\": [2, 8],\n"
    " \"data_path\": \"./x.bin\", \"name\": \"x\", \"value_range\": [0, 1]},\n"
    "{\"param_type\": \"output\", \"type\": \"float\", \"shape\": [16], \"name\": "
    "\"z\"},\n"
    "{\"param_type\": \"workspace\", \"user_workspace_size\": 4096},\n"
    "{\"param_type\": \"tiling\", \"tiling_data_size\": 8, "
    "\"tiling_data_path\": \"tiling.bin\"}\n";

static void a_description_becomes_an_operator(void **ctx)
{
    char expected[4][160];
    struct job_point point;
    struct job *job;

    (void)ctx;
    if (read_job(&job, good_head, good_params, ", renew: 3") < 0)
        fail_msg("%s: %s", problems.items[0].key, problems.items[0].text);
    snprintf(expected[0], sizeof(expected[0]), "%s/k/add.o", folder);
    snprintf(expected[1], sizeof(expected[1]), "in fp16 2*8 from %s/x.bin", folder);
    snprintf(expected[2], sizeof(expected[2]), "out fp32 16");
    snprintf(expected[3], sizeof(expected[3]), "in u8 8 from %s/tiling.bin", folder);
    struct job_points *points = job_points_create(job);
    job_points_at(points, 0, &point);
    assert_int_equal(point.command.count, JOB_RUNNER_WORDS + 4);
    assert_string_equal(point.command.items[1], "kernel");
    assert_string_equal(point.command.items[JOB_RUNNER_FILE], expected[0]);
    assert_string_equal(point.command.items[3], "add_1");
    assert_string_equal(point.command.items[4], "8");
    assert_string_equal(point.command.items[5], expected[1]);
    assert_string_equal(point.command.items[6], expected[2]);
    assert_string_equal(point.command.items[7], "inout u8 4096");
    assert_string_equal(point.command.items[8], expected[3]);
    assert_int_equal(job_settings(job)->renew, 3);
    job_points_destroy(points);
    job_destroy(job);
}

/* Requires one problem at the key whose text contains `text`. */
static void fails(const char *head,
                  const char *params,
                  const char *keys,
                  const char *key,
                  const char *text)
{
    struct job *job;

    assert_int_equal(read_job(&job, head, params, keys), -1);
    if (problems.count != 1 || strcmp(problems.items[0].key, key) != 0 ||
        !strstr(problems.items[0].text, text))
        fail_msg("%zu problems, %s: %s; expected %s: %s", problems.count,
                 problems.items[0].key, problems.items[0].text, key, text);
    problems_clear(&problems);
}

static void each_field_that_has_no_effect_is_refused(void **ctx)
{
    static const struct {
        const char *head, *key, *text;
    } heads[] = {
        {"\"blockdim\": 1", "mode", "missing"},
        {"\"mode\": \"ca\"", "mode", "instruction simulator"},
        {"\"mode\": \"fast\"", "mode", "unknown mode 'fast'"},
        {"\"mode\": \"onboard\", \"device_id\": 2", "device_id", "cards.ids"},
        {"\"mode\": \"onboard\", \"tiling_key\": 1", "tiling_key", "kernel_name"},
        {"\"mode\": \"onboard\", \"blockdim\": 0", "blockdim", "from 1"},
        {"\"mode\": \"onboard\", \"block_dim\": 8", "block_dim", "unknown field"},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(heads); i++)
        fails(heads[i].head, good_params, "", heads[i].key, heads[i].text);
}

static void each_bad_parameter_is_refused(void **ctx)
{
#define INPUT(more) "{\"param_type\": \"input\", \"name\": \"x\", " more "}"
    static const struct {
        const char *params, *key, *text;
    } cases[] = {
        {INPUT("\"type\": \"int4\", \"shape\": [2], \"data_path\": \"x.bin\""), "type",
         "'int4'"},
        {INPUT("\"type\": \"int8\", \"shape\": [0], \"data_path\": \"x.bin\""), "shape",
         "from 1"},
        {INPUT("\"type\": \"int8\", \"shape\": [5], \"data_path\": \"x.bin\""),
         "data_path", "has 32 bytes, the parameter needs 5"},
        {INPUT("\"type\": \"int8\", \"shape\": [5], \"value_range\": [1, 2]"),
         "data_path", "value_range"},
        {INPUT("\"type\": \"int8\", \"shape\": [5], \"data_path\": \"null\""),
         "data_path", "empty address"},
        {INPUT("\"type\": \"int8\", \"shape\": [5], \"data_path\": \"a b\""),
         "data_path", "blank"},
        {INPUT("\"type\": \"int8\", \"shape\": [5], \"format\": \"ND\""), "format",
         "unknown field"},
        {"{\"param_type\": \"fftsAddr\"}", "param_type", "fftsAddr"},
        {"{\"param_type\": \"inout\"}", "param_type", "expected input"},
        {"{\"param_type\": \"workspace\"}", "user_workspace_size", "missing"},
        {"{\"param_type\": \"tiling\", \"tiling_data_size\": 9, "
         "\"tiling_data_path\": \"tiling.bin\"}",
         "tiling_data_path", "has 8 bytes, the parameter needs 9"},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++)
        fails(good_head, cases[i].params, "", cases[i].key, cases[i].text);
}

static void keys_that_the_file_sets_are_refused(void **ctx)
{
    static const char text[] = "version: 1\nname: t\noperator: {config: op.json}\n";
    struct job *job;

    (void)ctx;
    fails(good_head, good_params, ", blocks: 3", "operator.config", "'blocks'");
    fails(good_head, good_params, ", command: [a]", "operator.kernel", "only one of");
    assert_int_equal(job_parse(&job, text, strlen(text), &problems), -1);
    assert_string_equal(problems.items[0].key, "operator.config");
    problems_clear(&problems);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_description_becomes_an_operator),
        cmocka_unit_test(each_field_that_has_no_effect_is_refused),
        cmocka_unit_test(each_bad_parameter_is_refused),
        cmocka_unit_test(keys_that_the_file_sets_are_refused),
    };
    return cmocka_run_group_tests(tests, create_folder, remove_folder);
}
