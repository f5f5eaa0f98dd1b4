#include "parsers/anomaly_report/gap_text.h"

enum { NEIGHBOURS_MAX = 8 };

void gap_text_id(struct text *out,
                 const struct analysis *analysis,
                 const struct gap *gap)
{
    text_printf(
        out, "b%s_%u",
        names_text(analysis->input->names, analysis->steps[gap->step].window.name),
        gap->number);
}

void gap_text_structure(struct text *out, const struct structure *structure)
{
    structure_add_type(out, structure);
    text_printf(out, "_%u", structure->number);
}

static void add_bits(struct text *out,
                     unsigned bits,
                     unsigned count,
                     const char *(*name)(unsigned),
                     const char *separator)
{
    bool more = false;

    text_add(out, "");
    for (unsigned bit = 0; bit < count; bit++) {
        if (!(bits >> bit & 1))
            continue;
        text_printf(out, "%s%s", more ? separator : "", name(bit));
        more = true;
    }
}

static const char *name_of_label(unsigned bit)
{
    return label_name((enum label)bit);
}

static const char *name_of_tag(unsigned bit)
{
    return tag_name((enum tag)bit);
}

void gap_text_labels(struct text *out, unsigned labels, const char *separator)
{
    add_bits(out, labels, LABEL_COUNT, name_of_label, separator);
}

void gap_text_tags(struct text *out, unsigned tags, const char *separator)
{
    add_bits(out, tags, TAG_COUNT, name_of_tag, separator);
}

void gap_text_each_neighbour(const struct analysis *analysis,
                             const struct gap *gap,
                             bool before,
                             kernel_fn *fn,
                             void *arg)
{
    const struct kernel *rows = analysis->input->kernels.rows;
    size_t count = before ? gap->previous_count : gap->next_count;

    for (size_t i = 0; i < count && i < NEIGHBOURS_MAX; i++)
        fn(arg, analysis,
           &rows[before ? analysis->by_end[gap->previous + i] : gap->next + i]);
}

struct first {
    struct text *out;
    bool found;
};

static void
add_first(void *arg, const struct analysis *analysis, const struct kernel *kernel)
{
    struct first *first = arg;
    const struct names *names = analysis->input->names;

    if (first->found)
        return;
    first->found = true;
    text_printf(first->out, "%s (%s, %.3f us", names_text(names, kernel->name),
                names_text(names, kernel->unit),
                (double)kernel_duration(kernel) / 1000);
    if (kernel->stream >= 0)
        text_printf(first->out, ", stream %d", (int)kernel->stream);
    text_add(first->out, ")");
}

void gap_text_neighbour(struct text *out,
                        const struct analysis *analysis,
                        const struct gap *gap,
                        bool before)
{
    struct first first = {.out = out};

    gap_text_each_neighbour(analysis, gap, before, add_first, &first);
    if (!first.found)
        text_add(out, "-");
}

static void
take_name(void *arg, const struct analysis *analysis, const struct kernel *kernel)
{
    const char **name = arg;

    if (!**name)
        *name = names_text(analysis->input->names, kernel->name);
}

const char *gap_text_neighbour_name(const struct analysis *analysis,
                                    const struct gap *gap,
                                    bool before)
{
    const char *name = "";

    gap_text_each_neighbour(analysis, gap, before, take_name, &name);
    return name;
}
