/* roofline.c - block 0x0D: operations per byte of the whole operator
 *
 * A line without counted bytes is left out, and a chart without lines. A 950 counts its
 * operations only in operand records, so it has no lines without them. */
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/visualize/block_rows.h"
#include "parsers/visualize/block_writers.h"
#include "parsers/visualize/roofline_compute.h"
#include "parsers/visualize/roofline_rows.h"

static const double TIB = 1024.0 * 1024.0 * 1024.0 * 1024.0;

struct roofline {
    const struct measure *measure;
    double mhz;
    double cores; /* cube cores */
    struct roofline_compute compute[ROOFLINE_SIDES];
    const char *title; /* of the current chart */
    bool has_chart;    /* its head was written */
    double best_ratio;
    bool best_is_memory;
};

static void chart_begin(struct roofline *roofline, const char *title)
{
    roofline->title = title;
    roofline->has_chart = false;
}

/* Writes the head of the chart before its first line. */
static void write_head(struct json_write *json, struct roofline *roofline)
{
    if (roofline->has_chart)
        return;
    roofline->has_chart = true;
    json_write_object(json);
    json_write_key(json, "title");
    json_write_text(json, roofline->title);
    json_write_key(json, "rooflines");
    json_write_array(json);
}

static void chart_end(struct json_write *json, const struct roofline *roofline)
{
    if (!roofline->has_chart)
        return;
    json_write_array_end(json);
    json_write_object_end(json);
}

static void write_line(struct json_write *json,
                       struct roofline *roofline,
                       enum roofline_side side,
                       const char *name,
                       double slope,
                       double bytes)
{
    const struct roofline_compute *compute = &roofline->compute[side];
    double reached = compute->operations / roofline->measure->duration_us / 1e6;
    double per_byte, bound, ratio = -1;

    if (bytes <= 0 || slope <= 0 || compute->operations <= 0 || compute->roof <= 0)
        return;
    per_byte = compute->operations / bytes;
    bound = per_byte * slope < compute->roof ? per_byte * slope : compute->roof;
    if (reached < compute->roof && reached <= per_byte * slope)
        ratio = reached / bound;
    if (ratio > roofline->best_ratio) {
        roofline->best_ratio = ratio;
        roofline->best_is_memory = per_byte * slope < compute->roof;
    }
    write_head(json, roofline);
    json_write_object(json);
    json_write_key(json, "bw");
    json_write_fixed(json, slope, 6);
    json_write_key(json, "bw_name");
    json_write_text(json, name);
    json_write_key(json, "computility");
    json_write_fixed(json, compute->roof, 6);
    json_write_key(json, "computility_name");
    json_write_text(json, compute->name);
    json_write_key(json, "point");
    json_write_array(json);
    json_write_fixed(json, per_byte, 6);
    json_write_fixed(json, reached, 6);
    json_write_array_end(json);
    json_write_key(json, "ratio");
    value_write(json, ratio < 0 ? value_none : value_real(ratio));
    json_write_object_end(json);
}

/* Returns true when the limits of a line's paths are weighted by their bytes. The
 * vendor's tool computes these bytes too late to use them. */
static bool is_weighted_line(const struct roofline *roofline,
                             const struct roofline_chart *chart,
                             const struct roofline_line *line)
{
    double bytes = 0;

    for (size_t i = 0; i < ROOFLINE_PATHS && line->shares[i]; i++)
        bytes += roofline_total(roofline->measure, chart->kind, line->shares[i]);
    return bytes > 0 && !roofline->measure->as_vendor;
}

static double slope_of(const struct roofline *roofline,
                       const struct roofline_chart *chart,
                       const struct roofline_line *line)
{
    double cores = roofline->cores * (chart->kind == CORE_AIV ? 2 : 1);
    double sum = 0, best = 0, weights = 0;
    bool is_weighted = is_weighted_line(roofline, chart, line);

    if (line->per_cycle)
        return line->per_cycle * roofline->mhz * cores * 1e6 / TIB;
    for (size_t i = 0; i < ROOFLINE_PATHS && line->paths[i]; i++) {
        double limit = measure_limit(roofline->measure, line->paths[i]);
        double weight = is_weighted ? roofline_total(roofline->measure, chart->kind,
                                                     line->shares[i])
                                    : 1;

        sum += limit * weight;
        best = limit > best ? limit : best;
        weights += weight;
    }
    return (line->takes_max ? best : sum / weights) * cores / 1024;
}

/* Computes the bytes of the main memory and of the L2 cache. */
static void memory_bytes(const struct measure *measure, double *gm, double *l2)
{
    bool is_a5 = measure->info->chip == CHIP_A5;
    double evicted = 0;

    *gm = *l2 = 0;
    for (enum core_kind kind = CORE_AIC; kind <= CORE_AIV; kind++) {
        *gm += 128 * roofline_total(measure, kind,
                                    is_a5 ? "1061+1062+1064+1065" : "1286+1290");
        *l2 += roofline_total(measure, kind,
                              is_a5 ? "128*1060+128*1063+128*1066+128*1069"
                                    : "512*1280+128*1284+128*1288");
        evicted +=
            roofline_total(measure, kind, is_a5 ? "1062+1065+1068+1071" : "1282");
    }
    if (!is_a5 && measure->has_l2 && (double)measure->l2[4] < evicted)
        evicted = (double)measure->l2[4];
    *gm += evicted * (is_a5 ? 128 : 512);
    *l2 += *gm;
}

