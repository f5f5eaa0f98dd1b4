/* memory_table.c - block 0x09: traffic of each memory and pipe, as tables */
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/visualize/block_rows.h"
#include "parsers/visualize/block_writers.h"
#include "parsers/visualize/memory_rows.h"

enum { NAME_BYTES = 64 }; /* of a table or a row */

struct table_writer {
    struct json_write *json;
    const struct measure *measure;
    const struct memory_rows *rows;
};

static const struct memory_rows *rows_of(enum chip chip)
{
    return chip == CHIP_310P ? &memory_rows_310p
           : chip == CHIP_A5 ? &memory_rows_a5
                             : &memory_rows_a2;
}

static struct value
sum(const struct table_writer *writer, const struct pmu_row *row, const char *terms)
{
    return terms ? measure_sum(writer->measure, row, terms, NULL) : value_none;
}

static const char *const heads_cache[] = {"hit", "miss", "total", "hit rate(%)"};
static const char *const heads_pipe[] = {"instructions", "cycle", "wait cycles",
                                         "active rate(%)", "active bw(GB/s)"};
static const char *const heads_scalar[] = {"cycle", "time(us)"};
static const char *const heads_flow[] = {"requests", "throughput(GB/s)", "peak(%)"};

/* Opens a table up to its rows; table_end() closes it. */
static void table_begin(const struct table_writer *writer,
                        const char *name,
                        size_t rows,
                        const char *const *heads,
                        size_t columns)
{
    json_write_object(writer->json);
    json_write_key(writer->json, "table_name");
    json_write_text(writer->json, name);
    json_write_key(writer->json, "size");
    json_write_array(writer->json);
    json_write_u64(writer->json, rows);
    json_write_u64(writer->json, columns);
    json_write_array_end(writer->json);
    json_write_key(writer->json, "header_name");
    json_write_array(writer->json);
    json_write_text(writer->json, ""); /* the first column has the name of the row */
    for (size_t i = 0; i < columns; i++)
        json_write_text(writer->json, heads[i]);
    json_write_array_end(writer->json);
    json_write_key(writer->json, "row");
    json_write_array(writer->json);
}

static void table_end(const struct table_writer *writer)
{
    json_write_array_end(writer->json);
    json_write_object_end(writer->json);
}

/* A block has hundreds of these rows, and most of the time of a launch goes into them.
 * So a row is put together here; names of rows have no characters to escape. */
static void write_row(const struct table_writer *writer,
                      const char *name,
                      const struct value *cells,
                      size_t n)
{
    enum { CELLS_MAX = 5, FRAME_BYTES = 32 };
    char row[CELLS_MAX * (VALUE_ROOM + 3) + NAME_BYTES + FRAME_BYTES], *at;

    if (n == 0 || n > CELLS_MAX || strlen(name) >= NAME_BYTES)
        abort(); /* no table has such a row */
    at = stpcpy(row, "{\"name\":\"");
    at = stpcpy(at, name);
    at = stpcpy(at, "\",\"value\":[");
    for (size_t i = 0; i < n; i++) {
        *at++ = '"';
        at += value_put(at, cells[i]);
        *at++ = '"';
        *at++ = ',';
    }
    at[-1] = ']';
    *at++ = '}';
    json_write_raw(writer->json, row, (size_t)(at - row));
}

static void
write_hits(const struct table_writer *writer, const char *name, struct hits hits)
{
    const struct value cells[] = {hits.hit, hits.miss, hits.total, hits.rate};

    write_row(writer, name, cells, COUNT(cells));
}

static void write_cache(const struct table_writer *writer,
                        const struct block_rows *entry)
{
    bool sides = writer->rows->has_l2_sides;
    struct value all =
        block_rows_sum(writer->measure, entry, SIDE_ALL, writer->rows->icache_all);
    struct value miss =
        block_rows_sum(writer->measure, entry, SIDE_ALL, writer->rows->icache_miss);
    struct value hit = value_none;

    if (all.kind != VALUE_NONE && miss.kind != VALUE_NONE &&
        miss.integer <= all.integer)
        hit = value_integer(all.integer - miss.integer);
    table_begin(writer, "Cache", sides ? 4 : 2, heads_cache, COUNT(heads_cache));
    if (sides) {
        write_hits(writer, "L2 Cache Write",
                   block_rows_l2(writer->measure, entry, L2_WRITE));
        write_hits(writer, "L2 Cache Read",
                   block_rows_l2(writer->measure, entry, L2_READ));
    }
    write_hits(writer, "L2 Cache Total",
               block_rows_l2(writer->measure, entry, L2_TOTAL));
    write_hits(writer, "iCache Total", hits_from(hit, miss));
    table_end(writer);
}

