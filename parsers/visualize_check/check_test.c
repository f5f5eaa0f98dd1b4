/* check_test.c - a file that breaks a rule is reported with the rule and the block */
#include "parsers/visualize_check/check.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "tests/support/unit.h"

static const char info[] =
    "{\"name\":\"add\",\"soc\":\"Ascend910B2\",\"op_type\":\"vector\","
    "\"block_dim\":\"1\",\"mix_block_dim\":\"NA\",\"duration\":1.5,\"device_id\":\"0\","
    "\"pid\":\"\",\"block_detail\":{\"head_name\":[\"Block ID\",\"Core Type\"],"
    "\"size\":[2,2],\"row\":[{\"value\":[\"0\",\"vector\"]}]}}";

/* Adds a block. `size` and `filler` go into its head; -1 selects the correct value. */
static void
add_block(struct text *out, unsigned type, const char *payload, int size, int filler)
{
    size_t length = strlen(payload), fill = (4 - length % 4) % 4;
    unsigned char head[12] = {0};
    size_t content = size < 0 ? length + fill : (size_t)size;

    for (size_t i = 0; i < 8; i++)
        head[i] = (unsigned char)(content >> (8 * i));
    head[8] = (unsigned char)type;
    head[9] = (unsigned char)(filler < 0 ? (int)fill : filler);
    head[10] = type == 4 ? 0 : 0x5A;
    head[11] = 0x5A;
    text_add_bytes(out, head, sizeof(head));
    text_add_bytes(out, payload, length);
    text_add_bytes(out, "\0\0\0", fill);
}

struct reported {
    struct check_problem first;
    char rules[400], texts[2000];
    size_t errors;
};

static void store_problem(const struct check_problem *problem, void *arg)
{
    struct reported *reported = arg;
    size_t used = strlen(reported->rules);

    if (!used)
        reported->first = *problem;
    snprintf(reported->rules + used, sizeof(reported->rules) - used, "%s ",
             problem->rule);
    used = strlen(reported->texts);
    snprintf(reported->texts + used, sizeof(reported->texts) - used, "%s; ",
             problem->text);
}

static struct reported check(const struct text *file)
{
    struct reported reported = {.rules = ""};

    reported.errors = visualize_check((const uint8_t *)text_get(file), file->length,
                                      store_problem, &reported);
    return reported;
}

static void a_good_file_has_no_problem(void **ctx)
{
    struct text file = {0};
    (void)ctx;
    add_block(&file, 0x05, info, -1, -1);
    struct reported reported = check(&file);
    assert_string_equal(reported.rules, "");
    assert_int_equal(reported.errors, 0);
    text_clear(&file);
}