/* Writes the lines of GM and L2, which serve both core types. */
static void write_memory(struct json_write *json, struct roofline *roofline)
{
    const struct op_info *info = roofline->measure->info;
    struct memory_limits limits = bandwidth_limits_of_memory(
        info->soc, info->hbm_maker, roofline->measure->as_vendor);
    double gm, l2;

    memory_bytes(roofline->measure, &gm, &l2);
    write_line(json, roofline, ROOFLINE_BOTH, "GM Read + Write", limits.gm, gm);
    write_line(json, roofline, ROOFLINE_BOTH, "L2 Read + Write", limits.l2, l2);
}

/* Returns the counters of a line. The vendor's tool uses wrong ones for the pipes and
 * transfers of an A2. */
static const char *terms_of(const struct roofline *roofline,
                            const struct roofline_chart *chart,
                            const char *terms)
{
    if (!roofline->measure->as_vendor || chart->lines[0].per_cycle ||
        chart->chip != ROOFLINE_A2)
        return terms;
    return roofline_terms_of_vendor(terms);
}

static void write_lines(struct json_write *json,
                        struct roofline *roofline,
                        const struct roofline_chart *chart)
{
    enum roofline_side side = chart->chip == ROOFLINE_310P ? ROOFLINE_BOTH
                              : chart->kind == CORE_AIC    ? ROOFLINE_CUBE
                                                           : ROOFLINE_VECTOR;

    for (size_t i = 0; i < chart->count; i++)
        write_line(json, roofline, side, chart->lines[i].name,
                   slope_of(roofline, chart, &chart->lines[i]),
                   roofline_total(roofline->measure, chart->kind,
                                  terms_of(roofline, chart, chart->lines[i].terms)));
}

static enum roofline_chip family(const struct measure *measure)
{
    return measure->info->chip == CHIP_310P ? ROOFLINE_310P
           : measure->info->chip == CHIP_A5 ? ROOFLINE_A5
                                            : ROOFLINE_A2;
}

static void write_charts(struct json_write *json, struct roofline *roofline)
{
    enum roofline_chip chip = family(roofline->measure);
    size_t count;
    const struct roofline_chart *charts = roofline_charts(&count);

    if (chip != ROOFLINE_310P) {
        chart_begin(roofline, "GM/L2");
        write_memory(json, roofline);
        chart_end(json, roofline);
    }
    for (size_t i = 0; i < count; i++) {
        if (charts[i].chip != chip || charts[i].joins ||
            (chip != ROOFLINE_310P &&
             roofline->compute[charts[i].kind].operations <= 0))
            continue;
        chart_begin(roofline, charts[i].title);
        write_lines(json, roofline, &charts[i]);
        if (i + 1 < count && charts[i + 1].joins)
            write_lines(json, roofline, &charts[i + 1]);
        chart_end(json, roofline);
    }
}

static const struct {
    const char *cycles[ROOFLINE_A5 + 1]; /* by enum roofline_chip; NULL: no counter */
    bool is_memory;
} pipes[] = {
    {{"10", "10", "810"}, false},   {{"8", "8", "1281"}, false},
    {{"771", NULL, "1812"}, false}, {{"770", "11", "1794"}, true},
    {{"12", "12", "514"}, true},    {{"13", "13", "515"}, true},
};

static const char *advice(const struct roofline *roofline)
{
    const struct measure *measure = roofline->measure;
    enum roofline_chip chip = family(measure);
    bool is_memory = false;
    bool is_counted = false;
    double busiest = 0;

    if (roofline->best_ratio > 0.8)
        return roofline->best_is_memory ? "memory bound" : "compute bound";
    for (size_t i = 0; i < pmu_row_count(measure->pmu); i++)
        for (size_t k = 0; k < COUNT(pipes); k++) {
            const char *event = pipes[k].cycles[chip];
            uint64_t pass_cycles = 0;
            struct value cycles = value_none;

            if (event)
                cycles =
                    measure_sum(measure, pmu_row(measure->pmu, i), event, &pass_cycles);
            is_counted |= pass_cycles > 0;
            if (!pass_cycles || cycles.real <= busiest * (double)pass_cycles)
                continue;
            busiest = cycles.real / (double)pass_cycles;
            is_memory = pipes[k].is_memory;
        }
    if (!is_counted)
        return ""; /* such as a collective, which runs no kernel on the cores */
    if (busiest < 0.8)
        return "latency bound:pipeline caused";
    return is_memory ? "latency bound:memory caused" : "latency bound:compute caused";
}

void roofline_write(const struct measure *measure, struct json_write *json)
{
    struct roofline roofline = {.measure = measure};
    bool has_lines = measure->has_duration && measure->duration_us > 0 &&
                     (measure->info->chip != CHIP_A5 || measure->operands);

    roofline.mhz = op_info_rated_mhz(measure->info);
    roofline.cores = measure->info->core_count;
    roofline_compute(measure, roofline.compute);
    json_write_object(json);
    json_write_key(json, "multiple_rooflines");
    json_write_array(json);
    if (has_lines)
        write_charts(json, &roofline);
    json_write_array_end(json);
    json_write_key(json, "advice");
    /* the vendor's tool has advice without lines too */
    json_write_text(json, has_lines || measure->as_vendor ? advice(&roofline) : "");
    json_write_object_end(json);
}
