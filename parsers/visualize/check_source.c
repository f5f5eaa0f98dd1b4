/* check_source.c - the rules of 0x02, 0x03, 0x04, 0x0E and 0x0F, where types count */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "parsers/visualize/check_rules.h"

enum code {
    CODE_SKIP,
    CODE_INT,
    CODE_FLOAT,
    CODE_TEXT,
    CODE_PERCENT,
    CODE_JSON,
    CODE_DETAILS = 100,
    CODE_NONE = -1,
};
static const size_t MIB = 1 << 20;

static int code_of(const struct json_node *node)
{
    int64_t code;

    if (!json_tree_is(node, JSON_NUMBER) || !json_number_i64(node->text, &code))
        return CODE_NONE;
    return code >= CODE_SKIP && code <= CODE_JSON ? (int)code
           : code == CODE_DETAILS                 ? CODE_DETAILS
                                                  : CODE_NONE;
}

static bool value_fits(const struct json_node *value, int code)
{
    int64_t number;

    switch (code) {
    case CODE_INT:
        return json_tree_is(value, JSON_NUMBER) &&
               json_number_i64(value->text, &number) && number >= INT32_MIN &&
               number <= INT32_MAX;
    case CODE_FLOAT:
    case CODE_PERCENT:
        return json_tree_is(value, JSON_NUMBER) && strpbrk(value->text, ".eE");
    case CODE_TEXT:
        return json_tree_is(value, JSON_TEXT);
    case CODE_DETAILS:
        return json_tree_is(value, JSON_OBJECT) && json_tree_get(value, "Percent") &&
               json_tree_is(json_tree_get(value, "Details"), JSON_OBJECT);
    default:
        return true;
    }
}

static void check_column(struct checker *checker,
                         const struct json_node *row,
                         const char *column,
                         int code)
{
    const struct json_node *value = json_tree_get(row, column);

    if (!value)
        return;
    if (!json_tree_is(value, JSON_ARRAY) || code == CODE_JSON) {
        if (!value_fits(value, code))
            check_error(checker, "value", "'%.60s' does not fit its type %d", column,
                        code);
        return;
    }
    for (const struct json_node *it = value->first; it; it = it->next)
        if (!value_fits(it, code)) {
            check_error(checker, "value", "'%.60s' does not fit its type %d", column,
                        code);
            return;
        }
}

static void check_rows(struct checker *checker,
                       const struct json_node *rows,
                       const struct json_node *types)
{
    for (const struct json_node *type = types->first; type; type = type->next) {
        int code = code_of(type);

        if (code == CODE_NONE) {
            check_error(checker, "dtype", "'%.60s' has no known type", type->key);
            continue;
        }
        for (const struct json_node *row = rows->first; row; row = row->next)
            if (code != CODE_SKIP)
                check_column(checker, row, type->key, code);
    }
}

void check_files(struct checker *checker, const struct json_node *root)
{
    const struct json_node *dtype =
        check_member(checker, root, "Files Dtype", JSON_OBJECT);
    const struct json_node *types =
        dtype ? check_member(checker, dtype, "Lines", JSON_OBJECT) : NULL;
    const struct json_node *files = check_member(checker, root, "Files", JSON_ARRAY);

    for (const struct json_node *it = files ? files->first : NULL; it; it = it->next) {
        const struct json_node *source = check_member(checker, it, "Source", JSON_TEXT);
        const struct json_node *lines = check_member(checker, it, "Lines", JSON_ARRAY);

        if (source && !source->text[0])
            check_error(checker, "source", "a file without a name is skipped");
        if (lines && types)
            check_rows(checker, lines, types);
    }
}

static bool is_hex(const struct json_node *node)
{
    char *end;

    if (!json_tree_is(node, JSON_TEXT) || !node->text[0])
        return false;
    strtoull(node->text, &end, 16);
    return end != node->text && !*end;
}

void check_instructions(struct checker *checker, const struct json_node *root)
{
    const struct json_node *dtype =
        check_member(checker, root, "Instructions Dtype", JSON_OBJECT);
    const struct json_node *types =
        dtype ? check_member(checker, dtype, "Instructions", JSON_OBJECT) : NULL;
    const struct json_node *rows =
        check_member(checker, root, "Instructions", JSON_ARRAY);

    check_texts(checker, root, "Cores");
    for (const struct json_node *it = rows ? rows->first : NULL; it; it = it->next)
        if (!is_hex(json_tree_get(it, "Address"))) {
            check_error(checker, "address", "an 'Address' is no hexadecimal text");
            break;
        }
    if (rows && types)
        check_rows(checker, rows, types);
}

