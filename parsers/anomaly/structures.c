#include "parsers/anomaly/structures.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "parsers/anomaly/structure_cuts.h"
#include "parsers/anomaly/templates.h"
#include "parsers/busy_time/intervals.h"

/* Kernels with which a layer begins; the first that occurs twice is used. */
static const char *const anchors[] = {
    "FusedInferAttentionScore*", "FlashAttentionScore", "PromptFlashAttention*",
    "IncreFlashAttention*",      "*PagedAttention*",    "*MLA*Prefill*|*MLA*Decode*",
    "*SelfAttention*",
};
static const char gradient_anchor[] = "FlashAttentionScoreGrad";

/* The part of a step from one anchor to the next. */
struct segment {
    enum structure_kind kind;
    size_t first, count;
    uint64_t hash;
    size_t body;      /* of a marked layer: kernels that belong to it; 0: unknown */
    unsigned variant; /* 0: the usual one, or no layer of its own */
};

struct search {
    struct structures *out;
    const struct kernel_list *kernels;
    uint32_t *tokens;      /* of out->kernels */
    const uint32_t *marks; /* per kernel of the list; or NULL */
    struct segment *segments;
    size_t segment_count;
    const struct segment *templates[STRUCTURE_KIND_COUNT];
    unsigned numbers[STRUCTURE_KIND_COUNT][STRUCTURE_VARIANTS_MAX];
};

const char *structure_kind_name(enum structure_kind kind)
{
    static const char *const names[] = {
        [STRUCTURE_PROLOGUE] = "prologue",
        [STRUCTURE_LAYER] = "layer",
        [STRUCTURE_LAYER_GRAD] = "layer_grad",
        [STRUCTURE_BETWEEN_PASS] = "between_pass",
        [STRUCTURE_EPILOGUE] = "epilogue",
        [STRUCTURE_STEP_BODY] = "step_body",
        [STRUCTURE_PART] = "part",
    };

    return names[kind];
}

void structure_add_type(struct text *out, const struct structure *structure)
{
    text_add(out, structure_kind_name(structure->kind));
    if (structure->variant > 0)
        text_printf(out, "_%c", (int)('a' + structure->variant));
}

const char *structure_method_name(enum structure_method method)
{
    static const char *const names[] = {
        [STRUCTURES_BY_MARKS] = "annotations",
        [STRUCTURES_BY_ATTENTION] = "attention",
        [STRUCTURES_BY_REPETITION] = "repetition",
        [STRUCTURES_BY_GAPS] = "time_gaps",
        [STRUCTURES_NONE] = "none",
    };

    return names[method];
}

static void
collect(struct search *search, const uint32_t *tokens, size_t first, size_t count)
{
    struct structures *out = search->out;

    out->kernels = xcalloc(count + 1, sizeof(*out->kernels));
    search->tokens = xcalloc(count + 1, sizeof(*search->tokens));
    for (size_t i = first; i < first + count; i++) {
        if (!tokens[i])
            continue;
        search->tokens[out->kernel_count] = tokens[i];
        out->kernels[out->kernel_count++] = i;
    }
}

/* Returns the different tokens of the step. The caller frees them. */
static uint32_t *different_tokens(const struct search *search, size_t *count)
{
    size_t all = search->out->kernel_count;
    uint32_t *tokens = xcalloc(all + 1, sizeof(*tokens));
    bool *seen = xcalloc(names_count(search->kernels->names), sizeof(*seen));

    *count = 0;
    for (size_t i = 0; i < all; i++) {
        uint32_t token = search->tokens[i];

        if (!seen[token])
            tokens[(*count)++] = token;
        seen[token] = true;
    }
    free(seen);
    return tokens;
}

/* Sets kinds[i] for the kernels whose token matches. Returns their number. */
static size_t mark_anchors(const struct search *search,
                           const char *pattern,
                           enum structure_kind kind,
                           uint8_t *kinds)
{
    size_t count, marked = 0;
    uint32_t *tokens = different_tokens(search, &count);

    for (size_t token = 0; token < count; token++) {
        if (!text_matches_any(names_text(search->kernels->names, tokens[token]),
                              pattern))
            continue;
        for (size_t i = 0; i < search->out->kernel_count; i++)
            if (search->tokens[i] == tokens[token]) {
                kinds[i] = (uint8_t)kind;
                marked++;
            }
    }
    free(tokens);
    return marked;
}

