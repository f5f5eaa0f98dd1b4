#include "parsers/iree/output/iree_write.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/file.h"
#include "lib/base/json_write.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "parsers/iree/idb_text.h"

enum { FLUSH_BYTES = 64 * 1024, LINE_BYTES = 1024 };

/* Writes a cell as text. */
static void add_cell(struct text *out, const struct iree_cell *cell)
{
    switch (cell->kind) {
    case IREE_CELL_COUNT:
    case IREE_CELL_WIDE:
        text_printf(out, "%" PRIu64, cell->number);
        break;
    case IREE_CELL_SIGNED:
        text_printf(out, "%" PRId64, (int64_t)cell->number);
        break;
    case IREE_CELL_HEX:
        text_printf(out, "0x%" PRIx64, cell->number);
        break;
    case IREE_CELL_REAL:
        text_printf(out, "%.17g", cell->real);
        break;
    case IREE_CELL_BOOL:
        text_add(out, cell->number ? "yes" : "no");
        break;
    case IREE_CELL_TEXT:
        text_add_bytes(out, cell->text, cell->bytes);
        break;
    case IREE_CELL_NONE:
        break;
    }
}

struct printing {
    const struct iree_table *table;
    FILE *out;
    bool has_header;
};

static void print_header(const struct printing *printing)
{
    const struct iree_table *table = printing->table;

    fprintf(printing->out, "%s\n", table->name);
    for (size_t i = 0; i < table->count; i++)
        if (table->columns[i].width)
            fprintf(printing->out, "  %*s", table->columns[i].width,
                    table->columns[i].name);
    fputc('\n', printing->out);
}

static bool print_row(const struct iree_cell *cells, void *arg)
{
    struct printing *printing = arg;
    const struct iree_table *table = printing->table;
    struct text text = {0};
    char plain[LINE_BYTES];

    if (!printing->has_header)
        print_header(printing);
    printing->has_header = true;
    for (size_t i = 0; i < table->count; i++) {
        int width = table->columns[i].width;

        if (!width)
            continue;
        text_reset(&text);
        if (cells[i].kind == IREE_CELL_REAL)
            text_printf(&text, "%.6g", cells[i].real);
        else if (cells[i].kind == IREE_CELL_NONE)
            text_add(&text, "-");
        else
            add_cell(&text, &cells[i]);
        text_to_ascii(plain, sizeof(plain), text_get(&text));
        fprintf(printing->out, "  %*s", width, plain);
    }
    fputc('\n', printing->out);
    text_clear(&text);
    return true;
}

void iree_write_text(const struct iree_dump *dump, FILE *out)
{
    bool is_first = true;

    for (const struct iree_table *table = iree_tables; table->name; table++) {
        struct printing printing = {.table = table, .out = out};

        if (!table->is_printed || !iree_table_has_rows(table, dump))
            continue;
        if (!is_first)
            fputc('\n', out);
        is_first = false;
        table->each(dump, print_row, &printing);
    }
}

void iree_write_records(const struct iree_dump *dump, FILE *out)
{
    for (size_t i = 0; i < dump->ring_count; i++) {
        const struct idb_metadata *metadata = iree_ring_metadata(dump, &dump->rings[i]);
        struct idb_record record;
        struct idb_ring ring;
        char line[LINE_BYTES];

        iree_ring_records(dump, &dump->rings[i], &ring);
        while (iree_ring_next(dump, &ring, &record)) {
            idb_record_text(line, sizeof(line), &record, metadata);
            fprintf(out, "%s\n", line);
        }
    }
}

struct sheet {
    const struct iree_table *table;
    struct text text;
    int fd;
    bool failed; /* errno has the reason */
};

