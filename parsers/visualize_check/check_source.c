/* check_source.c - the rules of 0x03, 0x04, 0x0E and 0x0F, where types count, and of
 * what is no JSON: source code, 0x0A and 0x0B */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "parsers/visualize_check/check_report.h"

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
/* What the viewer shows at the most: rows, letters of a file, its lines and theirs. */
enum { ROWS_SHOWN = 1000000, CODE_SHOWN = 1000000, LINES_SHOWN = 10000 };

static int code_of(const struct json_node *node)
{
    int64_t code;

    if (!json_tree_is(node, JSON_NUMBER) || !json_number_i64(node->text, &code))
        return CODE_NONE;
    return code >= CODE_SKIP && code <= CODE_JSON ? (int)code
           : code == CODE_DETAILS                 ? CODE_DETAILS
                                                  : CODE_NONE;
}

static bool is_int(const struct json_node *value)
{
    int64_t number;

    return json_tree_is(value, JSON_NUMBER) && json_number_i64(value->text, &number) &&
           number >= INT32_MIN && number <= INT32_MAX;
}

static bool is_float(const struct json_node *value)
{
    return json_tree_is(value, JSON_NUMBER) && strpbrk(value->text, ".eE");
}

/* A share, as a float or a text of one, and the counts that it is made of. */
static bool details_fit(const struct json_node *value)
{
    const struct json_node *share = json_tree_get(value, "Percent");
    const struct json_node *counts = json_tree_get(value, "Details");
    double number;

    if (!json_tree_is(counts, JSON_OBJECT) ||
        !(is_float(share) ||
          (json_tree_is(share, JSON_TEXT) && json_number_double(share->text, &number))))
        return false;
    for (const struct json_node *it = counts->first; it; it = it->next)
        if (!is_int(it))
            return false;
    return true;
}

static bool value_fits(const struct json_node *value, int code)
{
    switch (code) {
    case CODE_INT:
        return is_int(value);
    case CODE_FLOAT:
    case CODE_PERCENT:
        return is_float(value);
    case CODE_TEXT:
        return json_tree_is(value, JSON_TEXT);
    case CODE_DETAILS:
        return details_fit(value);
    default:
        return true;
    }
}

/* `cores` is 0 where nobody knows them. */
static void check_column(struct checker *checker,
                         const struct json_node *row,
                         const char *column,
                         int code,
                         size_t cores)
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
    if (cores && value->count < cores)
        check_warn(checker, "cores", "'%.60s' has %zu values for %zu cores", column,
                   value->count, cores);
    for (const struct json_node *it = value->first; it; it = it->next)
        if (!value_fits(it, code)) {
            check_error(checker, "value", "'%.60s' does not fit its type %d", column,
                        code);
            return;
        }
}

static void check_rows(struct checker *checker,
                       const struct json_node *rows,
                       const struct json_node *types,
                       size_t cores)
{
    for (const struct json_node *type = types->first; type; type = type->next) {
        int code = code_of(type);

        if (code == CODE_NONE) {
            check_error(checker, "dtype", "'%.60s' has no known type", type->key);
            continue;
        }
        for (const struct json_node *row = rows->first; row; row = row->next)
            if (code != CODE_SKIP)
                check_column(checker, row, type->key, code, cores);
    }
}

static bool is_address(const struct json_node *node)
{
    char *end;

    if (!json_tree_is(node, JSON_TEXT) || !node->text[0])
        return false;
    strtoull(node->text, &end, 16);
    return end != node->text; /* what follows the number is passed over */
}

/* Where a line is in the code, which the viewer asks for by its number. */
static void check_line(struct checker *checker, const struct json_node *line)
{
    const struct json_node *ranges =
        check_member(checker, line, "Address Range", JSON_ARRAY);

    if (!is_int(json_tree_get(line, "Line")))
        check_error(checker, "line", "'Line' is no number of a line");
    for (const struct json_node *it = ranges ? ranges->first : NULL; it; it = it->next)
        if (it->count != 2 || !is_address(it->first) || !is_address(it->first->next)) {
            check_error(checker, "range", "an address range is no pair: it is skipped");
            return;
        }
}

/* Fixed columns, of files that were written before they named theirs. */
static void check_old_rows(struct checker *checker,
                           const struct json_node *rows,
                           const char *const *lists,
                           size_t count)
{
    for (const struct json_node *row = rows->first; row; row = row->next)
        for (size_t i = 0; i < count; i++)
            if (!json_tree_is(json_tree_get(row, lists[i]), JSON_ARRAY)) {
                check_error(checker, "old-layout",
                            "a row without a list '%s' is skipped", lists[i]);
                return;
            }
}