static void
check_hits(struct checker *checker, const struct json_node *record, const char *key)
{
    const struct json_node *hits = check_member(checker, record, key, JSON_OBJECT);
    const struct json_node *value =
        hits ? check_member(checker, hits, "Value", JSON_ARRAY) : NULL;

    if (value && (value->count != 2 || !json_tree_is(value->first, JSON_NUMBER) ||
                  !json_tree_is(value->first->next, JSON_NUMBER)))
        check_error(checker, "value", "'%s' has no two numbers", key);
}

void check_cachelines(struct checker *checker, const struct json_node *root)
{
    const struct json_node *records =
        check_member(checker, root, "Cacheline Records", JSON_ARRAY);

    for (const struct json_node *it = records ? records->first : NULL; it;
         it = it->next) {
        check_member(checker, it, "Cacheline Id", JSON_NUMBER);
        check_hits(checker, it, "Hit");
        check_hits(checker, it, "Miss");
    }
}

void check_stalls(struct checker *checker, const struct json_node *root)
{
    const struct json_node *table =
        check_member(checker, root, "top_stall_reason_table", JSON_OBJECT);
    int64_t number;

    for (const struct json_node *it = table ? table->first : NULL; it; it = it->next)
        if (!json_tree_is(it, JSON_NUMBER) || !json_number_i64(it->text, &number))
            check_error(checker, "value", "'%.60s' is no integer: skipped", it->key);
}

/* The reader finds events by their text, so where the keys stand matters too. */
static void check_text_of_trace(struct checker *checker)
{
    const struct bin_block *block = checker->block;
    size_t near = block->size < MIB ? block->size : MIB;
    const char *key = "\"traceEvents\"";
    const uint8_t *list = memmem(block->payload, near, key, strlen(key));

    if (!list)
        check_error(checker, "trace", "no \"traceEvents\" within the first MiB");
}

/* The reader counts braces behind the last "ph", inside of texts as well. */
static void check_braces(struct checker *checker, const struct json_node *event)
{
    const struct json_node *phase = json_tree_get(event, "ph");

    for (const struct json_node *it = phase->next; it; it = it->next) {
        int open = 0;

        for (const char *c = it->kind == JSON_TEXT ? it->text : ""; *c; c++)
            open += *c == '{' ? 1 : *c == '}' ? -1 : 0;
        if (open)
            check_error(checker, "trace", "'%.60s' has a brace behind \"ph\"", it->key);
    }
}

static void check_event(struct checker *checker, const struct json_node *event)
{
    static const char *const bar[] = {"name", "ts", "dur", "pid", "tid"};
    const struct json_node *phase = json_tree_get(event, "ph");
    const struct json_node *ts = json_tree_get(event, "ts");
    double time;

    if (!json_tree_is(phase, JSON_TEXT)) {
        check_error(checker, "trace", "an event has no 'ph'");
        return;
    }
    check_braces(checker, event);
    if (check_is_scalar(ts) && json_number_double(ts->text, &time) && time < 0)
        check_error(checker, "trace", "an event is at a negative time");
    if (strcmp(phase->text, "f") == 0)
        check_error(checker, "trace", "an arrow ends with 'f': 't' is what is read");
    for (size_t i = 0; strcmp(phase->text, "X") == 0 && i < COUNT(bar); i++)
        if (!check_is_scalar(json_tree_get(event, bar[i])))
            check_error(checker, "trace", "a bar has no '%s'", bar[i]);
    if (strcmp(phase->text, "C") == 0 && check_is_scalar(ts) &&
        json_number_double(ts->text, &time) && time == 0)
        check_error(checker, "trace", "a counter sample at 0 is dropped");
}

void check_trace(struct checker *checker, const struct json_node *root)
{
    const struct json_node *events =
        check_member(checker, root, "traceEvents", JSON_ARRAY);

    check_text_of_trace(checker);
    if (events && !events->count)
        check_error(checker, "trace", "no event: leave the block out");
    for (const struct json_node *it = events ? events->first : NULL; it; it = it->next)
        check_event(checker, it);
}
