#include "cli/compare/asked_metrics.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/compared_figures.h"
#include "cli/compare/compared_jobs.h"
#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/compare/disturbance.h"

enum { NAMES_LENGTH = 90 }; /* of the names in an error, whose text is limited */

/* The names of all metrics of the jobs. */
struct names {
    const char **items; /* sorted, without marks of disturbances, ends with NULL */
    size_t count;
    struct map *all;
};

static bool is_found(const struct asked_metrics *asked, const char *pattern)
{
    const char *metric;

    for (size_t i = 0; (metric = asked->found(asked->found_arg, i)); i++)
        if (text_matches(metric, pattern))
            return true;
    return false;
}

static void add_name(const struct comparison_figure *figure, void *arg)
{
    struct names *names = arg;

    if (!map_get(names->all, figure->metric))
        map_put(names->all, figure->metric, names);
}

static int by_name(const void *left, const void *right)
{
    return text_compare_names(*(const char *const *)left, *(const char *const *)right);
}

static int read_names(struct names *names,
                      const struct asked_metrics *asked,
                      struct row_source *source,
                      struct err *err)
{
    size_t cursor = 0;
    const char *name;
    void *value;

    for (size_t i = 0; i < asked->job_count; i++)
        if (compared_figures_each(source, asked->job_ids[i], "*", add_name, names,
                                  err) < 0)
            return -1;
    names->items = xcalloc(map_count(names->all) + 1, sizeof(*names->items));
    while (map_next(names->all, &cursor, &name, &value))
        if (!disturbance_has_metric(name))
            names->items[names->count++] = name;
    if (names->count > 0)
        qsort(names->items, names->count, sizeof(*names->items), by_name);
    return 0;
}

static bool matches_disturbance(const struct names *names, const char *pattern)
{
    size_t cursor = 0;
    const char *name;
    void *value;

    while (map_next(names->all, &cursor, &name, &value))
        if (disturbance_has_metric(name) && text_matches(name, pattern))
            return true;
    return disturbance_has_metric(pattern);
}

static int refuse_unknown(const struct names *names,
                          const char *pattern,
                          const char *jobs,
                          struct err *err)
{
    const char *near = text_nearest(pattern, names->items);
    struct text list = {0};
    size_t shown = 0;

    for (; shown < names->count; shown++) {
        if (shown > 0 && strlen(text_get(&list)) + strlen(names->items[shown]) >
                             (size_t)NAMES_LENGTH)
            break;
        text_printf(&list, "%s%s", shown ? ", " : "", names->items[shown]);
    }
    if (shown < names->count)
        text_printf(&list, " and %zu more, see 'muster results'", names->count - shown);
    err_set(err, ERR_INPUT,
            "metric '%s': no figure of %s has this name%s%s%s; found %s", pattern, jobs,
            near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "",
            text_get(&list));
    text_clear(&list);
    return -1;
}

static int check_pattern(const struct names *names,
                         const char *pattern,
                         const char *jobs,
                         struct err *err)
{
    for (size_t i = 0; i < names->count; i++)
        if (text_matches(names->items[i], pattern))
            return 0;
    if (matches_disturbance(names, pattern))
        return err_set(err, ERR_INPUT,
                       "metric '%s': it marks repeats in which something disturbed the "
                       "card, and is never compared; these repeats are left out",
                       pattern);
    return names->count > 0 ? refuse_unknown(names, pattern, jobs, err) : 0;
}

int asked_metrics_check(const struct asked_metrics *asked,
                        struct row_source *source,
                        struct err *err)
{
    struct names names = {0};
    char *copy = xstrdup(asked->patterns), *rest = copy, *pattern;
    int result = 0;

    while (result == 0 && (pattern = strsep(&rest, "|"))) {
        if (is_found(asked, pattern))
            continue;
        if (!names.all) {
            names.all = map_create();
            result = read_names(&names, asked, source, err);
        }
        if (result == 0)
            result = check_pattern(&names, pattern, asked->jobs, err);
    }
    free(names.items);
    map_destroy(names.all);
    free(copy);
    return result;
}

static const char *metric_of_cell(const void *arg, size_t index)
{
    const struct comparison *comparison = arg;

    return index < comparison_count(comparison)
               ? comparison_row(comparison, index).metric
               : NULL;
}

int asked_metrics_check_comparison(const char *patterns,
                                   const struct comparison *comparison,
                                   struct row_source *source,
                                   const struct compared_base *base,
                                   const struct compared_job *fresh,
                                   struct err *err)
{
    const uint64_t ids[] = {fresh->job_id, compared_base_newest(base, fresh)};
    char *jobs = xasprintf("%s and %s", compared_base_name(base), fresh->key);
    int result = asked_metrics_check(
        &(struct asked_metrics){.patterns = patterns,
                                .found = metric_of_cell,
                                .found_arg = comparison,
                                .jobs = jobs,
                                .job_ids = ids,
                                .job_count = ids[1] ? 2 : 1}, /* 0: there is no base */
        source, err);

    free(jobs);
    return result;
}