static struct value count_requests(const struct table_writer *writer,
                                   const struct block_rows *entry,
                                   enum side side,
                                   const struct request_row *flow)
{
    const struct pmu_row *row = entry->rows[side], *cube = entry->rows[SIDE_CUBE];
    const char *of_cube = flow->of_cube[side == SIDE_VECTOR1];

    if (of_cube)
        return cube ? sum(writer, cube, of_cube) : value_none;
    if (!flow->recorded || row->kind != CORE_AIV)
        return sum(writer, row, flow->terms);
    if (writer->measure->memory)
        return sum(writer, row, flow->recorded);
    if (!flow->terms && writer->measure->as_vendor)
        return value_integer(0); /* the vendor's tool writes 0 for "not recorded" */
    return sum(writer, row, flow->terms);
}

/* Returns the highest bandwidth of the row's path, or 0 if it is not known. */
static double limit_of(const struct measure *measure, const struct request_row *flow)
{
    double first = measure_limit(measure, flow->path);
    double second = flow->second ? measure_limit(measure, flow->second) : first;

    return first > 0 && second > 0 ? (first + second) / 2 : 0;
}

static void write_flow(const struct table_writer *writer,
                       const struct block_rows *entry,
                       enum side side,
                       const struct request_row *flow,
                       size_t columns)
{
    struct value count = count_requests(writer, entry, side, flow);
    struct value bandwidth = measure_bandwidth(writer->measure, entry->rows[side],
                                               value_times(count, flow->bytes));
    const struct value cells[] = {
        count,
        bandwidth,
        measure_usage(bandwidth, limit_of(writer->measure, flow)),
    };

    write_row(writer, flow->name, cells, columns);
}

static void write_requests(const struct table_writer *writer,
                           const struct block_rows *entry,
                           enum side side,
                           const struct request_table *table,
                           const char *name)
{
    bool is_mix = writer->measure->kind == OP_MIX;
    size_t columns = table->has_peak ? 3 : 2, rows = 0;

    for (size_t i = 0; i < table->count; i++)
        rows += is_mix || !table->rows[i].mix_only;
    table_begin(writer, name, rows, heads_flow, columns);
    for (size_t i = 0; i < table->count; i++)
        if (is_mix || !table->rows[i].mix_only)
            write_flow(writer, entry, side, &table->rows[i], columns);
    table_end(writer);
}

/* The vendor's tool swaps reads and writes for the vectors of a mix operator. */
static const char *active_of(const struct table_writer *writer,
                             const struct pmu_row *row,
                             const struct pipe_row *pipe)
{
    if (!writer->measure->as_vendor || writer->measure->kind != OP_MIX ||
        writer->measure->info->chip != CHIP_A2 || !row || row->kind != CORE_AIV ||
        !pipe->active)
        return pipe->active;
    return strcmp(pipe->active, "62") == 0   ? "61"
           : strcmp(pipe->active, "61") == 0 ? "62"
                                             : pipe->active;
}

static struct value active_bandwidth(const struct table_writer *writer,
                                     const struct pmu_row *row,
                                     const struct pipe_row *pipe,
                                     struct value cycles)
{
    const char *active = active_of(writer, row, pipe);

    if (pipe->bandwidth)
        return pipe->bandwidth(writer->measure, row);
    return measure_active(writer->measure,
                          value_times(sum(writer, row, active), pipe->bytes), cycles);
}

/* The vendor's tool writes 0 for instructions and waits that no counter covers. */
static struct value count_of(const struct table_writer *writer,
                             const struct pmu_row *row,
                             const char *terms)
{
    return !terms && writer->measure->as_vendor ? value_integer(0)
                                                : sum(writer, row, terms);
}

static void write_pipes(const struct table_writer *writer,
                        const struct pmu_row *row,
                        const char *name,
                        const struct pipe_row *pipes,
                        size_t count)
{
    table_begin(writer, name, count, heads_pipe, COUNT(heads_pipe));
    for (size_t i = 0; i < count; i++) {
        uint64_t pass_cycles = 0;
        struct value cycles =
            measure_sum(writer->measure, row, pipes[i].cycles, &pass_cycles);
        struct value share = value_none;

        if (cycles.kind != VALUE_NONE)
            share =
                value_real(pass_cycles ? 100 * cycles.real / (double)pass_cycles : 0);
        const struct value cells[] = {
            count_of(writer, row, pipes[i].instructions),
            cycles,
            count_of(writer, row, pipes[i].wait),
            share,
            active_bandwidth(writer, row, &pipes[i], cycles),
        };
        write_row(writer, pipes[i].name, cells, COUNT(cells));
    }
    table_end(writer);
}

static struct value
wait_of(const struct table_writer *writer, const struct pmu_row *row, unsigned id)
{
    return sum(writer, row, measure_wait_event(id));
}

static void
write_cycles(const struct table_writer *writer, const char *name, struct value cycles)
{
    const struct value cells[] = {cycles, measure_us(writer->measure, cycles)};

    write_row(writer, name, cells, COUNT(cells));
}

