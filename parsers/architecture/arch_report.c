#include "parsers/architecture/arch_report.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/architecture/arch_report_internal.h"
#include "parsers/architecture/arch_roles.h"

enum { PASSES_SHOWN = 40 };

/* Parts of the name of a folder such as "20260101_dp2_tp8_ep_100k_1k_bs10". */
struct naming {
    char data[16], tensor[16], prefill[16], decode[16], batch[16];
    bool has_experts;
};

static void copy(char out[16], const char *from, size_t length)
{
    if (length > 15)
        length = 15;
    memcpy(out, from, length);
    out[length] = '\0';
}

/* Returns true for digits with k or m at their end. */
static bool is_length(const char *part, size_t length)
{
    size_t digits = strspn(part, "0123456789");

    return digits > 0 &&
           (digits == length || (digits + 1 == length && strchr("kKmM", part[digits])));
}

static void read_naming(struct naming *naming, const char *folder)
{
    *naming = (struct naming){0};
    for (const char *at = folder; *at;) {
        size_t length = strcspn(at, "_");
        bool is_number = length > 2 && isdigit((unsigned char)at[2]);

        if (is_number && strncmp(at, "dp", 2) == 0)
            copy(naming->data, at + 2, length - 2);
        else if (is_number && strncmp(at, "tp", 2) == 0)
            copy(naming->tensor, at + 2, length - 2);
        else if (is_number && strncmp(at, "bs", 2) == 0)
            copy(naming->batch, at + 2, length - 2);
        else if (length == 2 && strncmp(at, "ep", 2) == 0)
            naming->has_experts = true;
        else if (naming->tensor[0] && is_length(at, length))
            copy(naming->prefill[0] ? naming->decode : naming->prefill, at, length);
        at += length + (at[length] == '_');
    }
}

static void write_parallelism(struct text *out, const struct architecture *architecture)
{
    const struct rank_input *input = architecture->analysis->input;
    struct naming naming;

    read_naming(&naming, input->folder);
    if (naming.data[0] || naming.tensor[0])
        text_printf(out, "DP%s × TP%s%s (from the name of the folder)",
                    naming.data[0] ? naming.data : " unknown",
                    naming.tensor[0] ? naming.tensor : " unknown",
                    naming.has_experts ? " with EP" : "");
    else if (input->metadata.world > 0)
        text_printf(out,
                    "DP%llu × TP%llu × PP%llu, %llu ranks (from "
                    "`profiler_metadata.json`)",
                    (unsigned long long)input->metadata.data,
                    (unsigned long long)input->metadata.tensor,
                    (unsigned long long)input->metadata.pipeline,
                    (unsigned long long)input->metadata.world);
    else
        text_add(out, "unknown");
    text_add(out, "\n- **Sequence lengths**: ");
    if (naming.prefill[0])
        text_printf(out, "%s context, %s generation, batch size %s\n", naming.prefill,
                    naming.decode[0] ? naming.decode : "unknown",
                    naming.batch[0] ? naming.batch : "unknown");
    else
        text_add(out, "unknown\n");
}

static size_t count_layers(const struct architecture *architecture,
                           enum arch_phase phase)
{
    size_t count = 0;

    for (size_t i = 0; i < architecture->layer_count; i++)
        count += architecture->layers[i].phase == phase;
    return count;
}

static size_t count_streams(const struct architecture *architecture)
{
    size_t most = 0;

    for (size_t i = 0; i < architecture->analysis->step_count; i++)
        if (architecture->analysis->steps[i].stream_count > most)
            most = architecture->analysis->steps[i].stream_count;
    return most;
}

