#include "parsers/metrics/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/decimal.h"
#include "lib/base/mem.h"
#include "lib/capture/format/format.h"
#include "parsers/metrics/formula.h"
#include "parsers/metrics/memory_detail.h"

static const double GIB = 1024.0 * 1024.0 * 1024.0;
enum { L2_BYTES = 72, L2_FIRST = 8 };

struct value value_integer(uint64_t integer)
{
    return (struct value){VALUE_INTEGER, integer, (double)integer};
}

struct value value_real(double real)
{
    if (!isfinite(real))
        return value_none;
    return (struct value){VALUE_REAL, 0, real};
}

struct value value_times(struct value value, uint64_t times)
{
    uint64_t product;

    if (value.kind == VALUE_REAL)
        return value_real(value.real * (double)times);
    if (value.kind == VALUE_NONE ||
        __builtin_mul_overflow(value.integer, times, &product))
        return value_none;
    return value_integer(product);
}

size_t value_put(char out[VALUE_ROOM], struct value value)
{
    if (value.kind == VALUE_INTEGER)
        return decimal_put_u64(out, value.integer);
    if (value.kind == VALUE_REAL && fabs(value.real) < 1e30)
        return decimal_put_fixed(out, value.real, 6);
    memcpy(out, "NA", 2); /* not measured, or absurdly large */
    return 2;
}

void value_add(struct text *out, struct value value)
{
    size_t length = value_put(text_reserve(out, VALUE_ROOM), value);

    out->length += length;
    out->bytes[out->length] = '\0';
}

const char *op_kind_name(enum op_kind kind)
{
    static const char *const names[] = {"NA", "cube", "vector", "mix", "AiCore"};

    return names[kind];
}

static enum op_kind find_kind(const struct measure *measure)
{
    size_t cubes = measure_rows(measure, CORE_AIC);
    size_t vectors = measure_rows(measure, CORE_AIV);

    if (!cubes && !vectors)
        return OP_NONE;
    if (measure->info->chip == CHIP_310P)
        return OP_AICORE;
    return !vectors ? OP_CUBE : !cubes ? OP_VECTOR : OP_MIX;
}

void measure_init(struct measure *measure,
                  const struct op_info *info,
                  const struct pmu *pmu,
                  double duration_us)
{
    *measure = (struct measure){.info = info, .pmu = pmu, .time_scale = 1};
    measure->kind = find_kind(measure);
    for (int i = 0; i < 2; i++)
        measure->limits[i] = bandwidth_limits_of_paths(info->soc, info->hbm_maker, i);
    measure->clock_mhz = op_info_clock_mhz(info);
    measure->has_duration = duration_us >= 0;
    measure->duration_us = measure->has_duration ? duration_us : 0;
    if (info->chip == CHIP_310P && info->block_dim && info->core_count) {
        uint64_t rounds =
            ((uint64_t)info->block_dim + info->core_count - 1) / info->core_count;

        measure->time_scale = (double)rounds / info->block_dim;
    }
}

bool measure_set_l2(struct measure *measure, const uint8_t *bytes, size_t size)
{
    if (size != L2_BYTES)
        return false;
    for (size_t i = 0; i < MEASURE_L2_EVENTS; i++)
        measure->l2[i] = load_u64(bytes + L2_FIRST + 8 * i);
    measure->has_l2 = true;
    return true;
}

void measure_row_name(const struct measure *measure,
                      const struct pmu_row *row,
                      char out[16])
{
    char *end;

    if (measure->info->chip == CHIP_310P) {
        strcpy(out, "AiCore");
        return;
    }
    end = stpcpy(out, row->kind == CORE_AIC ? "cube" : "vector");
    end[decimal_put_u64(end, row->sub_block)] = '\0'; /* 16 bits: fits into 16 bytes */
}

size_t measure_rows(const struct measure *measure, enum core_kind kind)
{
    size_t count = 0;

    for (size_t i = 0; i < pmu_row_count(measure->pmu); i++)
        count += pmu_row(measure->pmu, i)->kind == kind;
    return count;
}

