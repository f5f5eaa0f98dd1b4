/* message_rows_test.c - compares the machine-readable output with samples
 *
 * Each schema has a version in its name, and samples/SCHEMA holds one row in every
 * format. A field that is removed, moved or redefined needs a new version and a new
 * file; a field added at the end does not. MUSTER_TEST_WRITE_EXPECTED=write writes the
 * files. */
#include "cli/view/message_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/wire/codec.h"
#include "tests/support/unit.h"

static const struct schema {
    const char *name;
    enum message_type type;
} schemas[] = {
    {"muster.jobs.v3", MSG_JOB_ROW},
    {"muster.tasks.v3", MSG_TASK_ROW},
    {"muster.results.v3", MSG_RESULT_ROW},
    {"muster.workers.v2", MSG_WORKER_ROW},
    {"muster.events.v2", MSG_EVENT_ROW},
    {"muster.ranks.v3", MSG_RANK_ROW},
    {"muster.replays.v2", MSG_REPLAY_ROW},
    {"muster.launches.v6", MSG_LAUNCH_ROW},
    {"muster.baselines.v1", MSG_BASELINE_ROW},
    {"muster.baseline-nights.v2", MSG_BASELINE_NIGHT_ROW},
    {"muster.baseline-splits.v1", MSG_BASELINE_SPLIT_ROW},
    {"muster.quarantines.v1", MSG_QUARANTINE_ROW},
    {"muster.suspects.v2", MSG_SUSPECT_ROW},
};

/* Gives each field a value of its own, with texts that need quotes or escapes. */
static void fill(union any_message *row, const struct message *message)
{
    uint64_t n = 1;

    memset(row, 0, sizeof(*row));
    for (const struct field *field = message->fields; field->type != FIELD_END;
         field++, n++) {
        char *at = (char *)row + field->offset;

        switch (field->type) {
        case FIELD_U64:
            *(uint64_t *)at = n == 3 ? UINT64_MAX : n;
            break;
        case FIELD_I64:
            *(int64_t *)at = -(int64_t)n;
            break;
        case FIELD_F64:
            *(double *)at = (double)n + 0.125;
            break;
        case FIELD_BOOL:
            *(bool *)at = true;
            break;
        default:
            *(const char **)at = n % 2 ? "plain" : "a \"b\", c\n\xc3\xa9";
        }
    }
}

/* Appends what a command prints for one row, by redirecting stdout. */
static void
print(struct text *out, const struct schema *schema, enum row_output_format format)
{
    static const char *const none[] = {NULL};
    char path[] = "/tmp/muster-rows-XXXXXX", bytes[8192];
    int fd = mkstemp(path), kept = dup(STDOUT_FILENO);
    union any_message row;
    struct err err;
    ssize_t size;

    assert_true(fd >= 0);
    unlink(path);
    fflush(stdout);
    dup2(fd, STDOUT_FILENO);
    struct message_rows *rows = message_rows_create(format, schema->type, none);
    fill(&row, message_find(schema->type));
    message_rows_add(rows, &row);
    int result = message_rows_finish(&rows, &err);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    assert_int_equal(result, 0);
    size = pread(fd, bytes, sizeof(bytes), 0);
    close(fd);
    assert_true(size > 0 && (size_t)size < sizeof(bytes));
    text_add_bytes(out, bytes, (size_t)size);
}

static void a_row_as_json_is_the_row_that_is_printed(void **ctx)
{
    static const char *const none[] = {NULL};

    (void)ctx;
    for (size_t i = 0; i < COUNT(schemas); i++) {
        struct text printed = {0}, row = {0};
        union any_message message;
        struct message_rows *rows =
            message_rows_create(ROW_OUTPUT_JSONL, schemas[i].type, none);
        const struct row_output_column *columns;
        struct cell cells[MESSAGE_ROWS_COLUMNS];
        size_t count = message_rows_columns(rows, &columns);

        print(&printed, &schemas[i], ROW_OUTPUT_JSONL);
        fill(&message, message_find(schemas[i].type));
        message_rows_cells(rows, &message, NULL, NULL, cells);
        row_output_json(&row, columns, count, cells);
        text_add_char(&row, '\n');
        assert_string_equal(text_get(&row), text_get(&printed));
        message_rows_destroy(&rows);
        text_clear(&printed);
        text_clear(&row);
    }
}

static void the_output_of_each_schema_equals_its_sample(void **ctx)
{
    static const struct {
        const char *name;
        enum row_output_format format;
    } forms[] = {{"json", ROW_OUTPUT_JSON},
                 {"jsonl", ROW_OUTPUT_JSONL},
                 {"csv", ROW_OUTPUT_CSV}};
    const char *golden = getenv("MUSTER_TEST_WRITE_EXPECTED");
    struct err err;

    (void)ctx;
    for (size_t i = 0; i < COUNT(schemas); i++) {
        char *path = xasprintf("samples/%s", schemas[i].name), *expected;
        struct text text = {0};
        size_t size;

        for (size_t form = 0; form < COUNT(forms); form++) {
            text_printf(&text, "== %s\n", forms[form].name);
            print(&text, &schemas[i], forms[form].format);
        }
        if (golden && strcmp(golden, "write") == 0) {
            FILE *file = fopen(path, "w");

            assert_non_null(file);
            assert_int_equal(fwrite(text.bytes, 1, text.length, file), text.length);
            assert_int_equal(fclose(file), 0);
        }
        assert_int_equal(file_read(&expected, &size, path, 1 << 16, &err), 0);
        assert_string_equal(text_get(&text), expected);
        free(expected);
        free(path);
        text_clear(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_output_of_each_schema_equals_its_sample),
        cmocka_unit_test(a_row_as_json_is_the_row_that_is_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
