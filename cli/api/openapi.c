#include "cli/api/openapi.h"

#include <string.h>

#include "cli/api/document_fields.h"
#include "cli/api/endpoints.h"
#include "cli/view/message_rows.h"
#include "lib/base/json_write.h"

static void member(struct json_write *json, const char *key, const char *value)
{
    json_write_key(json, key);
    json_write_text(json, value);
}

static void write_type(struct json_write *json, const char *type)
{
    json_write_key(json, "schema");
    json_write_object(json);
    member(json, "type", type);
    json_write_object_end(json);
}

static void
write_argument(struct json_write *json, const char *name, const char *text, bool number)
{
    json_write_object(json);
    member(json, "name", name);
    member(json, "in", "query");
    member(json, "description", text);
    write_type(json, number ? "integer" : "string");
    json_write_object_end(json);
}

/* Writes a parameter for each {NAME} of the path. */
static void write_parts(struct json_write *json, const char *path)
{
    for (const char *at = strchr(path, '{'); at; at = strchr(at + 1, '{')) {
        json_write_object(json);
        json_write_key(json, "name");
        json_write_bytes(json, at + 1, strcspn(at + 1, "}"));
        member(json, "in", "path");
        json_write_key(json, "required");
        json_write_bool(json, true);
        write_type(json, text_has_prefix(at, "{host}") ||
                                 text_has_prefix(at, "{file}") ||
                                 text_has_prefix(at, "{name}")
                             ? "string"
                             : "integer");
        json_write_object_end(json);
    }
}

/* The arguments of each page of rows. */
static void write_page_arguments(struct json_write *json)
{
    write_argument(json, "limit", "Maximum number of rows, up to 10000 (default: 1000)",
                   true);
    write_argument(json, "after", "Number of rows to leave out at the start", true);
    write_argument(json, "sort", "Sort by this column; -COLUMN: descending", false);
    json_write_object(json);
    member(json, "name", "column");
    member(json, "in", "query");
    member(json, "description",
           "Any column of the rows: only rows whose value matches the pattern");
    member(json, "style", "form");
    json_write_key(json, "explode");
    json_write_bool(json, true);
    json_write_key(json, "schema");
    json_write_object(json);
    member(json, "type", "object");
    json_write_key(json, "additionalProperties");
    json_write_object(json);
    member(json, "type", "string");
    json_write_object_end(json);
    json_write_object_end(json);
    json_write_object_end(json);
}

static void write_parameters(struct json_write *json, const struct endpoint *endpoint)
{
    json_write_key(json, "parameters");
    json_write_array(json);
    write_parts(json, endpoint->path);
    if (!endpoint->schema || (endpoint->verdict && !endpoint->verdict->is_text))
        write_page_arguments(json);
    for (const struct endpoint_argument *own = endpoint->own; own && own->name; own++)
        write_argument(json, own->name, own->text, own->is_number);
    json_write_array_end(json);
}

static void write_reference(struct json_write *json, const char *text, const char *name)
{
    char path[96] = "#/components/schemas/";

    json_write_object(json);
    member(json, "description", text);
    json_write_key(json, "content");
    json_write_object(json);
    json_write_key(json, "application/json");
    json_write_object(json);
    json_write_key(json, "schema");
    json_write_object(json);
    strncat(path, name, sizeof(path) - strlen(path) - 1);
    member(json, "$ref", path);
    json_write_object_end(json);
    json_write_object_end(json);
    json_write_object_end(json);
    json_write_object_end(json);
}

static void write_path(struct json_write *json, const struct endpoint *endpoint)
{
    json_write_key(json, endpoint->path);
    json_write_object(json);
    json_write_key(json, "get");
    json_write_object(json);
    member(json, "summary", endpoint->summary);
    write_parameters(json, endpoint);
    json_write_key(json, "responses");
    json_write_object(json);
    json_write_key(json, "200");
    write_reference(json,
                    "The rows. Header Muster-Rows: their number on all pages; Link: "
                    "the next page",
                    endpoint_schema(endpoint));
    json_write_key(json, "default");
    write_reference(json, "An error", "muster.error.v1");
    json_write_object_end(json);
    json_write_object_end(json);
    json_write_object_end(json);
}

static void write_column(struct json_write *json, const char *name, enum cell_kind kind)
{
    static const char *const types[] = {
        [CELL_TEXT] = "string", [CELL_WIDE] = "string", [CELL_U64] = "integer",
        [CELL_I64] = "integer", [CELL_F64] = "number",  [CELL_BOOL] = "boolean",
    };

    json_write_key(json, name);
    json_write_object(json);
    member(json, "type", types[kind]);
    json_write_key(json, "nullable"); /* null: the value does not apply */
    json_write_bool(json, true);
    if (kind == CELL_WIDE)
        member(json, "pattern", "^[0-9]+$");
    json_write_object_end(json);
}