uint32_t measure_device_block(const struct measure *measure, const struct pmu_row *row)
{
    enum { PARTS = 3, CUBE = 2 };

    if (measure->info->chip != CHIP_A5)
        return row->block;
    if (row->kind == CORE_AIC)
        return row->block * PARTS + CUBE;
    if (measure->kind == OP_MIX)
        return row->block * PARTS + row->sub_block % CUBE;
    return row->block / 2 * PARTS + row->block % 2;
}

/* Returns the bytes on a path. Transfers from L1 to a vector core are in the records of
 * the cube of its core. */
static struct detail_path find_path(const struct measure *measure,
                                    const struct pmu_row *row,
                                    enum transfer_memory from,
                                    enum transfer_memory to)
{
    if (from == MEMORY_L1 && to == MEMORY_UB && row->kind == CORE_AIV)
        return memory_detail_l1_to_ub(measure->memory, row->block * 3 + 2,
                                      row->sub_block);
    return memory_detail_path(measure->memory, measure_device_block(measure, row), from,
                              to);
}

static bool path_value(const struct measure *measure,
                       const struct pmu_row *row,
                       const struct formula_term *term,
                       __int128 *out)
{
    struct detail_path path;

    if (!measure->memory || term->kind == FORMULA_UNKNOWN)
        return false;
    path = find_path(measure, row, term->from, term->to);
    *out = term->kind == FORMULA_BYTES          ? path.bytes
           : term->kind == FORMULA_REQUESTS_128 ? path.requests_128
           : term->kind == FORMULA_REQUESTS_256
               ? path.requests_256
               : path.bytes / term->divisor + (path.bytes % term->divisor > 0);
    return true;
}

/* The vendor's tool takes 0 for an event of the A5 that was not collected. */
static bool counts_as_zero(const struct measure *measure)
{
    return measure->as_vendor && measure->info->chip == CHIP_A5;
}

static bool term_value(const struct measure *measure,
                       const struct pmu_row *row,
                       const struct formula_term *term,
                       __int128 *out,
                       uint64_t *pass_cycles)
{
    uint64_t value;

    if (term->kind != FORMULA_COUNT) {
        *pass_cycles = row->cycles;
        return path_value(measure, row, term, out);
    }
    if (!pmu_get(measure->pmu, row, term->event, &value, pass_cycles)) {
        if (!counts_as_zero(measure))
            return false;
        value = 0;
        *pass_cycles = row->cycles;
    }
    if (term->divisor > 1)
        value /= term->divisor;
    *out = (__int128)value * term->factor;
    return true;
}

struct value measure_sum(const struct measure *measure,
                         const struct pmu_row *row,
                         const char *terms,
                         uint64_t *pass_cycles)
{
    struct formula formula = formula_terms(terms);
    __int128 sum = 0;

    for (size_t i = 0; i < formula.count; i++) {
        uint64_t cycles;
        __int128 value;

        if (!term_value(measure, row, &formula.terms[i], &value, &cycles))
            return value_none;
        if (i == 0 && pass_cycles) /* the vendor's tool uses those of the last pass */
            *pass_cycles = measure->as_vendor ? row->cycles : cycles;
        sum += formula.terms[i].minus ? -value : value;
    }
    if (sum < 0)
        return measure->info->chip == CHIP_A5 ? value_integer(0) : value_none;
    if (sum > UINT64_MAX)
        return value_none;
    return value_integer((uint64_t)sum);
}

struct value measure_us(const struct measure *measure, struct value cycles)
{
    if (cycles.kind == VALUE_NONE)
        return value_none;
    return value_real(cycles.real * measure->time_scale / measure->clock_mhz);
}

struct value measure_time(const struct measure *measure, const struct pmu_row *row)
{
    return measure_us(measure, value_integer(row->cycles));
}

/* Divides as the vendor's tool does: x/0 is 0, on the A5 VALUE_NONE. */
static struct value divide(const struct measure *measure, double over, double under)
{
    if (under == 0)
        return measure->info->chip == CHIP_A5 ? value_none : value_real(0);
    return value_real(over / under);
}