/* The payload of a second block breaks one rule. */
static void each_rule_of_a_payload_is_reported(void **ctx)
{
    static const struct {
        unsigned type;
        const char *payload, *rule;
    } rows[] = {
        {0x06, "{", "json"},
        {0x06, "[]", "root"},
        {0x06, "{\"advice\":[],\"subblock_detail\":{}}", "kind"},
        {0x06, "{\"advice\":[]}", "key"},
        {0x07,
         "{\"advice\":[],\"subblock_detail\":[{\"block_id\":0,\"block_type\":\"cube\","
         "\"name\":\"x\",\"unit\":4,\"value\":\"1\"}]}",
         "unit"},
        {0x07,
         "{\"advice\":[],\"subblock_detail\":[{\"block_id\":0,\"block_type\":\"cube\","
         "\"name\":\"x\",\"unit\":true,\"value\":\"1\"}]}",
         "kind"},
        {0x08,
         "{\"core_memory_map\":[{\"core_no\":0,\"op_type\":\"cube\",\"soc\":\"A5\","
         "\"advice\":[],\"memory_unit\":[],\"L2cache\":{\"hit\":1,\"miss\":1,"
         "\"total_request\":2,\"hit_ratio\":50}}]}",
         "soc"},
        {0x08,
         "{\"core_memory_map\":[{\"core_no\":0,\"op_type\":\"cube\",\"soc\":\"910B\","
         "\"advice\":[],\"memory_unit\":[],\"L2cache\":[]}]}",
         "kind"},
        {0x08,
         "{\"core_memory_map\":[{\"core_no\":0,\"op_type\":\"cube\",\"soc\":\"910B\","
         "\"advice\":[],\"memory_unit\":[{\"memory_path\":0,\"request\":1,"
         "\"bandwidth\":1,\"peak_ratio\":1,\"display\":true}],\"L2cache\":{\"hit\":1,"
         "\"miss\":1,\"total_request\":2,\"hit_ratio\":50}}]}",
         "display"},
        {0x08,
         "{\"core_memory_map\":[{\"core_no\":0,\"op_type\":\"cube\",\"soc\":\"910B\","
         "\"advice\":[],\"memory_unit\":[{\"memory_path\":30,\"request\":1,"
         "\"bandwidth\":1,\"peak_ratio\":1,\"display\":1}],\"L2cache\":{\"hit\":1,"
         "\"miss\":1,\"total_request\":2,\"hit_ratio\":50}}]}",
         "path"},
        {0x09,
         "{\"table_per_block\":[{\"block_id\":0,\"table_op_type\":\"cube\","
         "\"advice\":[],\"tables_detail\":[]}]}",
         "key"},
        {0x09,
         "{\"table_per_block\":[{\"block_id\":0,\"table_op_type\":\"cube\","
         "\"advice\":[],\"table_detail\":[{\"table_name\":\"GM\",\"size\":[1,1],"
         "\"header_name\":[\"x\",\"y\"],\"row\":[]}]}]}",
         "header"},
        {0x09,
         "{\"table_per_block\":[{\"block_id\":0,\"table_op_type\":\"cube\","
         "\"advice\":[],\"table_detail\":[{\"table_name\":\"GM\",\"size\":[1,1],"
         "\"header_name\":[\"\",\"y\"],\"row\":[]}]}]}",
         "size"},
        {0x09,
         "{\"table_per_block\":[{\"block_id\":0,\"table_op_type\":\"cube\","
         "\"advice\":[],\"table_detail\":[{\"table_name\":\"GM\",\"size\":[1,1],"
         "\"header_name\":[\"\",\"y\"],\"row\":[{\"name\":\"r\",\"value\":[]}]}]}]}",
         "cells"},
        {0x09,
         "{\"table_per_block\":[{\"block_id\":0,\"table_op_type\":\"cube\","
         "\"advice\":[],\"table_detail\":[]},{\"block_id\":0,\"table_op_type\":"
         "\"cube\",\"advice\":[],\"table_detail\":[]}]}",
         "unique"},
        {0x0C,
         "{\"soc\":\"a\",\"op_type\":\"cube\",\"advice\":\"\",\"op_detail\":[{"
         "\"core_id\":\"NA\",\"core_detail\":[]}]}",
         "number"},
        {0x0D,
         "{\"advice\":\"\",\"multiple_rooflines\":[{\"title\":\"t\",\"rooflines\":[{"
         "\"bw\":1,\"computility\":1,\"ratio\":1,\"bw_name\":\"\","
         "\"computility_name\":\"\",\"point\":[1]}]}]}",
         "point"},
        {0x02, "{\"traceEvents\":[]}", "trace"},
        {0x02, "{\"traceEvents\":[{\"name\":\"a\"}]}", "trace"},
        {0x02, "{\"traceEvents\":[{\"ph\":\"C\",\"ts\":0}]}", "trace"},
        {0x02,
         "{\"traceEvents\":[{\"name\":\"a\",\"ph\":\"X\",\"ts\":1,\"dur\":1,"
         "\"pid\":\"p\",\"tid\":\"p}q\"}]}",
         "trace"},
        {0x04,
         "{\"Cores\":[\"ALL\"],\"Instructions Dtype\":{\"Instructions\":{"
         "\"Address\":3}},\"Instructions\":[{\"Address\":\"main\"}]}",
         "address"},
        {0x04,
         "{\"Cores\":[\"ALL\"],\"Instructions Dtype\":{\"Instructions\":{"
         "\"Cycles\":1}},\"Instructions\":[{\"Address\":\"0x1\",\"Cycles\":["
         "2147483648]}]}",
         "value"},
        {0x04,
         "{\"Cores\":[\"ALL\"],\"Instructions Dtype\":{\"Instructions\":{"
         "\"Cycles\":2}},\"Instructions\":[{\"Address\":\"0x1\",\"Cycles\":1}]}",
         "value"},
        {0x0E,
         "{\"Cacheline Records\":[{\"Cacheline Id\":0,\"Hit\":{\"Value\":[1]},"
         "\"Miss\":{\"Value\":[0,0.5]}}]}",
         "value"},
        {0x0F, "{\"top_stall_reason_table\":{\"Others\":\"1\"}}", "value"},
        {0x0A, "anything", "type"},
    };
    (void)ctx;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct text file = {0};

        add_block(&file, 0x05, info, -1, -1);
        size_t offset = file.length;
        add_block(&file, rows[i].type, rows[i].payload, -1, -1);
        struct reported reported = check(&file);
        if (!strstr(reported.rules, rows[i].rule))
            fail_msg("row %zu: got '%s', expected '%s'", i, reported.rules,
                     rows[i].rule);
        assert_int_equal(reported.first.block, 1);
        assert_int_equal(reported.first.type, rows[i].type);
        assert_int_equal(reported.first.offset, offset);
        text_clear(&file);
    }
}

