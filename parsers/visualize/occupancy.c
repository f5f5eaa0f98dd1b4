/* occupancy.c - block 0x0C: distribution of the work over the cores
 *
 * Blocks of a cube or vector operator that ran on the same physical core are added up
 * under the first of them. A sub-core without L2 counters is left out, because the
 * reader converts the text NA to 0. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/decimal.h"
#include "lib/base/mem.h"
#include "parsers/visualize/block_rows.h"
#include "parsers/visualize/block_writers.h"

struct load {
    uint32_t block; /* first block on this core */
    uint32_t core;
    enum core_kind kind;
    uint32_t sub_block;
    double cycles, bytes, hits, requests;
    double simt;        /* SIMT instructions of a 950's vectors */
    double simt_cycles; /* their cycles */
};

struct loads {
    struct load *loads;
    size_t count;
};

static bool is_a5(const struct measure *measure)
{
    return measure->info->chip == CHIP_A5;
}

static bool
read_load(const struct measure *measure, const struct pmu_row *row, struct load *load)
{
    bool a5 = is_a5(measure);
    struct value requests =
        measure_sum(measure, row, a5 ? "1058+1059" : "1292+1293+1294", NULL);
    struct value hits =
        measure_sum(measure, row, a5 ? "1060+1063+1066+1069" : "1280+1284+1288", NULL);
    struct value all =
        measure_sum(measure, row,
                    a5 ? "1060+1061+1062+1063+1064+1065+1066+1067+1068+1069+1070+1071"
                       : "1280+1282+1283+1284+1286+1287+1288+1290+1291",
                    NULL);

    if (requests.kind == VALUE_NONE || hits.kind == VALUE_NONE ||
        all.kind == VALUE_NONE)
        return false;
    *load = (struct load){.block = row->block,
                          .core = row->core,
                          .kind = row->kind,
                          .sub_block = row->sub_block,
                          .cycles = (double)row->cycles,
                          .bytes = 128 * requests.real,
                          .hits = hits.real,
                          .requests = all.real};
    if (a5 && row->kind == CORE_AIV) {
        load->simt = measure_sum(measure, row, "1466+1467+1468", NULL).real;
        load->simt_cycles = measure_sum(measure, row, "1284", NULL).real;
    }
    return true;
}

static struct load *find_core(struct loads *loads, uint32_t core)
{
    for (size_t i = 0; i < loads->count; i++)
        if (loads->loads[i].core == core)
            return &loads->loads[i];
    return NULL;
}

static void collect_loads(const struct measure *measure, struct loads *loads)
{
    size_t rows = pmu_row_count(measure->pmu);

    loads->loads = xcalloc(rows + 1, sizeof(*loads->loads));
    for (size_t i = 0; i < rows; i++) {
        struct load load, *same;

        if (!read_load(measure, pmu_row(measure->pmu, i), &load))
            continue;
        same = measure->kind == OP_MIX ? NULL : find_core(loads, load.core);
        if (!same) {
            loads->loads[loads->count++] = load;
            continue;
        }
        same->cycles += load.cycles;
        same->bytes += load.bytes;
        same->hits += load.hits;
        same->requests += load.requests;
        same->simt += load.simt;
        same->simt_cycles += load.simt_cycles;
    }
}

static double hit_rate(const struct load *load)
{
    return load->requests > 0 ? 100 * load->hits / load->requests : 0;
}

static void write_sub(struct json_write *json, const struct load *load)
{
    char number[DECIMAL_FIXED_ROOM];

    json_write_object(json);
    json_write_key(json, "subcore_type");
    json_write_text(json, load->kind == CORE_AIC ? "cube" : "vector");
    json_write_key(json, "subcore_id");
    json_write_bytes(json, number, decimal_put_u64(number, load->sub_block));
    json_write_key(json, "throughput");
    json_write_bytes(json, number, decimal_put_fixed(number, load->bytes, 0));
    json_write_key(json, "cycles");
    json_write_bytes(json, number, decimal_put_fixed(number, load->cycles, 0));
    json_write_key(json, "L2cache_hit_rate");
    json_write_fixed(json, hit_rate(load), 6);
    if (load->simt_cycles > 0) {
        json_write_key(json, "simt_vf_instructions");
        json_write_object(json);
        json_write_key(json, "instructions");
        json_write_u64(json, (uint64_t)load->simt);
        json_write_key(json, "instruction_per_cycle");
        json_write_fixed(json, load->simt / load->simt_cycles, 6);
        json_write_object_end(json);
    }
    json_write_object_end(json);
}

