/* answers_load.c - how busy the cores were, compared with each other
 *
 * In a vector operator each entry of the file is a block; two blocks in the order of
 * their numbers are the two vector cores of a core. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "parsers/view_file/view_file.h"
#include "parsers/viewer/view_handlers.h"
#include "parsers/viewer/view_sides.h"

enum { CYCLES, BYTES, HIT_RATE, SIMT, SIMT_RATE, FIGURES, VECTOR_ENTRIES_MAX = 253 };
static const char *const figure_names[FIGURES] = {"cycles", "throughput",
                                                  "cacheHitRate", "simtVfInstructions",
                                                  "simtVfInstructionPerCycle"};
static const bool is_whole[FIGURES] = {true, true, false, true, false};

struct sub_core {
    int64_t core;
    const char *type;
    char name[40];
    double figures[FIGURES];
    int level[FIGURES];
};

struct load {
    const struct json_node *root; /* NULL: the file has no such block */
    struct sub_core *cores;
    size_t count;
};

static double number_of(const struct json_node *node)
{
    double value;

    return num_parse_double(view_scalar(node), &value) ? value : 0;
}

static double count_of(const struct json_node *node)
{
    double value = number_of(node);

    return value > 0 ? floor(value) : 0;
}

static void read_sub_core(struct sub_core *sub,
                          const struct json_node *node,
                          int64_t core,
                          const char *number)
{
    const struct json_node *simt = json_tree_get(node, "simt_vf_instructions");

    *sub = (struct sub_core){.core = core};
    sub->type = view_scalar(json_tree_get(node, "subcore_type"));
    snprintf(sub->name, sizeof(sub->name), "%.20s%.10s", sub->type, number);
    sub->figures[CYCLES] = count_of(json_tree_get(node, "cycles"));
    sub->figures[BYTES] = count_of(json_tree_get(node, "throughput"));
    sub->figures[HIT_RATE] = number_of(json_tree_get(node, "L2cache_hit_rate"));
    sub->figures[SIMT] = count_of(json_tree_get(simt, "instructions"));
    sub->figures[SIMT_RATE] = number_of(json_tree_get(simt, "instruction_per_cycle"));
}

static int order_of_entries(const void *left, const void *right)
{
    double a =
        number_of(json_tree_get(*(const struct json_node *const *)left, "core_id"));
    double b =
        number_of(json_tree_get(*(const struct json_node *const *)right, "core_id"));

    return (a > b) - (a < b);
}

/* Folds the blocks of a vector operator into cores. */
static void read_vector(struct load *load, const struct json_node *list)
{
    const struct json_node *entries[VECTOR_ENTRIES_MAX];
    size_t count = 0;

    for (const struct json_node *entry = list->first;
         entry && count < VECTOR_ENTRIES_MAX; entry = entry->next)
        if (json_tree_at(json_tree_get(entry, "core_detail"), 0))
            entries[count++] = entry;
    qsort(entries, count, sizeof(*entries), order_of_entries);
    load->cores = xcalloc(count, sizeof(*load->cores));
    for (size_t i = 0; i < count; i++)
        read_sub_core(&load->cores[load->count++],
                      json_tree_at(json_tree_get(entries[i], "core_detail"), 0),
                      (int64_t)i / 2, i % 2 ? "1" : "0");
}

static void read_cores(struct load *load, const struct json_node *list)
{
    size_t count = 0;

    for (const struct json_node *entry = list->first; entry; entry = entry->next) {
        const struct json_node *details = json_tree_get(entry, "core_detail");

        count += json_tree_is(details, JSON_ARRAY) ? details->count : 0;
    }
    load->cores = xcalloc(count, sizeof(*load->cores));
    for (const struct json_node *entry = list->first; entry; entry = entry->next) {
        const struct json_node *details = json_tree_get(entry, "core_detail");
        const struct json_node *sub =
            json_tree_is(details, JSON_ARRAY) ? details->first : NULL;

        for (; sub; sub = sub->next)
            read_sub_core(&load->cores[load->count++], sub,
                          (int64_t)number_of(json_tree_get(entry, "core_id")),
                          view_scalar(json_tree_get(sub, "subcore_id")));
    }
}

/* Sets the level of a figure: where the value lies among the sub-cores of its type,
 * from 0 to 10, 5 in the middle; 0 when all are equal. */
