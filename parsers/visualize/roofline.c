/* roofline.c - block 0x0D: operations against bytes, of the whole operator
 *
 * The clock is the rated one and not the current: a roof is what the card could do. A
 * line is left out when its bytes are 0 or were not counted. The A5 takes its
 * operations from operand records, so without those it has no lines. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "parsers/visualize/entry.h"
#include "parsers/visualize/views.h"

static const double TIB = 1024.0 * 1024.0 * 1024.0 * 1024.0;

struct line {
    const char *name;
    const char *terms;      /* bytes */
    unsigned per_cycle;     /* bytes of one core; 0: by path */
    enum path path, second; /* the mean of both */
};

static const struct line a2_unit_cube[] = {
    {"L1 Read + Write", "256*50-128*518+256*49", 512, 0, 0},
    {"Write to L1", "256*50-128*518", 256, 0, 0},
    {"Read from L1", "256*49", 256, 0, 0},
    {"Write to L0A", "256*28", 256, 0, 0},
    {"Write to L0B", "128*34", 128, 0, 0},
    {"Read from L0C", "128*524", 128, 0, 0},
};
static const struct line a2_unit_vector[] = {
    {"UB Read + Write", "128*61+128*62+256*67+256*68", 512, 0, 0},
    {"Read from UB", "128*61", 128, 0, 0},
    {"Write to UB", "128*62", 128, 0, 0},
    {"Vector Read UB", "256*67", 512, 0, 0},
    {"Vector Write UB", "256*68", 512, 0, 0},
};
static const struct line a2_pipe_cube[] = {
    {"MTE1", "256*49-512*19-128*518+128*524", 0, PATH_MTE_TO_L0A, PATH_MTE_TO_L0B},
    {"MTE2", "256*28+128*34+256*50-256*518-512*19-128*518+128*524", 0, PATH_MTE2_WRITE,
     PATH_MTE2_WRITE},
    {"MTE3", "128*1292-128*524+128*518", 0, PATH_L1_TO_GM, PATH_L1_TO_GM},
    {"FIXP", "128*524", 0, PATH_L0C_TO_L1, PATH_L0C_TO_GM},
};
static const struct line a2_pipe_vector[] = {
    {"MTE2", "128*62", 0, PATH_GM_TO_UB, PATH_GM_TO_UB},
    {"MTE3", "128*61", 0, PATH_UB_TO_GM, PATH_UB_TO_GM},
};
static const struct line a2_transfer_cube[] = {
    {"L1 to GM", "512*19+128*518-128*524", 0, PATH_L1_TO_GM, PATH_L1_TO_GM},
    {"L0C to GM", "128*524-128*518", 0, PATH_L0C_TO_GM, PATH_L0C_TO_GM},
    {"L0C to L1", "128*518", 0, PATH_L0C_TO_L1, PATH_L0C_TO_L1},
    {"GM/L1 to L0A", "256*28", 0, PATH_MTE_TO_L0A, PATH_MTE_TO_L0A},
    {"GM/L1 to L0B", "128*34", 0, PATH_MTE_TO_L0B, PATH_MTE_TO_L0B},
};
static const struct line a2_transfer_vector[] = {
    {"UB to GM", "128*61", 0, PATH_UB_TO_GM, PATH_UB_TO_GM},
    {"GM to UB", "128*62", 0, PATH_GM_TO_UB, PATH_GM_TO_UB},
};
static const struct line p_unit_cube[] = {
    {"L1 Read + Write", "256*50+512*49", 768, 0, 0},
    {"Write to L1", "256*50", 256, 0, 0},
    {"Read from L1", "512*49", 128, 0, 0},
    {"Write to L0A", "256*28", 256, 0, 0},
    {"Write to L0B", "128*34", 128, 0, 0},
    {"Read from L0C", "512*44", 512, 0, 0},
};
static const struct line p_unit_vector[] = {
    {"UB Read + Write", "16*61+16*62+16*67+16*68", 256, 0, 0},
    {"Read from UB", "16*61", 128, 0, 0},
    {"Write to UB", "16*62", 128, 0, 0},
    {"Vector Read UB", "16*67", 512, 0, 0},
    {"Vector Write UB", "16*68", 512, 0, 0},
};

/* The vendor's tool adds some bytes up only after it has drawn them. */
static const struct {
    const char *terms, *vendor;
} late[] = {
    {"256*28+128*34+256*50-256*518-512*19-128*518+128*524",
     "256*50-256*518-512*19-128*518+128*524"},
    {"256*28", ""},
    {"128*34", ""},
    {"128*518", ""},
    {"128*524-128*518", ""},
};

#define LINES(lines) lines, COUNT(lines)

