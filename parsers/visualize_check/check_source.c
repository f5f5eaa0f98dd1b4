/* check_source.c - the rules of the block types 0x03, 0x04, 0x0E and 0x0F, and of the
 * types without JSON: source code, 0x0A and 0x0B
 *
 * The reader accepts a value of these blocks only in the data type that the block
 * announces for its column. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "parsers/visualize_check/check_payload.h"

/* Data types of columns, as the "Dtype" members number them. */
enum data_type {
    TYPE_SKIP,
    TYPE_INT,
    TYPE_FLOAT,
    TYPE_TEXT,
    TYPE_PERCENT,
    TYPE_JSON,
    TYPE_DETAILS = 100,
    TYPE_UNKNOWN = -1,
};
/* Limits of the viewer's display. */
enum {
    ROWS_SHOWN = 1000000,       /* instructions */
    CODE_BYTES_SHOWN = 1000000, /* of a source file */
    LINES_SHOWN = 10000,        /* of a source file */
    LINE_BYTES_SHOWN = 10000,
};

static int data_type_of(const struct json_node *node)
{
    int64_t type;

    if (!json_tree_is(node, JSON_NUMBER) || !json_number_i64(node->text, &type))
        return TYPE_UNKNOWN;
    return type >= TYPE_SKIP && type <= TYPE_JSON ? (int)type
           : type == TYPE_DETAILS                 ? TYPE_DETAILS
                                                  : TYPE_UNKNOWN;
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

/* Returns true for an object with a share (a float, or a text of one) and the counts
 * behind it. */
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

static bool value_fits(const struct json_node *value, int type)
{
    switch (type) {
    case TYPE_INT:
        return is_int(value);
    case TYPE_FLOAT:
    case TYPE_PERCENT:
        return is_float(value);
    case TYPE_TEXT:
        return json_tree_is(value, JSON_TEXT);
    case TYPE_DETAILS:
        return details_fit(value);
    default:
        return true;
    }
}

/* Checks one value, or one value per core. `cores` is 0 when the block has no list of
 * cores. */
static void check_column(struct checker *checker,
                         const struct json_node *row,
                         const char *column,
                         int type,
                         size_t cores)
{
    const struct json_node *value = json_tree_get(row, column);

    if (!value)
        return;
    if (!json_tree_is(value, JSON_ARRAY) || type == TYPE_JSON) {
        if (!value_fits(value, type))
            check_error(checker, "value",
                        "a value of '%.60s' is not of its data type %d", column, type);
        return;
    }
    if (cores && value->count < cores)
        check_warn(checker, "cores", "'%.60s' has %zu values for %zu cores", column,
                   value->count, cores);
    for (const struct json_node *it = value->first; it; it = it->next)
        if (!value_fits(it, type)) {
            check_error(checker, "value",
                        "a value of '%.60s' is not of its data type %d", column, type);
            return;
        }
}

static void check_rows(struct checker *checker,
                       const struct json_node *rows,
                       const struct json_node *types,
                       size_t cores)
{
    for (const struct json_node *it = types->first; it; it = it->next) {
        int type = data_type_of(it);

        if (type == TYPE_UNKNOWN) {
            check_error(checker, "dtype", "column '%.60s' has an unknown data type",
                        it->key);
            continue;
        }
        for (const struct json_node *row = rows->first; row; row = row->next)
            if (type != TYPE_SKIP)
                check_column(checker, row, it->key, type, cores);
    }
}

static bool is_address(const struct json_node *node)
{
    char *end;

    if (!json_tree_is(node, JSON_TEXT) || !node->text[0])
        return false;
    strtoull(node->text, &end, 16);
    return end != node->text; /* the reader ignores text after the number */
}

/* Checks the address ranges of a source line. */
static void check_line(struct checker *checker, const struct json_node *line)
{
    const struct json_node *ranges =
        check_member(checker, line, "Address Range", JSON_ARRAY);

    if (!is_int(json_tree_get(line, "Line")))
        check_error(checker, "line", "'Line' must be a line number");
    for (const struct json_node *it = ranges ? ranges->first : NULL; it; it = it->next)
        if (it->count != 2 || !is_address(it->first) || !is_address(it->first->next)) {
            check_error(checker, "range",
                        "an address range must be a pair of hexadecimal texts; the "
                        "reader skips this one");
            return;
        }
}

/* Checks the fixed columns of the old layout, which has no "Dtype" member. */
static void check_old_rows(struct checker *checker,
                           const struct json_node *rows,
                           const char *const *lists,
                           size_t count)
{
    for (const struct json_node *row = rows->first; row; row = row->next)
        for (size_t i = 0; i < count; i++)
            if (!json_tree_is(json_tree_get(row, lists[i]), JSON_ARRAY)) {
                check_error(checker, "old-layout",
                            "the reader skips a row without a list '%s'", lists[i]);
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
        check_error(checker, "source", "the reader skips a file without a name");
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

/* Returns the data types of the columns. Returns NULL and sets *is_old for the old
 * layout, which has fixed columns. */
static const struct json_node *types_of(struct checker *checker,
                                        const struct json_node *root,
                                        const char *name,
                                        const char *rows,
                                        bool *is_old)
{
    const struct json_node *dtype = json_tree_get(root, name);

    *is_old = !dtype;
    if (!dtype) {
        check_warn(checker, "old-layout",
                   "without '%s' the reader uses only the fixed columns", name);
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
        check_error(checker, "cores",
                    "'Cores' is empty, so the viewer offers no core to select");
    for (const struct json_node *it = rows ? rows->first : NULL; it; it = it->next)
        if (!is_address(json_tree_get(it, "Address"))) {
            check_error(checker, "address", "'Address' must be a hexadecimal text");
            break;
        }
    if (rows && rows->count > ROWS_SHOWN)
        check_warn(checker, "rows", "the viewer shows 1000000 of %zu instructions",
                   rows->count);
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
        check_error(checker, "value", "'Value' of '%s' must be two numbers", key);
    else if (value && json_number_double(value->first->next->text, &rate) &&
             (rate < 0 || rate > 1))
        check_warn(checker, "value",
                   "the second value of '%s' must be a share from 0 to 1, not %.20s",
                   key, value->first->next->text);
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
            check_error(checker, "value",
                        "'%.60s' must be an integer; the reader skips it", it->key);
}

void check_tracekit(struct checker *checker)
{
    enum { RECORD = 32, ACCESSES = 5, SPACES = 7 };
    const struct bin_block *block = checker->block;

    if (block->size % RECORD)
        check_error(checker, "records", "%zu extra bytes after the last whole record",
                    block->size % RECORD);
    for (size_t at = 0; block->type == 0x0A && block->size - at >= RECORD; at += RECORD)
        if (block->payload[at] >= ACCESSES || block->payload[at + 2] >= SPACES ||
            block->payload[at + 3] > 1) {
            check_error(
                checker, "records",
                "record %zu has an unknown access kind, memory space or core type",
                at / RECORD);
            return;
        }
}

void check_code_text(struct checker *checker, const uint8_t *bytes, size_t size)
{
    size_t lines = 1, length = 0, longest = 0;

    if (memchr(bytes, 0, size))
        check_warn(checker, "code-text",
                   "the source text has NUL bytes, which the viewer shows");
    for (size_t i = 0; i < size; i++) {
        length = bytes[i] == '\n' ? 0 : length + 1;
        longest = length > longest ? length : longest;
        lines += bytes[i] == '\n';
    }
    if (size > CODE_BYTES_SHOWN || lines > LINES_SHOWN || longest > LINE_BYTES_SHOWN)
        check_warn(checker, "code-text",
                   "the viewer cuts off the source text: %zu bytes, %zu lines, longest "
                   "line %zu bytes",
                   size, lines, longest);
}
