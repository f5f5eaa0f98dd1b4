#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/architecture/arch_report_internal.h"
#include "parsers/architecture/arch_roles.h"
#include "parsers/block_side/block_side.h"
#include "parsers/busy_time/intervals.h"

enum { STREAMS_MAX = 32, COMM_STREAM = -1, DIAGRAM_LAYERS = 4, DIAGRAM_WIDTH = 60 };

static double wall_of(const struct arch_layer *layer)
{
    return ns_to_ms(layer->end - layer->start);
}

/* Returns the most frequent type of a phase, or NULL. */
static const struct arch_type *main_type(const struct architecture *architecture,
                                         enum arch_phase phase)
{
    const struct arch_type *best = NULL;

    for (size_t i = 0; i < architecture->type_count; i++)
        if (architecture->types[i].phase == phase &&
            (!best || architecture->types[i].count > best->count))
            best = &architecture->types[i];
    return best;
}

static int64_t role_wall(const struct architecture *architecture,
                         const struct arch_layer *layer,
                         bool comm)
{
    struct intervals set = {0};
    int64_t wall;

    for (size_t i = layer->first; i < layer->first + layer->count; i++) {
        const struct kernel *kernel = architecture_kernel(architecture, i);

        if ((kernel->unit_class == UNIT_COMM) == comm)
            intervals_add(&set, kernel->start, kernel->end);
    }
    intervals_merge(&set);
    wall = intervals_length(&set);
    intervals_clear(&set);
    return wall;
}

void arch_report_decode(struct text *out, const struct architecture *architecture)
{
    const struct arch_type *decode = main_type(architecture, PHASE_DECODE);
    const struct arch_type *prefill = main_type(architecture, PHASE_PREFILL);
    const struct arch_layer *layer;
    double busy, comm;

    text_add(out, "## 7. Decode Phase Analysis\n\n");
    if (!decode) {
        text_add(out, "no decode phase captured\n\n");
        return;
    }
    layer = &architecture->layers[decode->typical];
    text_printf(out, "Layer #%zu, %s:\n\n```\n", decode->typical, decode->name);
    arch_roles_draw(out, architecture, layer);
    text_add(out, "```\n\n");
    arch_report_roles(out, architecture, layer);
    comm = ns_to_ms(role_wall(architecture, layer, true));
    busy = ns_to_ms(role_wall(architecture, layer, false));
    text_printf(
        out,
        "Computation takes %.3f ms and communication %.3f ms of %.3f ms wall; the "
        "device is idle for at least %.3f ms. **%s is the largest part.**\n\n",
        busy, comm, wall_of(layer), fmax(0, wall_of(layer) - busy - comm),
        comm > busy                           ? "Communication"
        : wall_of(layer) - busy - comm > busy ? "Idle time between launches"
                                              : "Computation");
    if (prefill)
        text_printf(out,
                    "A prefill layer (%s) takes %.3f ms, %.1f times as long; its "
                    "attention takes %.3f ms instead of %.3f ms.\n\n",
                    prefill->name, wall_of(&architecture->layers[prefill->typical]),
                    wall_of(&architecture->layers[prefill->typical]) / wall_of(layer),
                    ns_to_ms(architecture->layers[prefill->typical].attention),
                    ns_to_ms(layer->attention));
}

/* The kernels of a stream; collectives have no stream and form one of their own. */
struct stream {
    int32_t id;
    struct intervals busy;
    int64_t class_sums[UNIT_CLASS_COUNT], alltoall;
};

static size_t collect_streams(const struct architecture *architecture,
                              struct stream streams[STREAMS_MAX])
{
    size_t count = 0;

    for (size_t i = 0; i < architecture->row_count; i++) {
        const struct kernel *kernel = architecture_kernel(architecture, i);
        int32_t id = kernel->stream >= 0 ? kernel->stream : COMM_STREAM;
        size_t at = 0;

        while (at < count && streams[at].id != id)
            at++;
        if (at == STREAMS_MAX)
            continue;
        if (at == count)
            streams[count++] = (struct stream){.id = id};
        intervals_add(&streams[at].busy, kernel->start, kernel->end);
        streams[at].class_sums[kernel->unit_class] += kernel_duration(kernel);
        if (kernel_features_has(architecture->features, kernel, FEATURE_ALLTOALL))
            streams[at].alltoall += kernel_duration(kernel);
    }
    for (size_t i = 0; i < count; i++)
        intervals_merge(&streams[i].busy);
    return count;
}