static const struct view {
    const char *title;
    bool is_310p;
    enum core_kind kind;
    const struct line *lines;
    size_t count;
    bool joins; /* its lines go into the view before it */
} views[] = {
    {"Memory Unit(Cube)", false, CORE_AIC, LINES(a2_unit_cube), false},
    {"Memory Unit(Vector)", false, CORE_AIV, LINES(a2_unit_vector), false},
    {"Pipeline(Cube)", false, CORE_AIC, LINES(a2_pipe_cube), false},
    {"Pipeline(Vector)", false, CORE_AIV, LINES(a2_pipe_vector), false},
    {"Memory Transfer(Cube)", false, CORE_AIC, LINES(a2_transfer_cube), false},
    {"Memory Transfer(Vector)", false, CORE_AIV, LINES(a2_transfer_vector), false},
    {"Memory Unit", true, CORE_AIC, LINES(p_unit_cube), false},
    {"Memory Unit", true, CORE_AIV, LINES(p_unit_vector), true},
};

struct compute {
    double operations;
    double roof; /* Tops/s */
    char name[160];
};

struct roofline {
    const struct measure *measure;
    double mhz;
    double cores;              /* cubes */
    struct compute compute[2]; /* by enum core_kind */
    double best_ratio;
    bool best_is_memory;
};

static bool
counts(const struct measure *measure, const struct pmu_row *row, enum core_kind kind)
{
    return measure->info->chip == CHIP_310P || row->kind == kind;
}

static double
total(const struct measure *measure, enum core_kind kind, const char *terms)
{
    double sum = 0;

    for (size_t i = 0; i < pmu_row_count(measure->pmu); i++) {
        const struct pmu_row *row = pmu_row(measure->pmu, i);

        if (counts(measure, row, kind))
            sum += measure_sum(measure, row, terms, NULL).real;
    }
    return sum;
}