static void check_file(struct checker *checker,
                       const struct json_node *file,
                       const struct json_node *types)
{
    static const char *const lists[] = {"Address Range", "Cycles",
                                        "Instructions Executed"};
    const struct json_node *source = check_member(checker, file, "Source", JSON_TEXT);
    const struct json_node *lines = check_member(checker, file, "Lines", JSON_ARRAY);

    if (source && !source->text[0])
        check_error(checker, "source", "a file without a name is skipped");
    else if (source && !map_get(checker->sources, source->text))
        map_put(checker->sources, source->text, checker->sources);
    if (!lines)
        return;
    if (types)
        check_rows(checker, lines, types, 0);
    else
        check_old_rows(checker, lines, lists, COUNT(lists));
    for (const struct json_node *it = lines->first; it; it = it->next)
        check_line(checker, it);
}

/* The types of the columns; NULL, and *is_old, where the file has fixed ones. */
static const struct json_node *types_of(struct checker *checker,
                                        const struct json_node *root,
                                        const char *name,
                                        const char *rows,
                                        bool *is_old)
{
    const struct json_node *dtype = json_tree_get(root, name);

    *is_old = !dtype;
    if (!dtype) {
        check_warn(checker, "old-layout", "no '%s': only fixed columns are read", name);
        return NULL;
    }
    return check_member(checker, dtype, rows, JSON_OBJECT);
}

void check_files(struct checker *checker, const struct json_node *root)
{
    bool is_old;
    const struct json_node *types =
        types_of(checker, root, "Files Dtype", "Lines", &is_old);
    const struct json_node *files = check_member(checker, root, "Files", JSON_ARRAY);

    for (const struct json_node *it = files ? files->first : NULL; it; it = it->next)
        if (types || is_old)
            check_file(checker, it, types);
}

void check_instructions(struct checker *checker, const struct json_node *root)
{
    static const char *const lists[] = {"Cycles", "Instructions Executed"};
    const struct json_node *cores = json_tree_get(root, "Cores");
    bool is_old;
    const struct json_node *types =
        types_of(checker, root, "Instructions Dtype", "Instructions", &is_old);
    const struct json_node *rows =
        check_member(checker, root, "Instructions", JSON_ARRAY);

    check_texts(checker, root, "Cores");
    if (json_tree_is(cores, JSON_ARRAY) && !cores->count)
        check_error(checker, "cores", "without a core nothing can be chosen");
    for (const struct json_node *it = rows ? rows->first : NULL; it; it = it->next)
        if (!is_address(json_tree_get(it, "Address"))) {
            check_error(checker, "address", "an 'Address' is no hexadecimal text");
            break;
        }
    if (rows && rows->count > ROWS_SHOWN)
        check_warn(checker, "rows", "%zu instructions: 1000000 are shown", rows->count);
    if (rows && types)
        check_rows(checker, rows, types, cores ? cores->count : 0);
    else if (rows && is_old)
        check_old_rows(checker, rows, lists, COUNT(lists));
}

static void
check_hits(struct checker *checker, const struct json_node *record, const char *key)
{
    const struct json_node *hits = check_member(checker, record, key, JSON_OBJECT);
    const struct json_node *value =
        hits ? check_member(checker, hits, "Value", JSON_ARRAY) : NULL;
    double rate;

    if (value && (value->count != 2 || !json_tree_is(value->first, JSON_NUMBER) ||
                  !json_tree_is(value->first->next, JSON_NUMBER)))
        check_error(checker, "value", "'%s' has no two numbers", key);
    else if (value && json_number_double(value->first->next->text, &rate) &&
             (rate < 0 || rate > 1))
        check_warn(checker, "value", "'%s': %.20s is no share of one", key,
                   value->first->next->text);
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

void check_tracekit(struct checker *checker)
{
    enum { RECORD = 32, ACCESSES = 5, SPACES = 7 };
    const struct bin_block *block = checker->block;

    if (block->size % RECORD)
        check_error(checker, "records", "%zu bytes behind the last whole record",
                    block->size % RECORD);
    for (size_t at = 0; block->type == 0x0A && block->size - at >= RECORD; at += RECORD)
        if (block->payload[at] >= ACCESSES || block->payload[at + 2] >= SPACES ||
            block->payload[at + 3] > 1) {
            check_error(checker, "records", "record %zu is of no known kind",
                        at / RECORD);
            return;
        }
}

void check_code_text(struct checker *checker, const uint8_t *bytes, size_t size)
{
    size_t lines = 1, length = 0, longest = 0;

    if (memchr(bytes, 0, size))
        check_warn(checker, "code-text", "it has NULs, which are shown");
    for (size_t i = 0; i < size; i++) {
        length = bytes[i] == '\n' ? 0 : length + 1;
        longest = length > longest ? length : longest;
        lines += bytes[i] == '\n';
    }
    if (size > CODE_SHOWN || lines > LINES_SHOWN || longest > LINES_SHOWN)
        check_warn(checker, "code-text",
                   "%zu bytes, %zu lines, the longest of %zu: not all is shown", size,
                   lines, longest);
}