static const char *purpose_of(const struct stream *stream, int32_t main_stream)
{
    int64_t sum = 0;

    for (size_t i = 0; i < UNIT_CLASS_COUNT; i++)
        sum += stream->class_sums[i];
    if (stream->id == main_stream)
        return "main compute";
    if (stream->alltoall * 2 > sum)
        return "alltoall";
    if (stream->class_sums[UNIT_COMM] * 2 > sum)
        return "HCCL";
    return stream->class_sums[UNIT_AICPU] * 2 > sum ? "AI_CPU comm" : "other";
}

static void add_stream_name(struct text *out, const struct stream *stream)
{
    if (stream->id == COMM_STREAM)
        text_add(out, "`HCCL`");
    else
        text_printf(out, "`%d`", (int)stream->id);
}

static void write_streams(struct text *out,
                          const struct architecture *architecture,
                          struct stream *streams,
                          size_t count)
{
    int32_t main_stream =
        block_side_main_stream(&architecture->analysis->input->kernels,
                               architecture->rows, architecture->row_count);

    text_add(out, "| Stream | Purpose | Busy (ms) | Overlaps with |\n"
                  "| --- | --- | ---: | --- |\n");
    for (size_t i = 0; i < count; i++) {
        int64_t length = intervals_length(&streams[i].busy);
        size_t listed = 0;

        text_add(out, "| ");
        add_stream_name(out, &streams[i]);
        text_printf(out, " | %s | %.3f | ", purpose_of(&streams[i], main_stream),
                    ns_to_ms(length));
        for (size_t j = 0; j < count; j++) {
            int64_t shared = intervals_shared(&streams[i].busy, &streams[j].busy,
                                              INT64_MIN, INT64_MAX);

            if (j == i || shared == 0 || length == 0)
                continue;
            text_add(out, listed++ > 0 ? ", " : "");
            add_stream_name(out, &streams[j]);
            text_printf(out, " %.1f %%", 100 * (double)shared / (double)length);
        }
        text_printf(out, "%s |\n", listed == 0 ? "-" : "");
    }
    text_add(out, "\n");
}

static void write_hidden(struct text *out, const struct architecture *architecture)
{
    const struct device_busy *busy = &architecture->analysis->busy;
    int64_t comm = intervals_length(&busy->comm);
    int64_t shared =
        intervals_shared(&busy->comm, &busy->compute, INT64_MIN, INT64_MAX);
    double share = comm > 0 ? (double)shared / (double)comm : 0;

    if (comm == 0)
        text_add(out, "There is no communication.\n\n");
    else
        text_printf(
            out,
            "**Hidden share of communication: %.1f %%**, %s (%.3f of %.3f ms run "
            "while the device computes).\n\n",
            100 * share, share > 0.9 ? "well hidden" : "not well hidden",
            ns_to_ms(shared), ns_to_ms(comm));
}

static void add_repeated(struct text *out, const char *what, size_t count)
{
    for (size_t i = 0; i < count; i++)
        text_add(out, what);
}

/* Draws the first layers below each other: their blocks, and communication beneath. */
static void draw_pipeline(struct text *out, const struct architecture *architecture)
{
    size_t count = architecture->layer_count < DIAGRAM_LAYERS
                       ? architecture->layer_count
                       : DIAGRAM_LAYERS;
    int64_t origin, span = 0;
    double scale;

    if (count == 0)
        return;
    origin = architecture->layers[0].start;
    for (size_t i = 0; i < count; i++)
        if (architecture->layers[i].end - origin > span)
            span = architecture->layers[i].end - origin;
    scale = fmax(ns_to_ms(span) / DIAGRAM_WIDTH, 1e-6);
    text_printf(out, "One character is %.4f ms.\n\n```\n", scale);
    for (size_t i = 0; i < count; i++) {
        const struct arch_layer *layer = &architecture->layers[i];
        size_t before = (size_t)(ns_to_ms(layer->start - origin) / scale);
        double rest = fmax(0, wall_of(layer) - ns_to_ms(layer->attention));

        add_repeated(out, ".", before);
        text_printf(out, "[%s %.2fms][post %.2fms]\n",
                    architecture->has_fia ? "FIA" : "attention",
                    ns_to_ms(layer->attention), rest);
        for (size_t j = layer->first; j < layer->first + layer->count; j++) {
            const struct kernel *kernel = architecture_kernel(architecture, j);
            struct arch_layer one = {.first = j, .count = 1};

            if (kernel->unit_class != UNIT_COMM)
                continue;
            add_repeated(out, " ", (size_t)(ns_to_ms(kernel->start - origin) / scale));
            text_printf(
                out, "comm: [%s %.2fms",
                names_text(
                    architecture->analysis->input->names,
                    architecture->analysis->tokens[architecture->rows[one.first]]),
                ns_to_ms(kernel_duration(kernel)));
            if (kernel->stream >= 0)
                text_printf(out, " on stream %d", (int)kernel->stream);
            text_add(out, "]\n");
        }
        if (i + 1 < count && architecture->layers[i + 1].start < layer->end)
            text_add(out, "↕ overlaps with ↕\n");
    }
    text_add(out, "```\n\n");
}