static bool add_csv_row(const struct iree_cell *cells, void *arg)
{
    struct sheet *sheet = arg;
    struct text cell = {0};

    for (size_t i = 0; i < sheet->table->count; i++) {
        if (i)
            text_add_char(&sheet->text, ',');
        text_reset(&cell);
        add_cell(&cell, &cells[i]);
        text_add_csv(&sheet->text, text_get(&cell));
    }
    text_add_char(&sheet->text, '\n');
    text_clear(&cell);
    if (sheet->text.length >= FLUSH_BYTES) {
        sheet->failed =
            fd_write_all(sheet->fd, text_get(&sheet->text), sheet->text.length) < 0;
        text_reset(&sheet->text);
    }
    return !sheet->failed;
}

int iree_write_csv(const struct iree_table *table,
                   const struct iree_dump *dump,
                   int fd,
                   struct err *err)
{
    struct sheet sheet = {.table = table, .fd = fd};
    int result = 0;

    for (size_t i = 0; i < table->count; i++)
        text_printf(&sheet.text, "%s%s", i ? "," : "", table->columns[i].name);
    text_add_char(&sheet.text, '\n');
    table->each(dump, add_csv_row, &sheet);
    if (sheet.failed || fd_write_all(fd, text_get(&sheet.text), sheet.text.length) < 0)
        result = err_errno(err, "writing the table '%s'", table->name);
    text_clear(&sheet.text);
    return result;
}

struct document {
    const struct iree_table *table;
    struct json_write json;
};

static void write_json_cell(struct json_write *json, const struct iree_cell *cell)
{
    char address[24];

    switch (cell->kind) {
    case IREE_CELL_COUNT:
        json_write_u64(json, cell->number);
        break;
    case IREE_CELL_SIGNED:
        json_write_i64(json, (int64_t)cell->number);
        break;
    case IREE_CELL_WIDE:
        json_write_wide_u64(json, cell->number);
        break;
    case IREE_CELL_HEX:
        snprintf(address, sizeof(address), "0x%" PRIx64, cell->number);
        json_write_text(json, address);
        break;
    case IREE_CELL_REAL:
        json_write_double(json, cell->real);
        break;
    case IREE_CELL_BOOL:
        json_write_bool(json, cell->number);
        break;
    case IREE_CELL_TEXT:
        json_write_bytes(json, cell->text, cell->bytes);
        break;
    case IREE_CELL_NONE:
        json_write_null(json);
    }
}

static bool add_json_row(const struct iree_cell *cells, void *arg)
{
    struct document *document = arg;

    json_write_object(&document->json);
    for (size_t i = 0; i < document->table->count; i++) {
        json_write_key(&document->json, document->table->columns[i].name);
        write_json_cell(&document->json, &cells[i]);
    }
    json_write_object_end(&document->json);
    return true;
}

static void write_json_problems(struct json_write *json, const struct iree_dump *dump)
{
    json_write_key(json, "problem_count");
    json_write_u64(json, dump->problem_count);
    json_write_key(json, "problems");
    json_write_array(json);
    for (size_t i = 0; i < dump->problem_count && i < IREE_PROBLEMS_MAX; i++) {
        json_write_object(json);
        json_write_key(json, "offset");
        json_write_u64(json, dump->problems[i].offset);
        json_write_key(json, "text");
        json_write_text(json, dump->problems[i].text);
        json_write_object_end(json);
    }
    json_write_array_end(json);
}

int iree_write_json(const struct iree_dump *dump, int fd, struct err *err)
{
    struct document document;
    struct json_write *json = &document.json;

    json_write_to_fd(json, fd);
    json_write_object(json);
    json_write_key(json, "schema");
    json_write_text(json, "muster.iree.v1");
    json_write_key(json, "file");
    json_write_text(json, dump->name);
    json_write_key(json, "bytes");
    json_write_u64(json, dump->size);
    for (const struct iree_table *table = iree_tables; table->name; table++) {
        document.table = table;
        json_write_key(json, table->name);
        json_write_array(json);
        table->each(dump, add_json_row, &document);
        json_write_array_end(json);
    }
    write_json_problems(json, dump);
    json_write_object_end(json);
    json_write_line(json);
    return json_write_finish(json, err);
}
