#include "cli/app/job_warnings.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/job/job.h"

enum { POINTS_CHECKED = 10000, PROGRAMS_PRINTED = 3 };

#define WITHOUT_POINT                                                                  \
    "%s: warning: %s[%zu].when: no point meets the condition, so the entry has no "    \
    "effect; correct or remove it\n"

static bool is_file(const char *path, bool program)
{
    struct stat is;

    return stat(path, &is) == 0 && S_ISREG(is.st_mode) &&
           access(path, program ? X_OK : R_OK) == 0;
}

static bool is_below(const char *folder, size_t length, const char *name, bool program)
{
    char path[PATH_MAX];

    return snprintf(path, sizeof(path), "%.*s/%s", (int)length, folder, name) <
               (int)sizeof(path) &&
           is_file(path, program);
}

static bool is_in_path(const char *name)
{
    const char *path = getenv("PATH");

    while (path && *path) {
        size_t length = strcspn(path, ":");

        if (length > 0 && is_below(path, length, name, true))
            return true;
        path += length + (path[length] == ':');
    }
    return false;
}

/* Returns whether the coordinator or a worker of this host finds the file. */
static bool
is_found(const struct job_point *point, const char *folder, const char *name)
{
    bool program = !point->settings->runner;
    char parts[PATH_MAX];
    struct err ignored;

    if (*name == '/')
        return is_file(name, program);
    if (*point->path) {
        char version[PATH_MAX];

        snprintf(version, sizeof(version), "%s%s%s", *point->path == '/' ? "" : folder,
                 *point->path == '/' ? "" : "/", point->path);
        return is_below(version, strlen(version), name, program);
    }
    if (program && !strchr(name, '/'))
        return is_in_path(name);
    return is_below(folder, strlen(folder), name, program) ||
           (*point->cwd == '/' &&
            is_below(point->cwd, strlen(point->cwd), name, program)) ||
           (file_parts_folder(parts, sizeof(parts), &ignored) == 0 &&
            is_below(parts, strlen(parts), name, program));
}

static const char *key_of(const struct job_point *point)
{
    if (!point->settings->runner)
        return "operator.command";
    return strcmp(point->command.items[1], "kernel") == 0 ? "operator.kernel"
                                                          : "operator.library";
}

static void warn_of_programs(const struct job *job,
                             const char *path,
                             const char *folder,
                             struct text *out)
{
    struct job_points *points = job_points_create(job);
    struct map *seen = map_create();
    struct job_point point;
    size_t missing = 0;

    for (int i = 0; i < POINTS_CHECKED && job_points_next(points, &point); i++) {
        bool runner = point.settings->runner;
        const char *name =
            point.command.items[runner ? (size_t)JOB_RUNNER_FILE : point.program];

        if (point.program > 0 || map_put(seen, name, seen) ||
            is_found(&point, folder, name))
            continue;
        if (++missing > PROGRAMS_PRINTED)
            continue;
        bool absolute = *name == '/';
        const char *place = absolute                      ? "this host"
                            : *point.path                 ? point.path
                            : strchr(name, '/') || runner ? folder
                                                          : "PATH";
        text_printf(out,
                    "%s: warning: %s: no %s '%s' %s %s; it must exist on the hosts of "
                    "the workers\n",
                    path, key_of(&point), runner ? "file" : "program", name,
                    absolute ? "on" : "in", place);
    }
    if (missing > PROGRAMS_PRINTED)
        text_printf(out, "%s: warning: %s: %zu more files are missing\n", path,
                    "operator", missing - PROGRAMS_PRINTED);
    map_destroy(seen);
    job_points_destroy(points);
}

/* The worker's host can have the simulator although this one has none. */
static void warn_of_simulator(const struct job *job, const char *path, struct text *out)
{
    const char *soc = job_settings(job)->soc;
    struct err err;

    if (job_check_vendor_simulator(job, strpbrk(soc, "*?[|") ? "Ascend910B2" : soc,
                                   &err) < 0)
        text_printf(out, "%s: warning: %s; it must be on the hosts of the workers\n",
                    path, err.text);
}

/* A condition that no point meets has no effect. More points than POINTS_CHECKED take
 * too long. */
static void
warn_of_conditions(const struct job *job, const char *path, struct text *out)
{
    size_t overrides = job_override_count(job);
    size_t tolerances = job_settings(job)->gate.tolerance_count;
    bool *used = xcalloc(overrides + 1, sizeof(*used));
    struct job_points *points = job_points_create(job);
    uint64_t used_tolerances = 0;
    struct job_point point;

    for (size_t i = 0; i < job_exclude_count(job); i++)
        if (!job_exclude_is_used(job, i))
            text_printf(out,
                        "%s: warning: sweep.exclude[%zu]: the expression removes no "
                        "point; correct or remove it\n",
                        path, i);
    for (uint64_t i = 0; i < POINTS_CHECKED && job_points_next(points, &point); i++) {
        for (size_t k = 0; k < overrides; k++)
            used[k] = used[k] || job_points_is_overridden(points, k);
        used_tolerances |= point.tolerances;
    }
    for (size_t k = 0; k < overrides; k++)
        if (!used[k])
            text_printf(out, WITHOUT_POINT, path, "overrides", k);
    for (size_t k = 0; k < tolerances; k++)
        if (!(used_tolerances >> k & 1))
            text_printf(out, WITHOUT_POINT, path, "gate.tolerances", k);
    job_points_destroy(points);
    free(used);
}

void job_warnings_of_keys(const struct job *job, const char *path, struct text *out)
{
    for (size_t i = 0; i < job_variable_count(job); i++)
        if (!job_variable_is_used(job, i))
            text_printf(out,
                        "%s: warning: sweep: nothing uses the axis '%s', so its values "
                        "measure the same; write ${%s} in the operator, or use "
                        "sweep.repeat\n",
                        path, job_variable_name(job, i), job_variable_name(job, i));
    if (job_point_count(job) <= POINTS_CHECKED)
        warn_of_conditions(job, path, out);
}

void job_warnings_print(const struct job *job,
                        const char *path,
                        const char *folder,
                        struct text *out)
{
    job_warnings_of_keys(job, path, out);
    warn_of_programs(job, path, folder, out);
    warn_of_simulator(job, path, out);
}