void arch_report_pipeline(struct text *out, const struct architecture *architecture)
{
    struct stream *streams = xcalloc(STREAMS_MAX, sizeof(*streams));
    size_t count = collect_streams(architecture, streams);
    int64_t sum = 0, first = 0, last = 0;

    text_add(out, "## 8. Communication Pipeline Structure\n\n");
    write_streams(out, architecture, streams, count);
    draw_pipeline(out, architecture);
    write_hidden(out, architecture);
    for (size_t i = 0; i < architecture->row_count; i++) {
        const struct kernel *kernel = architecture_kernel(architecture, i);

        sum += kernel_duration(kernel);
        if (i == 0)
            first = kernel->start;
        if (i == 0 || kernel->end > last)
            last = kernel->end;
    }
    text_printf(out,
                "The kernels take %.3f ms in sum and %.3f ms of wall time: the sum is "
                "%s the wall time because %s.\n\n",
                ns_to_ms(sum), ns_to_ms(last - first),
                sum > last - first ? "above" : "below",
                sum > last - first ? "streams run at the same time"
                                   : "the device is idle between kernels");
    for (size_t i = 0; i < count; i++)
        intervals_clear(&streams[i].busy);
    free(streams);
}

/* A row of the variation table: a figure of a type. */
struct variation {
    const char *name;
    double (*read)(const struct architecture *architecture,
                   const struct arch_type *type);
};

static double median_wall(const struct architecture *architecture,
                          const struct arch_type *type)
{
    return wall_of(&architecture->layers[type->typical]);
}

static double attention_share(const struct architecture *architecture,
                              const struct arch_type *type)
{
    const struct arch_layer *layer = &architecture->layers[type->typical];

    return wall_of(layer) > 0 ? 100 * ns_to_ms(layer->attention) / wall_of(layer) : 0;
}

static double dfc_cost(const struct architecture *architecture,
                       const struct arch_type *type)
{
    const struct arch_layer *layer = &architecture->layers[type->typical];
    int64_t sum = 0;

    for (size_t i = layer->first; i < layer->first + layer->count; i++)
        if (kernel_features_has(architecture->features,
                                architecture_kernel(architecture, i), FEATURE_DFC))
            sum += kernel_duration(architecture_kernel(architecture, i));
    return ns_to_ms(sum);
}

static double after_attention(const struct architecture *architecture,
                              const struct arch_type *type)
{
    const struct arch_layer *layer = &architecture->layers[type->typical];

    return fmax(0, ns_to_ms(role_wall(architecture, layer, false) - layer->attention));
}

static double kernels_of(const struct architecture *architecture,
                         const struct arch_type *type)
{
    return (double)architecture->layers[type->typical].count;
}

static double spread_of_type(const struct architecture *architecture,
                             const struct arch_type *type)
{
    double median = median_wall(architecture, type);

    return median > 0 ? 100 * ns_to_ms(type->most - type->least) / median : 0;
}

void arch_report_variation(struct text *out, const struct architecture *architecture)
{
    static const struct variation rows[] = {
        {"wall, median (ms)", median_wall},
        {"attention share (%)", attention_share},
        {"DFC cost (ms)", dfc_cost},
        {"post-attention compute (ms)", after_attention},
        {"kernels per layer", kernels_of},
        {"spread within the type (% of the median)", spread_of_type},
    };

    text_add(out, "## 9. Layer-to-Layer Variation\n\n| Metric |");
    for (size_t i = 0; i < architecture->type_count; i++)
        text_printf(out, " %s |", architecture->types[i].name);
    text_add(out, "\n| --- |");
    for (size_t i = 0; i < architecture->type_count; i++)
        text_add(out, " ---: |");
    for (size_t row = 0; row < COUNT(rows); row++) {
        text_printf(out, "\n| %s |", rows[row].name);
        for (size_t i = 0; i < architecture->type_count; i++)
            text_printf(out, " %.3f |",
                        rows[row].read(architecture, &architecture->types[i]));
    }
    text_add(out, "\n\n");
}