static void more_rules_are_reported_with_their_text(void **ctx)
{
    static const struct {
        unsigned type;
        const char *payload, *rule, *text;
    } rows[] = {
        {0x02,
         "{\"traceEvents\":[{\"name\":\"a\",\"ph\":\"X\",\"ts\":1,\"dur\":1,\"pid\":"
         "\"\",\"tid\":\"t\"}]}",
         "trace", "has no 'pid'"},
        {0x02,
         "{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"a\",\"ts\":-1,\"dur\":1,\"pid\":"
         "\"p\",\"tid\":\"t\"}]}",
         "trace", "negative"},
        {0x02, "{\"traceEvents\":[{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1}]}",
         "trace", "has no 'tid'"},
        {0x02,
         "{\"traceEvents\":[{\"ph\":\"M\",\"name\":\"colour\",\"pid\":1,\"args\":{}}]}",
         "trace", "unknown name 'colour'"},
        {0x02, "{\"traceEvents\":[{\"ph\":\"b\",\"ts\":1}]}", "trace",
         "reader ignores phase"},
        {0x02, "{\"traceEvents\":[{\"ph\":\"f\",\"ts\":1}]}", "trace",
         "must end with 't'"},
        {0x02, "{\"traceEvents\":[{\"ph\":\"B\",\"name\":\"x\",\"id\":1,\"ts\":1}]}",
         "trace", "with the name 'x'"},
        {0x02,
         "{\"traceEvents\":[{\"ph\":\"B\",\"name\":\"SET_FLAG\",\"id\":1,\"ts\":1,"
         "\"pid\":1,\"tid\":1}]}",
         "trace", "only one of B and E"},
        {0x02,
         "{\"traceEvents\":[{\"ph\":\"B\",\"name\":\"SET_FLAG\",\"id\":1,\"ts\":1,"
         "\"pid\":1,\"tid\":1},{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,"
         "\"args\":{}},{\"ph\":\"E\",\"name\":\"SET_FLAG\",\"id\":1,\"ts\":1}]}",
         "trace", "does not follow its B"},
        {0x02,
         "{\"traceEvents\":[{\"ph\":\"s\",\"name\":\"flow\",\"cat\":\"c\",\"id\":1,"
         "\"ts\":1,\"pid\":1,\"tid\":1}]}",
         "trace", "does not draw 1 arrows"},
        {0x02, "{\"traceEvents\":[{\"name\":\"a\",\"ph\":\"C\",\"pid\":1,\"ts\":2}]}",
         "trace", "has no 'args'"},
        {0x02, "{\"note\":\"\\\"traceEvents\\\"\",\"traceEvents\":[{\"ph\":\"M\"}]}",
         "trace", "'M' has an unknown name"},
        {0x02, "{\"other\":\"traceEvents\",\"traceEvents\":[{\"ph\":\"C\",\"ts\":0}]}",
         "trace", "no event follows the first"},
        {0x02, "[]", "root", "an array"},
        {0x05,
         "{\"op_type\":\"cube\",\"block_detail\":{\"head_name\":[],\"size\":[1,0],"
         "\"row\":[]}}",
         "key", "'name' is missing"},
        {0x08,
         "{\"core_memory_map\":[{\"core_no\":0,\"op_type\":\"vector\",\"soc\":\"910B\","
         "\"advice\":[],\"memory_unit\":[{\"memory_path\":2,\"request\":1,"
         "\"bandwidth\":1,\"peak_ratio\":1,\"display\":1}],\"L2cache\":{\"hit\":1,"
         "\"miss\":1,\"total_request\":2,\"hit_ratio\":50}}]}",
         "path", "drawing of 910B, vector has no path 2"},
        {0x0C,
         "{\"soc\":\"a\",\"op_type\":\"cube\",\"advice\":\"\",\"op_detail\":[{\"core_"
         "id\":256,\"core_detail\":[]}]}",
         "number", "outside the range"},
        {0x0C,
         "{\"soc\":\"a\",\"op_type\":\"vector\",\"advice\":\"\",\"op_detail\":[{\"core_"
         "id\":1,\"core_detail\":[{\"subcore_type\":\"vector\",\"subcore_id\":0,"
         "\"cycles\":1,\"throughput\":1,\"L2cache_hit_rate\":1},{\"subcore_type\":"
         "\"vector\",\"subcore_id\":1,\"cycles\":1,\"throughput\":1,\"L2cache_hit_"
         "rate\":1,\"simt_vf_instructions\":{\"instructions\":1,\"instruction_per_"
         "cycle\":0.5}}]}]}",
         "folding", "only the first"},
        {0x0C,
         "{\"soc\":\"a\",\"op_type\":\"cube\",\"advice\":\"\",\"op_detail\":[{\"core_"
         "id\":1,\"core_detail\":[{\"subcore_type\":\"cube\",\"subcore_id\":0,"
         "\"cycles\":-5,\"throughput\":1,\"L2cache_hit_rate\":1}]}]}",
         "number", "'cycles' is -5"},
        {0x0D,
         "{\"advice\":\"\",\"multiple_rooflines\":[{\"title\":\"t\",\"rooflines\":[{"
         "\"bw\":0,\"computility\":1,\"ratio\":1,\"bw_name\":\"\",\"computility_name\":"
         "\"\",\"point\":[1,1]}]}]}",
         "point", "does not draw"},
        {0x04,
         "{\"Cores\":[\"a\",\"b\"],\"Instructions "
         "Dtype\":{\"Instructions\":{\"Cycles\":1}},\"Instructions\":[{\"Address\":"
         "\"0x1\",\"Cycles\":[1]}]}",
         "cores", "1 values for 2 cores"},
        {0x04,
         "{\"Cores\":[\"a\",\"b\"],\"Instructions "
         "Dtype\":{\"Instructions\":{\"Cycles\":9}},\"Instructions\":[{\"Address\":"
         "\"0x1\"}]}",
         "dtype", "unknown data type"},
        {0x04,
         "{\"Cores\":[\"a\",\"b\"],\"Instructions "
         "Dtype\":{\"Instructions\":{\"S\":100}},\"Instructions\":[{\"Address\":"
         "\"0x1\",\"S\":{\"Percent\":1,\"Details\":{}}}]}",
         "value", "type 100"},
        {0x04,
         "{\"Cores\":[\"a\",\"b\"],\"Instructions "
         "Dtype\":{\"Instructions\":{\"S\":100}},\"Instructions\":[{\"Address\":"
         "\"0x1\",\"S\":{\"Percent\":0.5,\"Details\":{\"a\":1.5}}}]}",
         "value", "type 100"},
        {0x04,
         "{\"Cores\":[\"a\"],\"Instructions\":[{\"Address\":\"0x1\",\"Cycles\":[1]}]}",
         "old-layout", "fixed columns"},
        {0x04,
         "{\"Cores\":[],\"Instructions "
         "Dtype\":{\"Instructions\":{}},\"Instructions\":[]}",
         "cores", "no core to select"},
        {0x0E,
         "{\"Cacheline Records\":[{\"Cacheline "
         "Id\":0,\"Hit\":{\"Value\":[1,50.0]},\"Miss\":{\"Value\":[0,0.5]}}]}",
         "value", "must be a share"},
    };
    (void)ctx;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct text file = {0};

        if (rows[i].type != 0x05)
            add_block(&file, 0x05, info, -1, -1);
        add_block(&file, rows[i].type, rows[i].payload, -1, -1);
        struct reported reported = check(&file);
        if (!strstr(reported.rules, rows[i].rule) ||
            !strstr(reported.texts, rows[i].text))
            fail_msg("row %zu: got '%s', expected '%s: %s'", i, reported.texts,
                     rows[i].rule, rows[i].text);
        text_clear(&file);
    }
}

