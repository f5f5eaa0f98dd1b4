#include "cli/gate/gate_evidence_read.h"

#include <stdlib.h>
#include <string.h>

#include "cli/compare/environments_read.h"
#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/job/job.h"

struct reader {
    struct gate_evidence *evidence;
    enum comparison_side side;
    struct map *commands; /* text of a point to its command, a text */
};

static struct map *read_commands(const struct job *job)
{
    struct map *commands = map_create();
    struct job_points *points = job_points_create(job);
    struct job_point point;

    while (job_points_next(points, &point)) {
        struct text command = {0};

        for (size_t i = 0; i < point.command.count; i++)
            text_printf(&command, "%s\n", point.command.items[i]);
        free(map_put(commands, point.text, text_take(&command)));
    }
    job_points_destroy(points);
    return commands;
}

static void destroy_commands(struct map *commands)
{
    size_t cursor = 0;
    const char *key;
    void *command;

    while (map_next(commands, &cursor, &key, &command))
        free(command);
    map_destroy(commands);
}

/* Equal code is the same binary of the kernel, started by the same program with the
 * same arguments. */
static void add_launch(const void *row, void *arg)
{
    const struct msg_launch_row *launch = row;
    const struct reader *reader = arg;
    const char *command = map_get(reader->commands, launch->point_text);
    char *code = launch->code_hash[0] && command
                     ? xasprintf("%s\n%s", launch->code_hash, command)
                     : xstrdup("");

    gate_evidence_add_code(reader->evidence, reader->side, launch->point_text,
                           launch->kernel, code);
    free(code);
}

int gate_evidence_read(struct gate_evidence *evidence,
                       struct row_source *source,
                       enum comparison_side side,
                       uint64_t job_id,
                       struct err *err)
{
    struct reader reader = {.evidence = evidence, .side = side};
    struct problems problems = {0};
    struct job *job = NULL;
    char *yaml;

    if (row_source_job_file(source, job_id, &yaml, err) < 0)
        return -1;
    /* The file of a job of an older version may not be valid any more; then its code is
     * unknown. */
    if (job_parse(&job, yaml, strlen(yaml), &problems) == 0)
        reader.commands = read_commands(job);
    else
        reader.commands = map_create();
    int result =
        row_source_each(source, MSG_LAUNCH_ROW, job_id, add_launch, &reader, err);
    if (result == 0)
        result = environments_read(gate_evidence_environments(evidence, side), source,
                                   job_id, err);
    destroy_commands(reader.commands);
    problems_clear(&problems);
    job_destroy(job);
    free(yaml);
    return result;
}
