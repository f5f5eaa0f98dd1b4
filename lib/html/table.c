#include "lib/html/table.h"

#include <assert.h>
#include <stdint.h>

#include "lib/base/map.h"

/* Names of the kinds in script/table_rows.js. */
static const char *const kind_names[] = {
    [HTML_COLUMN_TEXT] = "text",     [HTML_COLUMN_LONG_TEXT] = "long",
    [HTML_COLUMN_WORD] = "word",     [HTML_COLUMN_NUMBER] = "number",
    [HTML_COLUMN_CHANGE] = "change", [HTML_COLUMN_VALUES] = "values",
    [HTML_COLUMN_LINK] = "link",
};

void html_table_begin(struct html_table *table,
                      struct text *page,
                      const char *id,
                      const struct html_column *columns,
                      size_t column_count)
{
    struct json_write *json = &table->data.json;

    *table = (struct html_table){.columns = columns,
                                 .column_count = column_count,
                                 .cell = column_count,
                                 .texts = map_create()};
    text_add_char(&table->list, '[');
    html_data_begin(&table->data, page, "table", id);
    json_write_object(json);
    json_write_key(json, "columns");
    json_write_array(json);
    for (size_t i = 0; i < column_count; i++) {
        json_write_object(json);
        html_data_text(json, "name", columns[i].name);
        html_data_text(json, "kind", kind_names[columns[i].kind]);
        json_write_key(json, "decimals");
        json_write_u64(json, columns[i].decimals);
        if (columns[i].tooltip)
            html_data_text(json, "tooltip", columns[i].tooltip);
        json_write_object_end(json);
    }
    json_write_array_end(json);
}

void html_table_fold_by(struct html_table *table, size_t column)
{
    assert(!table->in_row && column < table->column_count);
    json_write_key(&table->data.json, "fold");
    json_write_u64(&table->data.json, column);
}

void html_table_sort_by(struct html_table *table, size_t column, bool descending)
{
    assert(!table->in_row && column < table->column_count);
    json_write_key(&table->data.json, "sort");
    json_write_array(&table->data.json);
    json_write_u64(&table->data.json, column);
    json_write_bool(&table->data.json, descending);
    json_write_array_end(&table->data.json);
}

void html_table_row(struct html_table *table)
{
    struct json_write *json = &table->data.json;

    assert(table->cell == table->column_count);
    if (table->in_row) {
        json_write_array_end(json);
    } else {
        json_write_key(json, "rows");
        json_write_array(json);
    }
    json_write_array(json);
    table->in_row = true;
    table->cell = 0;
}

static void begin_cell(struct html_table *table)
{
    assert(table->in_row && table->cell < table->column_count);
    table->cell++;
}

/* Writes the position of the text in the list of the table's texts. */
static void put_text(struct html_table *table, const char *text)
{
    uintptr_t position = (uintptr_t)map_get(table->texts, text);

    if (position == 0) {
        struct json_write json = {0};
        struct err err;

        position = map_count(table->texts) + 1;
        map_put(table->texts, text, (void *)position);
        if (position > 1)
            text_add_char(&table->list, ',');
        json_write_to_text(&json, &table->list);
        json_write_text(&json, text);
        json_write_finish(&json, &err); /* writing to memory cannot fail */
    }
    json_write_u64(&table->data.json, position - 1);
}

void html_table_text(struct html_table *table, const char *text)
{
    begin_cell(table);
    if (*text)
        put_text(table, text);
    else
        json_write_null(&table->data.json);
}

void html_table_number(struct html_table *table, double value)
{
    unsigned decimals = table->columns[table->cell].decimals;

    begin_cell(table);
    json_write_fixed(&table->data.json, value, decimals);
}

void html_table_values(struct html_table *table, const double *values, size_t count)
{
    begin_cell(table);
    json_write_array(&table->data.json);
    for (size_t i = 0; i < count; i++)
        json_write_double(&table->data.json, values[i]);
    json_write_array_end(&table->data.json);
}

void html_table_link(struct html_table *table, const char *path, const char *text)
{
    begin_cell(table);
    json_write_array(&table->data.json);
    put_text(table, path);
    put_text(table, text);
    json_write_array_end(&table->data.json);
}

void html_table_none(struct html_table *table)
{
    begin_cell(table);
    json_write_null(&table->data.json);
}

void html_table_end(struct html_table *table)
{
    struct json_write *json = &table->data.json;

    assert(table->cell == table->column_count);
    if (!table->in_row) {
        json_write_key(json, "rows");
        json_write_array(json);
    } else {
        json_write_array_end(json);
    }
    json_write_array_end(json);
    text_add_char(&table->list, ']');
    json_write_key(json, "texts");
    json_write_raw(json, table->list.bytes, table->list.length);
    text_clear(&table->list);
    json_write_object_end(json);
    html_data_end(&table->data);
    map_destroy(table->texts);
}