static void write_context(struct text *out, const struct architecture *architecture)
{
    const struct analysis *analysis = architecture->analysis;

    text_add(out, "## 1. Configuration Context\n\n- **Parallelism**: ");
    write_parallelism(out, architecture);
    text_printf(out, "- **Profiling scope**: %zu step%s (`%s`)\n", analysis->step_count,
                analysis->step_count == 1 ? "" : "s",
                step_source_name(analysis->windows.source));
    text_printf(out,
                "- **Capture span**: %.6f s, %zu device kernels across %zu streams\n",
                (double)analysis->device.service / 1e9, analysis->input->kernels.count,
                count_streams(architecture));
    if (architecture->layer_count == 0) {
        text_add(out,
                 "- **Model**: unknown; no attention kernel and no repeated kernel "
                 "divides the capture\n\n");
        return;
    }
    text_printf(out, "- **Model**: %s with ~%zu layers, across %zu passes (",
                architecture->has_fia ? "inference" : "training",
                architecture->pass_size, architecture->pass_count);
    if (architecture->has_fia)
        text_printf(out, "%zu prefill FIA + %zu decode FIA)\n\n",
                    count_layers(architecture, PHASE_PREFILL),
                    count_layers(architecture, PHASE_DECODE));
    else
        text_printf(out, "%zu forward layers + %zu backward layers)\n\n",
                    count_layers(architecture, PHASE_FORWARD),
                    count_layers(architecture, PHASE_BACKWARD));
}

static void write_evidence(struct text *out, const struct architecture *architecture)
{
    enum arch_phase first = architecture->has_fia ? PHASE_PREFILL : PHASE_FORWARD;
    const char *anchor =
        architecture->has_fia ? "`FusedInferAttentionScore`" : "attention";
    size_t changes = 0;

    for (size_t i = 1; i < architecture->layer_count; i++)
        changes += architecture->layers[i].phase != architecture->layers[i - 1].phase;
    text_add(out, "## 2. Model Architecture Determination\n\n"
                  "| Evidence | Value | Interpretation |\n| --- | ---: | --- |\n");
    text_printf(out, "| %s kernels | %zu | **one for each layer of each pass** |\n",
                anchor, architecture->layer_count);
    for (enum arch_phase phase = first; phase <= first + 1; phase++)
        text_printf(out, "| %s | %zu | layers of the %s phase |\n",
                    arch_phase_name(phase), count_layers(architecture, phase),
                    arch_phase_name(phase));
    text_printf(out, "| passes | %zu | %zu layers in most of them |\n",
                architecture->pass_count, architecture->pass_size);
    text_printf(out, "| changes of phase | %zu | between neighbouring layers |\n",
                changes);
    if (architecture->has_fia)
        text_printf(out, "| phase confidence | %s | %s |\n\n",
                    architecture->phases_are_sure ? "high" : "low",
                    architecture->phases_are_sure
                        ? "prefill above 10 ms, decode below 1 ms"
                        : "durations do not divide by 10 ms and 1 ms; divided by the "
                          "number of queries or by the largest step between durations");
    else
        text_printf(out,
                    "| layer confidence | low | found by `%s`, because there is no "
                    "FusedInferAttentionScore |\n\n",
                    structure_method_name(
                        architecture->analysis
                            ->steps[architecture->analysis->groups[0].steps[0]]
                            .structures.method));
}

static double average_attention(const struct architecture *architecture,
                                const struct arch_pass *pass,
                                enum arch_phase phase)
{
    int64_t sum = 0;

    for (size_t i = pass->first; i < pass->first + pass->count; i++)
        if (architecture->layers[i].phase == phase)
            sum += architecture->layers[i].attention;
    return pass->phase_counts[phase] > 0
               ? ns_to_ms(sum) / (double)pass->phase_counts[phase]
               : 0;
}

static void write_passes(struct text *out, const struct architecture *architecture)
{
    enum arch_phase first = architecture->has_fia ? PHASE_PREFILL : PHASE_FORWARD;
    int64_t origin = architecture->analysis->busy.start;
    size_t partial = 0;

    text_printf(
        out,
        "## 3. Forward Pass Boundaries\n\n"
        "| Pass | %s index range | Time span (s) | Wall (ms) | Avg %s %s (ms) | "
        "Kernels |\n| --- | --- | --- | ---: | ---: | ---: |\n",
        architecture->has_fia ? "FIA" : "Layer", arch_phase_name(first),
        architecture->has_fia ? "FIA" : "attention");
    for (size_t i = 0; i < architecture->pass_count; i++) {
        const struct arch_pass *pass = &architecture->passes[i];

        partial += pass->is_partial;
        if (i >= PASSES_SHOWN)
            continue;
        text_printf(out, "| %zu%s | #%zu-#%zu | %.6f - %.6f | %.3f | %.3f | %zu |\n", i,
                    pass->is_partial ? " (partial)" : "", pass->first,
                    pass->first + pass->count - 1, (double)(pass->start - origin) / 1e9,
                    (double)(pass->end - origin) / 1e9,
                    ns_to_ms(pass->end - pass->start),
                    average_attention(architecture, pass, first), pass->row_count);
    }
    if (architecture->pass_count > PASSES_SHOWN)
        text_printf(out, "\n%zu more passes are left out.\n",
                    architecture->pass_count - PASSES_SHOWN);
    if (architecture->pass_count == 1)
        text_add(out, "\nThere is a single pass, so passes cannot be compared.\n\n");
    else
        text_printf(out,
                    "\n%zu of %zu passes have another number of layers than "
                    "most.\n\n",
                    partial, architecture->pass_count);
}

