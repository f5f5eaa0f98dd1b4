#include "parsers/visualize/roofline_compute.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/records/operands.h"

/* Returns true for a row of the core type. The row of a 310P belongs to both types. */
static bool
is_row_of(const struct measure *measure, const struct pmu_row *row, enum core_kind kind)
{
    return measure->info->chip == CHIP_310P || row->kind == kind;
}

double
roofline_total(const struct measure *measure, enum core_kind kind, const char *terms)
{
    double sum = 0;

    for (size_t i = 0; i < pmu_row_count(measure->pmu); i++) {
        const struct pmu_row *row = pmu_row(measure->pmu, i);

        if (is_row_of(measure, row, kind))
            sum += measure_sum(measure, row, terms, NULL).real;
    }
    return sum;
}

static void find_cube(const struct measure *measure, struct roofline_compute *cube)
{
    bool is_integer = roofline_total(measure, CORE_AIC, "74") > 0;
    double each = is_integer ? 16384 : 8192;

    cube->operations = each * roofline_total(measure, CORE_AIC, "33");
    cube->roof =
        each * op_info_rated_mhz(measure->info) * measure->info->core_count / 1e6;
    snprintf(cube->name, sizeof(cube->name),
             is_integer ? "Cube_INT(100%%)" : "Cube_FP(100%%)");
}

static const struct vector_type {
    const char *name;
    const char *terms, *corrected;
} vector_types[] = {
    {"Vec_FP32", "75", "75-76"}, {"Vec_FP16", "76+77+174", "76+77+174"},
    {"Vec_INT32", "78", "78"},   {"Vec_INT16", "186", "186"},
    {"Vec_MISC", "79", "79"},
};

static void find_vector(const struct measure *measure, struct roofline_compute *vector)
{
    bool corrects = measure_corrects_floats(measure);
    double parts[COUNT(vector_types)], all = 0;
    size_t used = 0;

    for (size_t i = 0; i < pmu_row_count(measure->pmu); i++) {
        const struct pmu_row *row = pmu_row(measure->pmu, i);

        if (is_row_of(measure, row, CORE_AIV))
            vector->operations += measure_vector_operations(measure, row).real;
    }
    for (size_t i = 0; i < COUNT(vector_types); i++) {
        parts[i] = roofline_total(measure, CORE_AIV,
                                  corrects ? vector_types[i].corrected
                                           : vector_types[i].terms);
        all += parts[i];
    }
    if (all <= 0)
        return;
    vector->roof = vector->operations * op_info_rated_mhz(measure->info) * 2 *
                   measure->info->core_count / all / 1e6;
    for (size_t i = 0; i < COUNT(vector_types) && used < sizeof(vector->name); i++)
        if (parts[i] > 0)
            used += (size_t)snprintf(vector->name + used, sizeof(vector->name) - used,
                                     "%s%s(%.6f%%)", used ? "," : "",
                                     vector_types[i].name, 100 * parts[i] / all);
}

/* Operations per cycle of a cube core by operand type. SIMT code of a vector reaches
 * 128 for floats and 64 for integers. Peak rates of other vector instructions were
 * never published. */
static const struct {
    const char *type;
    unsigned rate;
} cube_rates[] = {
    {"F32", 4096},   {"F16", 8192}, {"BF16", 8192},  {"E4M3", 16384},
    {"E5M2", 16384}, {"S8", 16384}, {"E1M2", 32768}, {"E2M1", 32768},
};

static unsigned rate_of(enum core_kind kind, unsigned type)
{
    if (kind == CORE_AIV)
        return type < OPERAND_FLOATS ? 128 : 64;
    for (size_t i = 0; i < COUNT(cube_rates); i++)
        if (strcmp(cube_rates[i].type, operand_name(type)) == 0)
            return cube_rates[i].rate;
    return 0;
}

/* Adds the operations of all blocks of a core type by operand type. */
static void sum_operands(const struct operands *operands,
                         enum core_kind kind,
                         double operations[OPERAND_TYPES])
{
    enum { PARTS = 3, CUBE = 2 };

    for (size_t i = 0; operands && i < operands->count; i++) {
        const struct operand_block *block = &operands->blocks[i];

        if ((i % PARTS == CUBE) != (kind == CORE_AIC))
            continue;
        for (size_t type = 0; type < OPERAND_TYPES; type++)
            operations[type] += kind == CORE_AIC
                                    ? (double)block->simd[type].operations +
                                          (double)block->simt[type].operations
                                    : (double)block->simt[type].operations;
    }
}

static void find_recorded(const struct measure *measure,
                          enum core_kind kind,
                          struct roofline_compute *out)
{
    double operations[OPERAND_TYPES] = {0}, cycles = 0;
    double cores = (kind == CORE_AIV ? 2.0 : 1.0) * measure->info->core_count;
    size_t used = 0;

    sum_operands(measure->operands, kind, operations);
    for (unsigned type = 0; type < OPERAND_TYPES; type++) {
        if (!rate_of(kind, type))
            continue;
        out->operations += operations[type];
        cycles += operations[type] / rate_of(kind, type);
    }
    if (cycles <= 0)
        return;
    out->roof =
        out->operations * op_info_rated_mhz(measure->info) * cores / cycles / 1e6;
    for (unsigned type = 0; type < OPERAND_TYPES && used < sizeof(out->name); type++)
        if (operations[type] > 0 && rate_of(kind, type))
            used += (size_t)snprintf(
                out->name + used, sizeof(out->name) - used, "%s%s_%s(%.6f%%)",
                used ? "," : "", kind == CORE_AIC ? "Cube" : "SIMT", operand_name(type),
                100 * operations[type] / out->operations);
}

/* Adds up cubes and vectors. A side without operations adds no roof. */
static void add_sides(struct roofline_compute out[ROOFLINE_SIDES])
{
    const struct roofline_compute *cube = &out[ROOFLINE_CUBE];
    const struct roofline_compute *vector = &out[ROOFLINE_VECTOR];
    struct roofline_compute *both = &out[ROOFLINE_BOTH];

    if (vector->operations <= 0) {
        *both = *cube;
    } else if (cube->operations <= 0) {
        *both = *vector;
    } else {
        both->operations = cube->operations + vector->operations;
        both->roof = cube->roof + vector->roof;
        snprintf(both->name, sizeof(both->name), "%.320s + %.320s", cube->name,
                 vector->name);
    }
}

void roofline_compute(const struct measure *measure,
                      struct roofline_compute out[ROOFLINE_SIDES])
{
    memset(out, 0, ROOFLINE_SIDES * sizeof(out[0]));
    if (measure->info->chip == CHIP_A5) {
        find_recorded(measure, CORE_AIC, &out[CORE_AIC]);
        find_recorded(measure, CORE_AIV, &out[CORE_AIV]);
    } else {
        find_cube(measure, &out[CORE_AIC]);
        find_vector(measure, &out[CORE_AIV]);
    }
    add_sides(out);
}