/* Sets kinds[i] to the kind of the layer that begins with kernel i, or leaves 0.
 * Returns false when there are no layers. */
static bool find_anchors(const struct search *search, uint8_t *kinds)
{
    size_t found = 0;

    for (size_t i = 0; i < COUNT(anchors) && found < 2; i++) {
        memset(kinds, 0, search->out->kernel_count);
        found = mark_anchors(search, anchors[i], STRUCTURE_LAYER, kinds);
    }
    if (found < 2)
        memset(kinds, 0, search->out->kernel_count);
    return mark_anchors(search, gradient_anchor, STRUCTURE_LAYER_GRAD, kinds) > 0 ||
           found >= 2;
}

static uint32_t mark_of(const struct search *search, size_t i)
{
    return search->marks ? search->marks[search->out->kernels[i]] : 0;
}

/* A marked layer begins with its first kernel. Returns the number of layers. */
static size_t find_marks(const struct search *search, uint8_t *kinds)
{
    uint32_t last = 0;
    size_t found = 0;

    for (size_t i = 0; i < search->out->kernel_count; i++) {
        uint32_t mark = mark_of(search, i);

        if (mark > last) { /* a kernel of an earlier layer may run late */
            kinds[i] = STRUCTURE_LAYER;
            last = mark;
            found++;
        }
    }
    if (found < 2)
        memset(kinds, 0, search->out->kernel_count);
    return found;
}

/* Sets kinds[i] where a part begins, by the best method that finds any. */
static enum structure_method find_starts(const struct search *search, uint8_t *kinds)
{
    const struct cut_step step = {search->kernels, search->out->kernels, search->tokens,
                                  search->out->kernel_count};
    enum structure_method method = STRUCTURES_NONE;
    bool *starts;

    if (find_marks(search, kinds) >= 2)
        return STRUCTURES_BY_MARKS;
    if (find_anchors(search, kinds))
        return STRUCTURES_BY_ATTENTION;
    starts = xcalloc(step.count + 1, sizeof(*starts));
    if (structure_cuts_by_repetition(&step, starts) > 0)
        method = STRUCTURES_BY_REPETITION;
    else if (structure_cuts_by_gaps(&step, starts) > 0)
        method = STRUCTURES_BY_GAPS;
    for (size_t i = 0; i < step.count; i++)
        if (starts[i])
            kinds[i] = method == STRUCTURES_BY_GAPS ? STRUCTURE_PART : STRUCTURE_LAYER;
    free(starts);
    return method;
}

static uint64_t hash_tokens(const uint32_t *tokens, size_t count)
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */

    for (size_t i = 0; i < count; i++)
        hash = (hash ^ tokens[i]) * 0x100000001b3u;
    return hash;
}

/* Returns the number of kernels up to the last one of the marked layer. */
static size_t marked_length(const struct search *search, size_t first, size_t end)
{
    while (mark_of(search, end - 1) != mark_of(search, first))
        end--;
    return end - first;
}

static void cut_segments(struct search *search, const uint8_t *kinds)
{
    size_t count = search->out->kernel_count, next;

    search->segments = xcalloc(count + 1, sizeof(*search->segments));
    for (size_t i = 0; i < count; i = next) {
        for (next = i + 1; next < count && !kinds[next];)
            next++;
        if (!kinds[i])
            continue; /* before the first anchor */
        search->segments[search->segment_count++] =
            (struct segment){.kind = (enum structure_kind)kinds[i],
                             .first = i,
                             .count = next - i,
                             .hash = hash_tokens(search->tokens + i, next - i),
                             .body = search->out->method == STRUCTURES_BY_MARKS
                                         ? marked_length(search, i, next)
                                         : 0};
    }
}

/* By length, then by content, then by time. */
static int compare_segments(const void *a, const void *b)
{
    const struct segment *left = *(const struct segment *const *)a;
    const struct segment *right = *(const struct segment *const *)b;

    if (left->count != right->count)
        return left->count < right->count ? -1 : 1;
    if (left->hash != right->hash)
        return left->hash < right->hash ? -1 : 1;
    return left < right ? -1 : left > right;
}

