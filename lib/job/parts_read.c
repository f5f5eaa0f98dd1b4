/* parts_read.c - operator.overlap: each point runs as the operator, as each of its two
 * halves alone, and as both in sequence */
#include "lib/base/mem.h"
#include "lib/job/axes.h"
#include "lib/job/pattern_reader.h"

const struct value parts_values[] = {
    [JOB_PART_FUSED] = {.text = "fused"},
    [JOB_PART_COMPUTE] = {.text = "compute"},
    [JOB_PART_COMMUNICATION] = {.text = "communication"},
    [JOB_PART_SERIAL] = {.text = "serial"},
};

static const char *const keys[] = {"operator.overlap.compute",
                                   "operator.overlap.communication",
                                   "operator.overlap.serial"};

static const struct yaml_node *find_part(const struct job_reader *reader)
{
    for (size_t i = 0; i < COUNT(reader->overlap); i++)
        if (reader->overlap[i])
            return reader->overlap[i];
    return NULL;
}

void parts_read_axis(struct axes *axes)
{
    const struct yaml_node *node = find_part(axes->reader);

    if (node)
        axes_add_fixed(axes, node->key, "operator.overlap", "part", parts_values,
                       COUNT(parts_values));
}

void parts_read(struct pattern_reader *patterns)
{
    struct job_reader *reader = patterns->reader;

    for (size_t i = 0; i < COUNT(keys); i++)
        if (reader->overlap[i])
            pattern_reader_list(patterns, &reader->job->parts[i], reader->overlap[i],
                                keys[i]);
}

void parts_check(struct job_reader *reader)
{
    const struct yaml_node *node = find_part(reader);

    if (node && reader->job->settings.runner)
        job_reader_complain(reader, node->key, "operator.overlap",
                            "a kernel or a library runs on one card and hides no "
                            "communication; remove the key or use operator.command");
    else if (node && reader->job->settings.launch_count == 1 &&
             reader->job->settings.replay == JOB_REPLAY_KERNEL &&
             reader->job->override_count == 0 &&
             !(reader->profile && yaml_get(reader->profile, "launch")))
        job_reader_complain(reader, node->key, "operator.overlap",
                            "the sequence has several launches, but only the first "
                            "one is measured; set profile.launch: {count: all}, and "
                            "profile.kernel to the launches that count");
}