static void find_cube(struct roofline *roofline)
{
    struct compute *cube = &roofline->compute[CORE_AIC];
    bool is_integer = total(roofline->measure, CORE_AIC, "74") > 0;
    double each = is_integer ? 16384 : 8192;

    cube->operations = each * total(roofline->measure, CORE_AIC, "33");
    cube->roof = each * roofline->mhz * roofline->cores / 1e6;
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

static void find_vector(struct roofline *roofline)
{
    const struct measure *measure = roofline->measure;
    struct compute *vector = &roofline->compute[CORE_AIV];
    bool corrects = measure_corrects_floats(measure);
    double parts[COUNT(vector_types)], all = 0;
    size_t used = 0;

    for (size_t i = 0; i < pmu_row_count(measure->pmu); i++) {
        const struct pmu_row *row = pmu_row(measure->pmu, i);

        if (counts(measure, row, CORE_AIV))
            vector->operations += measure_vector_operations(measure, row).real;
    }
    for (size_t i = 0; i < COUNT(vector_types); i++) {
        parts[i] = total(measure, CORE_AIV,
                         corrects ? vector_types[i].corrected : vector_types[i].terms);
        all += parts[i];
    }
    if (all <= 0)
        return;
    vector->roof = vector->operations * roofline->mhz * 2 * roofline->cores / all / 1e6;
    for (size_t i = 0; i < COUNT(vector_types) && used < sizeof(vector->name); i++)
        if (parts[i] > 0)
            used += (size_t)snprintf(vector->name + used, sizeof(vector->name) - used,
                                     "%s%s(%.6f%%)", used ? "," : "",
                                     vector_types[i].name, 100 * parts[i] / all);
}

static void write_line(struct json_write *json,
                       struct roofline *roofline,
                       enum core_kind kind,
                       const char *name,
                       double slope,
                       double bytes)
{
    const struct compute *compute = &roofline->compute[kind];
    double reached = compute->operations / roofline->measure->duration_us / 1e6;
    double per_byte, bound, ratio = -1;

    if (bytes <= 0 || slope <= 0 || compute->roof <= 0)
        return;
    per_byte = compute->operations / bytes;
    bound = per_byte * slope < compute->roof ? per_byte * slope : compute->roof;
    if (reached < compute->roof && reached <= per_byte * slope)
        ratio = reached / bound;
    if (ratio > roofline->best_ratio) {
        roofline->best_ratio = ratio;
        roofline->best_is_memory = per_byte * slope < compute->roof;
    }
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

static double slope_of(const struct roofline *roofline,
                       const struct view *view,
                       const struct line *line)
{
    double cores = roofline->cores * (view->kind == CORE_AIV ? 2 : 1);

    if (line->per_cycle)
        return line->per_cycle * roofline->mhz * cores * 1e6 / TIB;
    return (measure_limit(roofline->measure, line->path) +
            measure_limit(roofline->measure, line->second)) /
           2 * cores / 1024;
}

/* Main memory and L2 cache: bytes of both kinds of core together. */
static void write_memory(struct json_write *json, struct roofline *roofline)
{
    const struct measure *measure = roofline->measure;
    const struct op_info *info = measure->info;
    struct memory_limits limits =
        limit_of_memory(info->soc, info->hbm_maker, measure->as_vendor);
    double evicted = 0, gm = 0, l2 = 0;

    for (enum core_kind kind = CORE_AIC; kind <= CORE_AIV; kind++) {
        evicted += total(measure, kind, "1282");
        gm += total(measure, kind, "128*1286+128*1290");
        l2 += total(measure, kind, "512*1280+128*1284+128*1288");
    }
    if (measure->has_l2 && (double)measure->l2[4] < evicted)
        evicted = (double)measure->l2[4];
    gm += evicted * 512;
    for (enum core_kind kind = CORE_AIC; kind <= CORE_AIV; kind++)
        if (roofline->compute[kind].operations > 0) {
            write_line(json, roofline, kind, "GM Read + Write", limits.gm, gm);
            write_line(json, roofline, kind, "L2 Read + Write", limits.l2, l2 + gm);
        }
}

static void view_begin(struct json_write *json, const char *title)
{
    json_write_object(json);
    json_write_key(json, "title");
    json_write_text(json, title);
    json_write_key(json, "rooflines");
    json_write_array(json);
}

static void view_end(struct json_write *json)
{
    json_write_array_end(json);
    json_write_object_end(json);
}

/* Those of a unit are drawn right. */
static const char *
terms_of(const struct roofline *roofline, const struct view *view, const char *terms)
{
    if (!roofline->measure->as_vendor || view->lines[0].per_cycle)
        return terms;
    for (size_t i = 0; i < COUNT(late); i++)
        if (strcmp(late[i].terms, terms) == 0)
            return late[i].vendor;
    return terms;
}

static void
write_lines(struct json_write *json, struct roofline *roofline, const struct view *view)
{
    for (size_t i = 0; i < view->count; i++)
        write_line(json, roofline, view->kind, view->lines[i].name,
                   slope_of(roofline, view, &view->lines[i]),
                   total(roofline->measure, view->kind,
                         terms_of(roofline, view, view->lines[i].terms)));
}

static void write_views(struct json_write *json, struct roofline *roofline)
{
    bool is_310p = roofline->measure->info->chip == CHIP_310P;

    if (!is_310p) {
        view_begin(json, "GM/L2");
        write_memory(json, roofline);
        view_end(json);
    }
    for (size_t i = 0; i < COUNT(views); i++) {
        if (views[i].is_310p != is_310p || views[i].joins ||
            (!is_310p && roofline->compute[views[i].kind].operations <= 0))
            continue;
        view_begin(json, views[i].title);
        write_lines(json, roofline, &views[i]);
        if (i + 1 < COUNT(views) && views[i + 1].joins)
            write_lines(json, roofline, &views[i + 1]);
        view_end(json);
    }
}

static const struct {
    const char *cycles;
    bool is_memory;
} pipes[] = {
    {"10", false}, {"8", false}, {"771", false},
    {"770", true}, {"12", true}, {"13", true},
};

static const char *advice(const struct roofline *roofline)
{
    const struct measure *measure = roofline->measure;
    double busiest = 0;
    bool is_memory = false;

    if (roofline->best_ratio > 0.8)
        return roofline->best_is_memory ? "memory bound" : "compute bound";
    for (size_t i = 0; i < pmu_row_count(measure->pmu); i++)
        for (size_t k = 0; k < COUNT(pipes); k++) {
            uint64_t pass_cycles = 0;
            struct value cycles = measure_sum(measure, pmu_row(measure->pmu, i),
                                              pipes[k].cycles, &pass_cycles);

            if (!pass_cycles || cycles.real <= busiest * (double)pass_cycles)
                continue;
            busiest = cycles.real / (double)pass_cycles;
            is_memory = pipes[k].is_memory;
        }
    if (busiest < 0.8)
        return "latency bound:pipeline caused";
    return is_memory ? "latency bound:memory caused" : "latency bound:compute caused";
}

void view_roofline(const struct measure *measure, struct json_write *json)
{
    struct roofline roofline = {.measure = measure};
    bool can = measure->has_duration && measure->duration_us > 0 &&
               measure->info->chip != CHIP_A5;

    roofline.mhz = op_info_rated_mhz(measure->info);
    roofline.cores = measure->info->core_count;
    find_cube(&roofline);
    find_vector(&roofline);
    json_write_object(json);
    json_write_key(json, "multiple_rooflines");
    json_write_array(json);
    if (can)
        write_views(json, &roofline);
    json_write_array_end(json);
    json_write_key(json, "advice");
    json_write_text(json, can ? advice(&roofline) : "");
    json_write_object_end(json);
}