static void write_cores(struct json_write *json, const struct loads *loads, bool is_mix)
{
    for (size_t i = 0; i < loads->count;) {
        uint32_t block = loads->loads[i].block;

        json_write_object(json);
        json_write_key(json, "core_id");
        json_write_u64(json, block);
        json_write_key(json, "core_detail");
        json_write_array(json);
        do
            write_sub(json, &loads->loads[i++]);
        while (is_mix && i < loads->count && loads->loads[i].block == block);
        json_write_array_end(json);
        json_write_object_end(json);
    }
}

static double cycles_of(const struct load *load)
{
    return load->cycles;
}

static double bytes_of(const struct load *load)
{
    return load->bytes;
}

/* Negative, because a low hit rate is worse. */
static double negative_hit_rate(const struct load *load)
{
    return -hit_rate(load);
}

static double simt_of(const struct load *load)
{
    return load->simt;
}

static const struct quantity {
    const char *finding; /* about an outlier */
    double (*get)(const struct load *load);
    bool is_simt; /* only for sub-cores that ran SIMT code */
} quantities[] = {
    {"more cycles", cycles_of, false},
    {"more memory traffic", bytes_of, false},
    {"a lower L2 hit rate", negative_hit_rate, false},
    {"more SIMT instructions", simt_of, true},
};

static bool is_counted(const struct load *load,
                       enum core_kind kind,
                       const struct quantity *quantity)
{
    return load->kind == kind && (!quantity->is_simt || load->simt_cycles > 0);
}

/* Adds advice on outliers: sub-cores with 1 / (1 + e^-z) >= 0.6 for the z-score z. */
static void advise(const struct loads *loads,
                   enum core_kind kind,
                   const struct quantity *quantity,
                   struct text *out)
{
    double sum = 0, squares = 0, mean, deviation;
    size_t count = 0;

    for (size_t i = 0; i < loads->count; i++)
        if (is_counted(&loads->loads[i], kind, quantity)) {
            sum += quantity->get(&loads->loads[i]);
            count++;
        }
    if (!count)
        return;
    mean = sum / (double)count;
    for (size_t i = 0; i < loads->count; i++)
        if (is_counted(&loads->loads[i], kind, quantity))
            squares += pow(quantity->get(&loads->loads[i]) - mean, 2);
    deviation = sqrt(squares / (double)count);
    if (deviation <= 0)
        return;
    for (size_t i = 0; i < loads->count; i++) {
        const struct load *load = &loads->loads[i];

        if (is_counted(load, kind, quantity) &&
            1 / (1 + exp(-(quantity->get(load) - mean) / deviation)) >= 0.6)
            text_printf(out,
                        "%s%s %" PRIu32 " of block %" PRIu32 " has %s than the others",
                        out->length ? "; " : "", kind == CORE_AIC ? "cube" : "vector",
                        load->sub_block, load->block, quantity->finding);
    }
}

void occupancy_write(const struct measure *measure, struct json_write *json)
{
    struct loads loads = {0};
    struct text advice = {0};

    collect_loads(measure, &loads);
    for (enum core_kind kind = CORE_AIC; kind <= CORE_AIV; kind++)
        for (size_t i = 0; i < COUNT(quantities); i++)
            advise(&loads, kind, &quantities[i], &advice);
    json_write_object(json);
    json_write_key(json, "soc");
    json_write_text(json, measure->info->soc);
    json_write_key(json, "op_type");
    json_write_text(json, op_kind_name(measure->kind));
    json_write_key(json, "op_detail");
    json_write_array(json);
    write_cores(json, &loads, measure->kind == OP_MIX);
    json_write_array_end(json);
    json_write_key(json, "advice");
    json_write_text(json, text_get(&advice));
    json_write_object_end(json);
    text_clear(&advice);
    free(loads.loads);
}
