/* tool_read.c - checks the section `profile` of a job that is not measured by inject
 *
 * The program of such a job records its data itself, so the keys that tell inject what
 * to do have no effect and are refused. */
#include <stdio.h>

#include "lib/job/job_reader.h"

/* Returns the node of profile.dump in the job or in the first override with one. */
static const struct yaml_node *find_dump(const struct job_reader *reader)
{
    if (reader->dump)
        return reader->dump;
    for (size_t i = 0; i < reader->job->override_count; i++)
        if (reader->overrides[i].dump)
            return reader->overrides[i].dump;
    return NULL;
}

/* Complains of each key of the section that belongs to inject. */
static void check_keys(struct job_reader *reader)
{
    const char *word = job_tool_word(reader->job->settings.tool);
    char key[JOB_READER_KEY_MAX];

    if (!reader->profile || reader->profile->kind != YAML_MAP)
        return;
    for (const struct yaml_node *node = reader->profile->first; node;
         node = node->next) {
        if (yaml_is(node->key, "tool") || yaml_is(node->key, "dump"))
            continue;
        snprintf(key, sizeof(key), "profile.%.64s", node->key->text);
        job_reader_complain(reader, node->key, key,
                            "the key has no effect with tool '%s', whose program "
                            "records its data itself; remove it",
                            word);
    }
}

static void check_operator(struct job_reader *reader)
{
    const struct job_settings *settings = &reader->job->settings;

    if (settings->runner)
        job_reader_complain(reader, reader->section, "operator",
                            "a kernel or a library runs in muster-runner, which writes "
                            "no dump; use operator.command with tool 'iree'");
    if (settings->threads)
        job_reader_complain(
            reader, reader->threads, "operator.threads",
            "a process with several cards has no dump of each card; use "
            "operator.ranks with tool 'iree'");
}

void tool_read(struct job_reader *reader)
{
    struct job *job = reader->job;

    if (job->settings.tool == JOB_TOOL_NPU) {
        if (find_dump(reader))
            job_reader_complain(reader, find_dump(reader), "profile.dump",
                                "the key has an effect only with tool 'iree'; add "
                                "'tool: iree' or remove it");
        return;
    }
    check_keys(reader);
    for (size_t i = 0; i < job->override_count; i++)
        check_keys(&reader->overrides[i]);
    check_operator(reader);
    if (!reader->dump)
        job_reader_complain(
            reader, reader->profile, "profile.dump",
            "tool 'iree' needs the files that the program writes; add a "
            "pattern such as dump: \"*.idb\"");
    job->settings.metrics.count = 0;
    job->settings.metric_bits = 0;
}