/* Returns true when the time base is the duration of the operator: cubes and vectors of
 * a mix operator start at different times. */
static bool uses_duration(const struct measure *measure)
{
    return measure->kind == OP_MIX && !measure->kernel_scale;
}

struct value
measure_ratio(const struct measure *measure, struct value cycles, uint64_t pass_cycles)
{
    double base = (double)pass_cycles;

    if (cycles.kind == VALUE_NONE)
        return value_none;
    if (uses_duration(measure) && measure->info->chip != CHIP_A5) {
        if (!measure->has_duration)
            return value_none;
        base = measure->duration_us * measure->clock_mhz / measure->time_scale;
        if (measure->as_vendor)
            base = floor(floor(measure->duration_us) * measure->clock_mhz /
                         measure->time_scale);
    }
    return divide(measure, cycles.real, base);
}

struct value measure_bandwidth(const struct measure *measure,
                               const struct pmu_row *row,
                               struct value bytes)
{
    double time = measure_time(measure, row).real;

    if (bytes.kind == VALUE_NONE)
        return value_none;
    if (uses_duration(measure)) {
        if (!measure->has_duration)
            return value_none;
        time = measure->duration_us;
    }
    return divide(measure, bytes.real * 1e6 / GIB, time);
}

struct value
measure_active(const struct measure *measure, struct value bytes, struct value cycles)
{
    if (bytes.kind == VALUE_NONE || cycles.kind == VALUE_NONE || cycles.real == 0)
        return value_none;
    return value_real(bytes.real * 1e6 / (cycles.real / measure->clock_mhz) / GIB);
}

struct value measure_usage(struct value bandwidth, double limit)
{
    if (bandwidth.kind == VALUE_NONE || limit <= 0)
        return value_none;
    return value_real(fmin(bandwidth.real, limit) * 100 / limit);
}

struct value measure_quotient(const struct measure *measure,
                              double factor,
                              struct value over,
                              struct value under)
{
    if (over.kind == VALUE_NONE || under.kind == VALUE_NONE)
        return value_none;
    return divide(measure, factor * over.real, under.real);
}

double measure_limit(const struct measure *measure, enum path path)
{
    return path < PATH_END ? measure->limits[measure->as_vendor][path] : 0;
}

bool measure_corrects_floats(const struct measure *measure)
{
    return measure->as_vendor ? text_has_prefix(measure->info->soc, "Ascend910B")
                              : measure->info->chip == CHIP_A2;
}

/* operations per count; on an A2 or A3 event 75 includes event 76 */
static const struct weight {
    const char *event;
    const char *corrected;
    unsigned on_910b, on_310p;
} weights[] = {
    {"75", "75-76", 64, 64}, {"76", "76", 128, 128}, {"77", "77", 64, 64},
    {"174", "174", 32, 32},  {"78", "78", 64, 16},   {"186", "186", 128, 32},
    {"79", "79", 32, 16},
};

struct value measure_vector_operations(const struct measure *measure,
                                       const struct pmu_row *row)
{
    bool is_310p = measure->info->chip == CHIP_310P;
    bool corrects = measure_corrects_floats(measure);
    uint64_t total = 0;

    for (size_t i = 0; i < COUNT(weights); i++) {
        struct value part = measure_sum(
            measure, row, corrects ? weights[i].corrected : weights[i].event, NULL);

        part = value_times(part, is_310p ? weights[i].on_310p : weights[i].on_910b);
        if (part.kind == VALUE_NONE ||
            __builtin_add_overflow(total, part.integer, &total))
            return value_none;
    }
    return value_integer(total);
}

const char *measure_wait_event(unsigned flag)
{
    static const char *const events[MEASURE_FLAGS] = {
        "1792", "1793", "1794", "1795", "1796", "1797", "1798", "1799",
        "1780", "1781", "1782", "1783", "1784", "1785", "1786", "1787",
    };

    return events[flag];
}