/* Returns the segments of the kind that are layers by their place in the step, sorted
 * by content and time. The caller frees the list. */
static struct segment **
list_segments(struct search *search, enum structure_kind kind, size_t *count)
{
    struct segment **list = xcalloc(search->segment_count + 1, sizeof(*list));

    *count = 0;
    for (size_t i = 0; i < search->segment_count; i++)
        if (search->segments[i].kind == kind)
            list[(*count)++] = &search->segments[i];
    if (*count > 0)
        qsort(list, *count, sizeof(*list), compare_segments);
    return list;
}

/* Returns the longest run of segments that are the same by the comparison. */
static size_t
longest_run(struct segment *const *list, size_t count, bool by_hash, size_t *run)
{
    size_t best = 0, next;

    *run = 0;
    for (size_t i = 0; i < count; i = next) {
        for (next = i + 1; next < count && list[next]->count == list[i]->count &&
                           (!by_hash || list[next]->hash == list[i]->hash);)
            next++;
        if (next - i > *run) {
            *run = next - i;
            best = i;
        }
    }
    return best;
}

/* The template has the most frequent length, and of this length the most frequent
 * sequence of tokens. */
static void find_template(struct search *search, enum structure_kind kind)
{
    size_t count, first, run, equal;
    struct segment **list = list_segments(search, kind, &count);

    if (count > 0) {
        first = longest_run(list, count, false, &run);
        first += longest_run(list + first, run, true, &equal);
        search->templates[kind] = list[first];
        search->out->template_length[kind] = list[first]->count;
        search->out->equal_count[kind] = equal;
    }
    free(list);
}

static bool is_whole(const struct search *search, const struct segment *segment)
{
    const struct segment *usual = search->templates[segment->kind];

    if (segment->count == usual->count && segment->hash == usual->hash)
        return true;
    return segment->count <= usual->count &&
           template_likeness(search->tokens + segment->first, segment->count,
                             search->tokens + usual->first, usual->count) >= 0.90;
}

/* Returns true when equal segments are no ends of passes: two of them are neighbours,
 * or they are more than a third of the layers of their kind. */
static bool is_variant(struct segment *const *run, size_t equal, size_t all)
{
    bool neighbours = false;

    for (size_t i = 1; i < equal; i++)
        neighbours |= run[i] == run[i - 1] + 1;
    return equal >= 2 && (neighbours || equal * 3 > all);
}

/* Numbers each further sequence of tokens that is a layer of its own, by time. */
static void find_variants(struct search *search, enum structure_kind kind)
{
    struct segment *firsts[STRUCTURE_VARIANTS_MAX] = {NULL};
    size_t count, next;
    struct segment **list = list_segments(search, kind, &count);
    unsigned variants = 1;

    for (size_t i = 0; i < count; i = next) {
        unsigned at = variants;

        for (next = i + 1; next < count && list[next]->count == list[i]->count &&
                           list[next]->hash == list[i]->hash;)
            next++;
        if (list[i]->body > 0 || is_whole(search, list[i]) ||
            variants == STRUCTURE_VARIANTS_MAX ||
            !is_variant(&list[i], next - i, count))
            continue;
        for (; at > 1 && firsts[at - 1] > list[i]; at--)
            firsts[at] = firsts[at - 1];
        firsts[at] = list[i];
        variants++;
    }
    for (unsigned variant = 1; variant < variants; variant++)
        for (size_t i = 0; i < count; i++)
            if (list[i]->count == firsts[variant]->count &&
                list[i]->hash == firsts[variant]->hash)
                list[i]->variant = variant;
    free(list);
}

