#include "cli/compare/job_method.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/job/job.h"

struct job_method {
    char *usual;
    struct map *others; /* text of a point to its method; only those that differ */
};

static void keep_version(const void *row, void *arg)
{
    const struct msg_rank_row *rank = row;
    char **version = arg;

    if (!*version && rank->measurement && *rank->measurement)
        *version = xstrdup(rank->measurement);
}

static char *describe(const struct job_settings *settings, const char *version)
{
    struct text text = {0};

    text_printf(&text, "replay=%s warmup=%" PRIu64, job_replay_word(settings->replay),
                settings->warmup);
    if (version)
        text_printf(&text, " measurement=%s", version);
    return text_take(&text);
}

static void
read_points(struct job_method *method, const struct job *job, const char *version)
{
    const struct job_settings *usual = job_settings(job);
    struct job_points *points = job_points_create(job);
    struct job_point point;

    while (job_points_next(points, &point))
        if (point.settings->replay != usual->replay ||
            point.settings->warmup != usual->warmup)
            free(
                map_put(method->others, point.text, describe(point.settings, version)));
    job_points_destroy(points);
}

int job_method_read(struct job_method **out,
                    struct row_source *source,
                    uint64_t job_id,
                    struct err *err)
{
    char *version = NULL; /* of a rank; NULL: unknown */
    struct problems problems = {0};
    struct job *job = NULL;
    char *yaml = NULL;
    int result = row_source_job_file(source, job_id, &yaml, err);

    *out = NULL;
    if (result == 0)
        result =
            row_source_rank_environment(source, job_id, keep_version, &version, err);
    if (result == 0) {
        struct job_method *method = xcalloc(1, sizeof(*method));

        method->others = map_create();
        /* The file of a job of an older version may not be valid any more; then its
         * method is unknown. */
        if (job_parse(&job, yaml, strlen(yaml), &problems) == 0) {
            method->usual = describe(job_settings(job), version);
            if (job_has_overrides(job))
                read_points(method, job, version);
        } else {
            method->usual = xstrdup("");
        }
        *out = method;
    }
    problems_clear(&problems);
    job_destroy(job);
    free(version);
    free(yaml);
    return result;
}

void job_method_destroy(struct job_method *method)
{
    size_t cursor = 0;
    const char *key;
    void *text;

    if (!method)
        return;
    while (map_next(method->others, &cursor, &key, &text))
        free(text);
    map_destroy(method->others);
    free(method->usual);
    free(method);
}

const char *job_method_at(const struct job_method *method, const char *point)
{
    const char *other =
        map_count(method->others) ? map_get(method->others, point) : NULL;

    return other ? other : method->usual;
}