/* Returns the number of characters of UTF-8. */
static size_t width_of(const char *text)
{
    size_t width = 0;

    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static void add_box_line(struct text *out, const char *line)
{
    size_t width = width_of(line);

    text_printf(out, "│ %s", line);
    add_repeated(out, " ", width < DIAGRAM_WIDTH ? DIAGRAM_WIDTH - width : 0);
    text_add(out, " │\n");
}

static void add_border(struct text *out, const char *left, const char *right)
{
    text_add(out, left);
    add_repeated(out, "─", DIAGRAM_WIDTH + 2);
    text_printf(out, "%s\n", right);
}

/* Adds a line for each range of layers of one type in the pass. */
static void add_layer_lines(struct text *out,
                            const struct architecture *architecture,
                            const struct arch_pass *pass)
{
    for (size_t i = 0, next; i < pass->count; i = next) {
        size_t type = architecture->layers[pass->first + i].type;
        const char *name = architecture->types[type].name;
        bool is_moe;
        char *line;

        for (next = i; next < pass->count &&
                       architecture->layers[pass->first + next].type == type;)
            next++;
        is_moe = strstr(name, "MoE") != NULL;
        line = is_moe
                   ? xasprintf("Layer %zu-%zu: %s ──┐ %zu layers ───┘", i, next - 1,
                               name, next - i)
                   : xasprintf("Layer %zu-%zu: %s (%zu)", i, next - 1, name, next - i);
        add_box_line(out, line);
        free(line);
    }
}

static void draw_box(struct text *out, const struct architecture *architecture)
{
    const struct arch_pass *pass = &architecture->passes[0];
    const struct arch_type *decode = main_type(architecture, PHASE_DECODE);
    char *title = xasprintf(
        "%s, %zu layers, rank %lld",
        architecture->has_fia ? "Inference model" : "Training model",
        architecture->pass_size, (long long)architecture->analysis->input->rank);
    char *phase = decode
                      ? xasprintf("Decode: %zu layers, median %.3f ms", decode->count,
                                  wall_of(&architecture->layers[decode->typical]))
                      : xstrdup("Decode: not captured");

    for (size_t i = 0; i < architecture->pass_count && pass->is_partial; i++)
        pass = &architecture->passes[i];
    text_add(out, "```\n");
    add_border(out, "┌", "┐");
    add_box_line(out, title);
    add_border(out, "├", "┤");
    add_layer_lines(out, architecture, pass);
    add_border(out, "├", "┤");
    add_box_line(out, phase);
    add_border(out, "└", "┘");
    text_add(out, "```\n\n");
    free(title);
    free(phase);
}

static void draw_timeline(struct text *out, const struct architecture *architecture)
{
    const struct arch_pass *pass = &architecture->passes[0];
    size_t shown = pass->count < DIAGRAM_LAYERS ? pass->count : DIAGRAM_LAYERS;
    enum arch_phase phase = architecture->layers[pass->first].phase;

    text_printf(out, "Pass 0:\n\n```\n0ms");
    add_repeated(out, " ", 24);
    text_printf(out, "%.3fms\n|────────────|────────────|\n",
                ns_to_ms(pass->end - pass->start));
    for (size_t i = 0; i < shown; i++)
        text_printf(out, "[Layer%zu]", i);
    text_printf(out, "%s[L%zu=%.3fms]\n", pass->count > shown ? "..." : "",
                pass->count - 1,
                wall_of(&architecture->layers[pass->first + pass->count - 1]));
    for (size_t i = 0; i < shown; i++)
        text_printf(
            out, " %.3f  ",
            ns_to_ms(architecture->layers[pass->first + i].start - pass->start));
    text_printf(out, "\n└── %zu %s layers ──┘ %.3f ms in all\n```\n",
                pass->phase_counts[phase], arch_phase_name(phase),
                ns_to_ms(pass->end - pass->start));
}

void arch_report_summary(struct text *out, const struct architecture *architecture)
{
    text_add(out, "## 10. Model Architecture Summary\n\n");
    if (architecture->pass_count == 0) {
        text_add(out, "No layers were found.\n");
        return;
    }
    draw_box(out, architecture);
    draw_timeline(out, architecture);
}