static void measure(struct search *search, struct structure *row)
{
    const struct structures *out = search->out;
    struct intervals busy = {0};

    for (size_t i = row->first; i < row->first + row->count; i++) {
        const struct kernel *kernel = &search->kernels->rows[out->kernels[i]];

        if (i == row->first)
            row->start = kernel->start;
        if (i == row->first || kernel->end > row->end)
            row->end = kernel->end;
        intervals_add(&busy, kernel->start, kernel->end);
        row->kernel_sum += kernel_duration(kernel);
        row->total_cost += kernel_duration(kernel) + kernel->wait;
        row->class_sums[kernel->unit_class] += kernel_duration(kernel);
    }
    intervals_merge(&busy);
    row->busy = intervals_length(&busy);
    intervals_clear(&busy);
}

static struct structure *add(struct search *search,
                             enum structure_kind kind,
                             unsigned variant,
                             size_t first,
                             size_t count)
{
    struct structures *out = search->out;

    out->rows = xreallocarray(out->rows, out->count + 1, sizeof(*out->rows));
    out->rows[out->count] =
        (struct structure){.kind = kind,
                           .variant = variant,
                           .number = search->numbers[kind][variant]++,
                           .first = first,
                           .count = count};
    measure(search, &out->rows[out->count]);
    return &out->rows[out->count++];
}

static size_t common_length(const struct search *search, const struct segment *segment)
{
    const struct segment *usual = search->templates[segment->kind];
    size_t length = 0;

    while (length < segment->count && length < usual->count &&
           search->tokens[segment->first + length] ==
               search->tokens[usual->first + length])
        length++;
    return length;
}

static void add_segment(struct search *search, size_t index)
{
    const struct segment *segment = &search->segments[index];
    if (segment->kind == STRUCTURE_PART) {
        add(search, STRUCTURE_PART, 0, segment->first, segment->count);
        return;
    }
    size_t body = segment->body > 0 ? segment->body
                  : segment->variant > 0 || is_whole(search, segment)
                      ? segment->count
                      : common_length(search, segment);
    bool is_last = index + 1 == search->segment_count;
    struct structure *row =
        add(search, segment->kind, segment->variant, segment->first, body);

    row->ends_pass = body < segment->count && (segment->body == 0 || is_last);
    if (body < segment->count)
        add(search, is_last ? STRUCTURE_EPILOGUE : STRUCTURE_BETWEEN_PASS, 0,
            segment->first + body, segment->count - body);
}

static void find_passes(struct structures *out)
{
    bool begin = true;

    for (size_t i = 0; i < out->count; i++) {
        const struct structure *row = &out->rows[i];

        if (row->kind != STRUCTURE_LAYER && row->kind != STRUCTURE_LAYER_GRAD)
            continue;
        if (begin || out->passes[out->pass_count - 1].kind != row->kind) {
            out->passes =
                xreallocarray(out->passes, out->pass_count + 1, sizeof(*out->passes));
            out->passes[out->pass_count++] = (struct pass){.kind = row->kind};
        }
        out->passes[out->pass_count - 1].layers++;
        begin = row->ends_pass;
    }
}

void structures_find(struct structures *structures,
                     const struct kernel_list *kernels,
                     const uint32_t *tokens,
                     const uint32_t *marks,
                     size_t first,
                     size_t count)
{
    struct search search = {.out = structures, .kernels = kernels, .marks = marks};
    uint8_t *kinds = xcalloc(count + 1, 1);

    *structures = (struct structures){0};
    collect(&search, tokens, first, count);
    structures->method = find_starts(&search, kinds);
    cut_segments(&search, kinds);
    find_template(&search, STRUCTURE_LAYER);
    find_template(&search, STRUCTURE_LAYER_GRAD);
    find_variants(&search, STRUCTURE_LAYER);
    find_variants(&search, STRUCTURE_LAYER_GRAD);
    if (search.segment_count == 0 && structures->kernel_count > 0)
        add(&search, STRUCTURE_STEP_BODY, 0, 0, structures->kernel_count);
    else if (search.segment_count > 0 && search.segments[0].first > 0)
        add(&search, STRUCTURE_PROLOGUE, 0, 0, search.segments[0].first);
    for (size_t i = 0; i < search.segment_count; i++)
        add_segment(&search, i);
    find_passes(structures);
    free(search.tokens);
    free(search.segments);
    free(kinds);
}

void structures_clear(struct structures *structures)
{
    free(structures->kernels);
    free(structures->rows);
    free(structures->passes);
    *structures = (struct structures){0};
}