static void write_scalars(const struct table_writer *writer,
                          const struct pmu_row *row,
                          const char *name,
                          const struct scalar_row *scalars,
                          size_t count)
{
    static const char *const labels[MEASURE_FLAGS] = {
        "Scalar Internuclear ID0",  "Scalar Internuclear ID1",
        "Scalar Internuclear ID2",  "Scalar Internuclear ID3",
        "Scalar Internuclear ID4",  "Scalar Internuclear ID5",
        "Scalar Internuclear ID6",  "Scalar Internuclear ID7",
        "Scalar Internuclear ID8",  "Scalar Internuclear ID9",
        "Scalar Internuclear ID10", "Scalar Internuclear ID11",
        "Scalar Internuclear ID12", "Scalar Internuclear ID13",
        "Scalar Internuclear ID14", "Scalar Internuclear ID15",
    };
    struct value waits[MEASURE_FLAGS];
    size_t rows = count;

    if (!count)
        return;
    for (unsigned id = 0; id < MEASURE_FLAGS; id++) {
        waits[id] = wait_of(writer, row, id);
        rows += waits[id].integer != 0;
    }
    table_begin(writer, name, rows, heads_scalar, COUNT(heads_scalar));
    for (size_t i = 0; i < count; i++)
        write_cycles(writer, scalars[i].name, sum(writer, row, scalars[i].cycles));
    for (unsigned id = 0; id < MEASURE_FLAGS; id++)
        if (waits[id].integer)
            write_cycles(writer, labels[id], waits[id]);
    table_end(writer);
}

/* Appends " Core0" or " Core1" for the two vectors of a mix operator. A negative `core`
 * appends nothing. */
static void format_name(char out[NAME_BYTES],
                        const char *name,
                        const char *mix,
                        bool is_mix,
                        int core)
{
    static const char core_n[] = " Core0";
    char *end;

    name = is_mix && mix ? mix : name;
    if (strlen(name) + sizeof(core_n) > NAME_BYTES)
        abort(); /* no table has such a name */
    end = stpcpy(out, name);
    if (is_mix && core >= 0) {
        end = stpcpy(end, core_n);
        end[-1] = (char)('0' + core);
    }
}

static void write_side(const struct table_writer *writer,
                       const struct block_rows *entry,
                       enum side side)
{
    const struct memory_rows *rows = writer->rows;
    const struct pmu_row *row = entry->rows[side];
    bool is_mix = writer->measure->kind == OP_MIX, is_cube = side == SIDE_CUBE;
    int core = is_cube ? -1 : side == SIDE_VECTOR1;
    char name[NAME_BYTES];

    if (!row)
        return;
    for (size_t i = 0; i < rows->table_count; i++) {
        const struct request_table *table = &rows->tables[i];

        if (!(table->side & (is_cube ? UNIT_CUBE : UNIT_VECTOR)))
            continue;
        format_name(name, table->name, is_cube ? table->mix_cube : table->mix_vector,
                    is_mix, core);
        write_requests(writer, entry, side, table, name);
    }
    format_name(name, "Pipe", is_cube ? "Pipe Cube" : "Pipe Vector", is_mix, core);
    if (is_cube)
        write_pipes(writer, row, name, rows->cube_pipes, rows->cube_pipe_count);
    else if (is_mix)
        write_pipes(writer, row, name, rows->vector_pipes, rows->vector_pipe_count);
    else
        write_pipes(writer, row, name, rows->only_vector_pipes,
                    rows->only_vector_pipe_count);
    format_name(name, "Scalar", is_cube ? "Scalar Cube" : "Scalar Vector", is_mix,
                core);
    if (is_cube)
        write_scalars(writer, row, name, rows->cube_scalars, rows->cube_scalar_count);
    else
        write_scalars(writer, row, name, rows->vector_scalars,
                      rows->vector_scalar_count);
}

void memory_table_write(const struct measure *measure, struct json_write *json)
{
    struct table_writer writer = {json, measure, rows_of(measure->info->chip)};
    struct block_rows entry;
    size_t at = 0;

    json_write_object(json);
    json_write_key(json, "table_per_block");
    json_write_array(json);
    while (block_rows_next(measure, &at, &entry)) {
        json_write_object(json);
        json_write_key(json, "block_id");
        block_rows_write_block(json, measure, &entry);
        json_write_key(json, "table_op_type");
        json_write_text(json, op_kind_name(measure->kind));
        json_write_key(json, "advice");
        json_write_array(json);
        memory_advice_write_pipes(measure, &entry, json);
        json_write_array_end(json);
        json_write_key(json, "table_detail");
        json_write_array(json);
        write_cache(&writer, &entry);
        for (enum side side = SIDE_CUBE; side < SIDE_ALL; side++)
            write_side(&writer, &entry, side);
        json_write_array_end(json);
        json_write_object_end(json);
    }
    json_write_array_end(json);
    json_write_object_end(json);
}