/* Adds the layers of a type as ranges of their places in the first whole pass. */
static void
add_ranges(struct text *out, const struct architecture *architecture, size_t type)
{
    const struct arch_pass *pass = &architecture->passes[0];
    size_t ranges = 0;

    for (size_t i = 0;
         i < architecture->pass_count && architecture->passes[i].is_partial;)
        if (++i < architecture->pass_count)
            pass = &architecture->passes[i];
    for (size_t i = 0, next; i < pass->count; i = next) {
        for (next = i; next < pass->count &&
                       architecture->layers[pass->first + next].type == type;)
            next++;
        if (next == i) {
            next++;
            continue;
        }
        text_printf(out, next - i > 1 ? "%s%zu-%zu" : "%s%zu", ranges++ > 0 ? ", " : "",
                    i, next - 1);
    }
    if (ranges == 0)
        text_add(out, "in other passes");
}

static void write_types(struct text *out, const struct architecture *architecture)
{
    text_add(out, "## 4. Layer Classification\n\n"
                  "| Layer Type | Layers | Count | Characteristics |\n"
                  "| --- | --- | ---: | --- |\n");
    for (size_t i = 0; i < architecture->type_count; i++) {
        const struct arch_type *type = &architecture->types[i];
        const struct arch_layer *layer = &architecture->layers[type->typical];

        text_printf(out, "| %s | ", type->name);
        add_ranges(out, architecture, i);
        text_printf(
            out, " | %zu | %zu kernels, %.3f ms wall (median), attention %.3f ms |\n",
            type->count, layer->count, ns_to_ms(layer->end - layer->start),
            ns_to_ms(layer->attention));
    }
    text_add(out, "\n");
}

static void write_checks(struct text *out, const struct architecture *architecture)
{
    size_t failed = 0;

    text_add(out, "## 5. Cross-Verification Table\n\n"
                  "| Pass | Op | Per-pass count | Expected | Interpretation |\n"
                  "| ---: | --- | ---: | ---: | --- |\n");
    for (size_t i = 0; i < architecture->check_count; i++) {
        const struct arch_check *row = &architecture->checks[i];

        failed += !row->passes;
        if (row->pass >= PASSES_SHOWN)
            continue;
        text_printf(out, "| %zu | `%s` | %zu | %zu | ", row->pass, row->op, row->count,
                    row->expected);
        if (!row->passes)
            text_printf(out, "**MISMATCH** by %lld |\n",
                        (long long)row->count - (long long)row->expected);
        else if (row->per_layer > 1)
            text_printf(out, "PASS, %zu in each layer |\n", row->per_layer);
        else
            text_add(out, "PASS |\n");
    }
    text_printf(out, "| all | `split_qkv_rmsnorm_rope` | %zu | - | in the capture |\n",
                architecture_count(architecture, 0, architecture->row_count,
                                   FEATURE_SPLIT_QKV));
    text_printf(
        out, "| all | `ReshapeAndCache` | %zu | - | in the capture |\n\n",
        architecture_count(architecture, 0, architecture->row_count, FEATURE_CACHE));
    if (failed > 0)
        text_printf(
            out,
            "**%zu counts do not agree with the layers**: the capture begins or "
            "ends inside of a pass, or a layer has another form.\n\n",
            failed);
}