static void set_level(const struct load *load, struct sub_core *sub, int figure)
{
    double sum = 0, squares = 0, mean, sigma;
    size_t count = 0;

    for (size_t i = 0; i < load->count; i++)
        if (strcmp(load->cores[i].type, sub->type) == 0) {
            sum += load->cores[i].figures[figure];
            count++;
        }
    mean = sum / (double)count;
    for (size_t i = 0; i < load->count; i++)
        if (strcmp(load->cores[i].type, sub->type) == 0) {
            double apart = load->cores[i].figures[figure] - mean;

            squares += apart * apart;
        }
    sigma = count > 1 ? sqrt(squares / (double)(count - 1)) : 0;
    if (sigma > 0)
        sub->level[figure] =
            (int)(10 / (1 + exp(-(sub->figures[figure] - mean) / sigma)));
}

static int
read_load(struct view_call *call, const struct view_file *file, struct load *load)
{
    const struct view_block *block = file ? view_block_find(file, BIN_OCCUPANCY) : NULL;
    const struct json_node *list;
    struct err err;

    if (!block)
        return 0;
    if (view_block_tree(&load->root, file, block, call->arena, &err) < 0)
        return call_fail_err(call, VIEW_FILE, &err);
    list = json_tree_get(load->root, "op_detail");
    if (!json_tree_is(list, JSON_ARRAY))
        return call_fail(call, VIEW_FILE,
                         "the block 'occupancy' has no list op_detail");
    if (strcmp(view_scalar(json_tree_get(load->root, "op_type")), "vector") == 0)
        read_vector(load, list);
    else
        read_cores(load, list);
    for (size_t i = 0; i < load->count; i++)
        for (int figure = 0; figure < FIGURES; figure++)
            set_level(load, &load->cores[i], figure);
    return 0;
}

static void
put_figure(struct json_write *json, const char *key, int figure, double value)
{
    json_write_key(json, key);
    if (is_whole[figure])
        json_write_fixed(json, value, 0);
    else
        json_write_double(json, value);
}

static void put_sub_core(struct json_write *json,
                         const struct sub_core *sub,
                         const struct sub_core *other)
{
    json_write_object(json);
    put_text(json, "subCoreName", sub->name);
    for (int i = 0; i < FIGURES; i++) {
        double baseline = other ? other->figures[i] : 0;

        json_write_key(json, figure_names[i]);
        json_write_object(json);
        json_write_key(json, "value");
        json_write_object(json);
        put_figure(json, "compare", i, sub->figures[i]);
        put_figure(json, "baseline", i, baseline);
        put_figure(json, "diff", i, other ? sub->figures[i] - baseline : 0);
        json_write_object_end(json);
        put_number(json, "level", sub->level[i]);
        json_write_object_end(json);
    }
    json_write_object_end(json);
}

static const struct sub_core *find_sub_core(const struct load *load,
                                            const struct sub_core *wanted)
{
    for (size_t i = 0; i < load->count; i++)
        if (load->cores[i].core == wanted->core &&
            strcmp(load->cores[i].name, wanted->name) == 0)
            return &load->cores[i];
    return NULL;
}

static void
put_load(struct json_write *json, const struct load *load, const struct load *other)
{
    put_text(json, "soc", view_scalar(json_tree_get(load->root, "soc")));
    put_text(json, "opType", view_scalar(json_tree_get(load->root, "op_type")));
    put_text(json, "advice", view_scalar(json_tree_get(load->root, "advice")));
    json_write_key(json, "opDetails");
    json_write_array(json);
    for (size_t i = 0, next; i < load->count; i = next) {
        json_write_object(json);
        put_number(json, "coreId", load->cores[i].core);
        json_write_key(json, "subCoreDetails");
        json_write_array(json);
        for (next = i;
             next < load->count && load->cores[next].core == load->cores[i].core;
             next++)
            put_sub_core(json, &load->cores[next],
                         find_sub_core(other, &load->cores[next]));
        json_write_array_end(json);
        json_write_object_end(json);
    }
    json_write_array_end(json);
}

int answer_core_load(struct view_call *call)
{
    struct load load = {0}, other = {0};
    struct view_file *file, *baseline;
    int result = -1;

    if (call_file(call, &file) < 0 || call_baseline(call, &baseline) < 0)
        return -1;
    if (!view_block_find(file, BIN_OCCUPANCY))
        return call_fail(call, VIEW_DATA, "%s has no load of the cores", file->shown);
    if (read_load(call, file, &load) == 0 && read_load(call, baseline, &other) == 0) {
        put_load(call->body, &load, &other);
        result = 0;
    }
    free(load.cores);
    free(other.cores);
    return result;
}
