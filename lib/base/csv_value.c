#include <string.h>

#include "lib/base/csv_read_internal.h"
#include "lib/base/json_read.h"
#include "lib/base/num.h"

void csv_value_trim(char **start, size_t *length, bool number)
{
    while (*length && (**start == '\t' || (number && **start == ' '))) {
        (*start)++;
        (*length)--;
    }
    while (*length &&
           ((*start)[*length - 1] == '\t' || (number && (*start)[*length - 1] == ' ')))
        (*length)--;
    (*start)[*length] = '\0'; /* replaces a comma, a quote or the line end */
}

static bool is_nothing(const char *text, size_t length, enum csv_kind kind)
{
    return length == 0 || (kind != CSV_TEXT && text[0] == 'N' &&
                           (strcmp(text, "NA") == 0 || strcmp(text, "N/A") == 0));
}

static bool convert(struct csv_value *value, enum csv_kind kind, size_t length)
{
    switch (kind) {
    case CSV_U64:
        return digits_u64(value->text, length, &value->u64) ||
               num_parse_u64(value->text, &value->u64);
    case CSV_I64:
        return num_parse_i64(value->text, &value->i64);
    case CSV_DOUBLE:
        return json_number_double(value->text, &value->f64);
    case CSV_TEXT:
        break;
    }
    return true;
}

bool csv_value_take(struct csv_value *value,
                    enum csv_kind kind,
                    char *start,
                    size_t length)
{
    csv_value_trim(&start, &length, kind != CSV_TEXT);
    value->text = start;
    value->there = !is_nothing(start, length, kind);
    return !value->there || convert(value, kind, length);
}

const char *csv_kind_name(enum csv_kind kind)
{
    static const char *const names[] = {
        [CSV_TEXT] = "a text",
        [CSV_U64] = "a whole number of at least 0",
        [CSV_I64] = "a whole number",
        [CSV_DOUBLE] = "a number",
    };

    return names[kind];
}
