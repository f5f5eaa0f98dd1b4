/* arguments_check.c - checks operator.args of a kernel file at the points of a job */
#include <string.h>

#include "lib/job/argument/argument.h"
#include "lib/job/job_reader.h"

/* The runner checks the arguments of each point before it starts the kernel. */
enum { POINTS_CHECKED = 10000 };

/* Returns the node of an argument, or of the section when an override can have replaced
 * the arguments. */
static const struct yaml_node *
node_of(const struct job_reader *reader, size_t place, char key[JOB_READER_KEY_MAX])
{
    const struct yaml_node *node = reader->args ? reader->args->first : NULL;

    for (size_t i = 0; i < reader->job->override_count; i++)
        if (reader->overrides[i].args)
            node = NULL;
    for (size_t i = 0; node && i < place; i++)
        node = node->next;
    job_reader_key(key, "operator.args", place);
    return node ? node : reader->section;
}

/* Returns false after a problem. */
static bool check_point(struct job_reader *reader, const struct job_point *point)
{
    for (size_t i = JOB_RUNNER_WORDS; i < point->command.count; i++) {
        char key[JOB_READER_KEY_MAX];
        struct argument argument;
        struct err err;
        int result = argument_parse(&argument, point->command.items[i], &err);

        argument_clear(&argument);
        if (result == 0)
            continue;
        const struct yaml_node *node = node_of(reader, i - JOB_RUNNER_WORDS, key);
        if (node->kind != YAML_TEXT || strstr(node->text, "${"))
            job_reader_complain(reader, node, key, "%s (at the point %.100s)", err.text,
                                point->text);
        else
            job_reader_complain(reader, node, key, "%s", err.text);
        return false;
    }
    return true;
}

void arguments_check(struct job_reader *reader)
{
    struct job *job = reader->job;
    struct job_points *points = job_points_create(job);
    struct job_point point;

    for (int i = 0; i < POINTS_CHECKED && job_points_next(points, &point); i++)
        if (strcmp(point.command.items[1], "kernel") != 0 ||
            !check_point(reader, &point))
            break;
    job_points_destroy(points);
}