static void write_required(struct json_write *json,
                           const struct row_output_column *columns,
                           size_t count)
{
    json_write_key(json, "required");
    json_write_array(json);
    for (size_t i = 0; i < count; i++)
        json_write_text(json, columns[i].name);
    json_write_array_end(json);
}

/* The axes of a job and the state of the task are further columns. */
static void write_axis(struct json_write *json)
{
    json_write_object(json);
    member(json, "type", "string");
    json_write_key(json, "nullable");
    json_write_bool(json, true);
    json_write_object_end(json);
}

static void write_schema(struct json_write *json, const struct endpoint *endpoint)
{
    enum message_type row = endpoint->row;
    struct message_rows *rows = message_rows_create(ROW_OUTPUT_JSONL, row, NULL);
    const struct row_output_column *columns;
    size_t count = message_rows_columns(rows, &columns);
    static const struct row_output_column outer[] = {{"schema", CELL_TEXT},
                                                     {"rows", CELL_TEXT}};

    json_write_key(json, message_rows_schema(row));
    json_write_object(json);
    member(json, "type", "object");
    write_required(json, outer, 2);
    json_write_key(json, "properties");
    json_write_object(json);
    write_column(json, "schema", CELL_TEXT);
    json_write_key(json, "rows");
    json_write_object(json);
    member(json, "type", "array");
    json_write_key(json, "items");
    json_write_object(json);
    member(json, "type", "object");
    write_required(json, columns, count);
    json_write_key(json, "additionalProperties");
    if (endpoint->has_axes)
        write_axis(json);
    else
        json_write_bool(json, false);
    json_write_key(json, "properties");
    json_write_object(json);
    for (size_t i = 0; i < count; i++)
        write_column(json, columns[i].name, columns[i].kind);
    json_write_object_end(json);
    json_write_object_end(json);
    json_write_object_end(json);
    json_write_object_end(json);
    json_write_object_end(json);
    message_rows_destroy(&rows);
}

/* A test requires that the table has each schema. */
static void write_document_schema(struct json_write *json,
                                  const struct endpoint *endpoint)
{
    json_write_key(json, endpoint->schema);
    if (!document_fields_write(json, endpoint->schema))
        json_write_null(json);
}

static bool is_first_of_row(size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (endpoints[i].row == endpoints[index].row)
            return false;
    return true;
}

static void write_error_schema(struct json_write *json)
{
    static const struct row_output_column columns[] = {
        {"schema", CELL_TEXT}, {"status", CELL_U64}, {"error", CELL_TEXT}};

    json_write_key(json, "muster.error.v1");
    json_write_object(json);
    member(json, "type", "object");
    write_required(json, columns, 3);
    json_write_key(json, "properties");
    json_write_object(json);
    for (size_t i = 0; i < 3; i++)
        write_column(json, columns[i].name, columns[i].kind);
    json_write_object_end(json);
    json_write_object_end(json);
}

void openapi_write(struct text *out)
{
    struct json_write json = {0};

    json_write_to_text(&json, out);
    json_write_pretty(&json);
    json_write_object(&json);
    member(&json, "openapi", "3.0.3");
    json_write_key(&json, "info");
    json_write_object(&json);
    member(&json, "title", "muster");
    member(&json, "version", MUSTER_VERSION);
    member(&json, "description",
           "Read access to jobs, tasks, figures and events. `/api/v1/changes` is a "
           "stream of server-sent events: the event `change` follows when rows may "
           "have changed.");
    json_write_object_end(&json);
    json_write_key(&json, "paths");
    json_write_object(&json);
    for (size_t i = 0; i < endpoint_count; i++)
        write_path(&json, &endpoints[i]);
    json_write_object_end(&json);
    json_write_key(&json, "components");
    json_write_object(&json);
    json_write_key(&json, "schemas");
    json_write_object(&json);
    for (size_t i = 0; i < endpoint_count; i++)
        if (endpoints[i].schema)
            write_document_schema(&json, &endpoints[i]);
        else if (is_first_of_row(i))
            write_schema(&json, &endpoints[i]);
    write_error_schema(&json);
    json_write_object_end(&json);
    json_write_object_end(&json);
    json_write_object_end(&json);
    json_write_line(&json);
    json_write_clear(&json);
}
