#include "cli/compare/group_summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/compare/comparison_groups.h"

enum {
    NAMES_MOST = 3, /* groups of a level and verdict that are named */
    /* Cells of a job without cards that are summarised. Each point has one cell there,
     * and the copies of more cells would need more memory than the comparison. */
    CELLS_MOST = 10000,
    CELLS_LOOKED_AT = 100,
};

static bool is_summarised(const struct comparison *comparison)
{
    size_t count = comparison_count(comparison);

    if (count <= CELLS_MOST)
        return true;
    for (size_t i = 0; i < CELLS_LOOKED_AT; i++)
        if (comparison_row(comparison, i).card[0])
            return true;
    return false;
}

static void
add_name(struct text *out, const struct comparison_group *group, const char *metric)
{
    if (group->kernel[0])
        text_printf(out, "%s%s%s ", group->point, group->point[0] ? " of kernel " : "",
                    group->kernel);
    else if (group->card[0])
        text_printf(out, "%s of host %s ", group->card, group->host);
    else if (group->host[0])
        text_printf(out, "%s ", group->host);
    else
        text_add(out, "all cells ");
    text_printf(out, "(%s%s%+.1f %%)",
                strcmp(group->metric, metric) ? group->metric : "",
                strcmp(group->metric, metric) ? " " : "", 100 * expm1(group->shift));
}

/* Adds "1 regressed: NAME (+6.0 %)" for the groups with this outcome. Returns their
 * number. */
static size_t add_outcome(struct text *out,
                          const struct comparison_group *groups,
                          size_t count,
                          enum comparison_outcome outcome,
                          const char *metric)
{
    struct text names = {0};
    size_t found = 0;

    text_add(&names, "");
    for (size_t i = 0; i < count; i++) {
        /* a group of one cell repeats the verdict of the cell */
        if (groups[i].outcome != outcome || groups[i].cells < 2 || ++found > NAMES_MOST)
            continue;
        text_add(&names, found > 1 ? ", " : "");
        add_name(&names, &groups[i], metric);
    }
    if (found > 0)
        text_printf(out, "%s%zu %s: %s", out->length > 0 ? "; " : "", found,
                    comparison_outcome_name(outcome), text_get(&names));
    if (found > NAMES_MOST)
        text_printf(out, " and %zu more", found - NAMES_MOST);
    text_clear(&names);
    return found;
}

void group_summary_init(struct group_summary *summary,
                        const struct comparison *comparison)
{
    static const struct {
        enum comparison_level level;
        const char *name;
    } levels[] = {
        {LEVEL_POINT, "point"},
        {LEVEL_CARD, "card"},
        {LEVEL_HOST, "host"},
        {LEVEL_FLEET, "fleet"},
    };
    const char *metric = comparison_metric(comparison);
    struct text text = {0};

    *summary = (struct group_summary){0};
    text_add(&text, "");
    for (size_t i = 0; i < COUNT(levels) && is_summarised(comparison); i++) {
        struct text line = {0};
        size_t count;
        struct comparison_group *groups =
            comparison_groups(comparison, levels[i].level, &count);

        summary->regressed |=
            add_outcome(&line, groups, count, OUTCOME_REGRESSED, metric) > 0;
        add_outcome(&line, groups, count, OUTCOME_IMPROVED, metric);
        if (line.length > 0)
            text_printf(&text, "by %s: %s\n", levels[i].name, text_get(&line));
        text_clear(&line);
        free(groups);
    }
    summary->text = text_take(&text);
}

void group_summary_clear(struct group_summary *summary)
{
    free(summary->text);
    *summary = (struct group_summary){0};
}