static void write_anomalies(struct text *out,
                            const struct architecture *architecture,
                            const struct arch_layer *layer)
{
    size_t cpu = 0;

    for (size_t i = layer->first; i < layer->first + layer->count; i++)
        cpu += architecture_kernel(architecture, i)->unit_class == UNIT_AICPU;
    if (cpu > 0)
        text_printf(
            out, "**%zu AI CPU kernel%s** should be moved to AI cores or replaced.\n\n",
            cpu, cpu == 1 ? "" : "s");
}

/* Returns true when the next layer is of another phase or pass, or there is none. */
static bool is_transition(const struct architecture *architecture, size_t layer)
{
    if (layer + 1 >= architecture->layer_count ||
        architecture->layers[layer + 1].phase != architecture->layers[layer].phase)
        return true;
    for (size_t i = 0; i < architecture->pass_count; i++)
        if (architecture->passes[i].first == layer + 1)
            return true;
    return false;
}

/* Names the first layer when it is slow, the longest one, and layers before a change of
 * phase or pass that run more kernels than the typical one. */
static void write_special_layers(struct text *out,
                                 const struct architecture *architecture,
                                 size_t type)
{
    const double slow = 1.2;
    const struct arch_layer *layers = architecture->layers;
    const struct arch_layer *typical = &layers[architecture->types[type].typical],
                            *longest = typical;
    double median = ns_to_ms(typical->end - typical->start);

    for (size_t i = 0; i < architecture->layer_count; i++) {
        double wall = ns_to_ms(layers[i].end - layers[i].start);

        if (layers[i].type != type)
            continue;
        if (layers[i].end - layers[i].start > longest->end - longest->start)
            longest = &layers[i];
        if (i == 0 && wall > slow * median)
            text_printf(
                out,
                "Layer #0 takes %.3f ms, %.1f times the median: the first layer "
                "warms up.\n\n",
                wall, wall / median);
        if (layers[i].count > typical->count && is_transition(architecture, i))
            text_printf(
                out,
                "Layer #%zu ends a phase or pass and has %zu kernels instead of "
                "%zu, in %.3f ms.\n\n",
                i, layers[i].count, typical->count, wall);
    }
    if (ns_to_ms(longest->end - longest->start) > slow * median)
        text_printf(out, "The longest is layer #%zu with %.3f ms and %zu kernels.\n\n",
                    (size_t)(longest - layers), ns_to_ms(longest->end - longest->start),
                    longest->count);
}

static void write_layers(struct text *out, const struct architecture *architecture)
{
    text_add(out, "## 6. Per-Layer Sub-Structure\n\n");
    for (size_t i = 0; i < architecture->type_count; i++) {
        const struct arch_type *type = &architecture->types[i];
        const struct arch_layer *layer = &architecture->layers[type->typical];

        text_printf(out,
                    "### %s\n\nLayer #%zu, the median of %zu: %zu kernels, **%.3f ms "
                    "wall**.\n\n```\n",
                    type->name, type->typical, type->count, layer->count,
                    ns_to_ms(layer->end - layer->start));
        arch_roles_draw(out, architecture, layer);
        text_add(out, "```\n\n");
        arch_report_roles(out, architecture, layer);
        write_anomalies(out, architecture, layer);
        write_special_layers(out, architecture, i);
    }
    if (architecture->type_count == 0)
        text_add(out, "No layers were found.\n\n");
}

void arch_report_write(struct text *out, const struct architecture *architecture)
{
    text_printf(out, "# Model architecture of rank %lld\n\n",
                (long long)architecture->analysis->input->rank);
    write_context(out, architecture);
    write_evidence(out, architecture);
    write_passes(out, architecture);
    write_types(out, architecture);
    write_checks(out, architecture);
    write_layers(out, architecture);
    arch_report_decode(out, architecture);
    arch_report_pipeline(out, architecture);
    arch_report_variation(out, architecture);
    arch_report_summary(out, architecture);
}

char *arch_report_file_name(const struct analysis *analysis)
{
    char part[201];

    text_to_path_part(part, sizeof(part), analysis->input->folder);
    return xasprintf("model_architecture_report_%s.md", part);
}