static void lines_without_their_source_are_reported(void **ctx)
{
    static const char lines[] =
        "{\"Cores\":[\"a\"],\"Files Dtype\":{\"Lines\":{\"Line\":1}},\"Files\":[{"
        "\"Source\":\"/a.cpp\",\"Lines\":[{\"Line\":3,\"Address Range\":[[\"0x1\"]]},"
        "{\"Line\":\"4\",\"Address Range\":[]}]}]}";
    struct text file = {0};
    struct reported reported;
    (void)ctx;
    add_block(&file, 0x05, info, -1, -1);
    add_block(&file, 0x04,
              "{\"Cores\":[\"a\"],\"Instructions Dtype\":{\"Instructions\":{}},"
              "\"Instructions\":[]}",
              -1, -1);
    add_block(&file, 0x03, lines, -1, -1);
    reported = check(&file);
    assert_string_equal(reported.rules, "value range line no-code ");
    text_clear(&file);
}

static void the_operator_must_have_the_table_of_its_type(void **ctx)
{
    struct text file = {0};
    (void)ctx;
    add_block(&file, 0x05,
              "{\"name\":\"add\",\"soc\":\"Ascend910B2\",\"op_type\":\"mix\","
              "\"block_dim\":\"1\",\"mix_block_dim\":\"2\",\"duration\":1.5,"
              "\"device_id\":\"0\",\"pid\":\"\",\"block_detail\":{}}",
              -1, -1);
    struct reported reported = check(&file);
    assert_string_equal(reported.rules, "key one-table ");
    assert_non_null(strstr(reported.first.text, "mix_block_detail"));
    text_clear(&file);
}

static void each_rule_of_the_container_is_reported(void **ctx)
{
    struct text file = {0};
    (void)ctx;
    assert_string_equal(check(&file).rules, "walk basic-info ");

    add_block(&file, 0x05, info, -1, -1);
    text_add(&file, "stray");
    assert_string_equal(check(&file).rules, "walk ");

    text_reset(&file);
    add_block(&file, 0x05, info, 1000000, -1);
    assert_string_equal(check(&file).rules, "walk basic-info ");

    text_reset(&file);
    add_block(&file, 0x05, info, -1, -1);
    add_block(&file, 0x06, "", -1, -1);
    assert_string_equal(check(&file).rules, "empty-payload ");

    text_reset(&file);
    add_block(&file, 0x05, info, -1, -1);
    file.bytes[10] = 0;
    assert_string_equal(check(&file).rules, "magic ");

    text_reset(&file);
    add_block(&file, 0x05, info, -1, -1);
    add_block(&file, 0x05, info, -1, -1);
    assert_string_equal(check(&file).rules, "twice ");

    text_reset(&file);
    add_block(&file, 0x05, info, -1, 8); /* more filler than the block has */
    assert_non_null(strstr(check(&file).rules, "filler filler json"));

    text_reset(&file);
    add_block(&file, 0x0D, "{\"advice\":\"\",\"multiple_rooflines\":[]}", -1, -1);
    assert_string_equal(check(&file).rules, "needs basic-info ");

    text_reset(&file);
    add_block(&file, 0x04,
              "{\"Cores\":[],\"Instructions Dtype\":{\"Instructions\":{}},"
              "\"Instructions\":[]}",
              -1, -1);
    assert_string_equal(check(&file).rules, "first-block cores basic-info ");
    text_clear(&file);
}

static void a_code_block_needs_a_terminated_path(void **ctx)
{
    struct text file = {0};
    (void)ctx;
    add_block(&file, 0x05, info, -1, -1);
    add_block(&file, 0x01, "", 4, 0);
    for (size_t i = 0; i < 4096; i++)
        text_add_char(&file, 'p');
    text_add(&file, "code");
    assert_string_equal(check(&file).rules, "code-path needs ");
    text_clear(&file);
}

static void every_truncation_of_a_file_is_reported(void **ctx)
{
    struct text file = {0};
    (void)ctx;
    add_block(&file, 0x05, info, -1, -1);
    for (size_t size = 0; size < file.length; size++) {
        struct reported reported = {.rules = ""};

        assert_true(visualize_check((const uint8_t *)file.bytes, size, store_problem,
                                    &reported) > 0);
    }
    text_clear(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_file_has_no_problem),
        cmocka_unit_test(each_rule_of_a_payload_is_reported),
        cmocka_unit_test(more_rules_are_reported_with_their_text),
        cmocka_unit_test(lines_without_their_source_are_reported),
        cmocka_unit_test(the_operator_must_have_the_table_of_its_type),
        cmocka_unit_test(each_rule_of_the_container_is_reported),
        cmocka_unit_test(a_code_block_needs_a_terminated_path),
        cmocka_unit_test(every_truncation_of_a_file_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
