/* tool_read.c - checks the section `profile` against its tool
 *
 * The keys that tell inject what to do have an effect only with tool 'npu', and each
 * other tool has keys of its own. A key without an effect is refused. */
#include <stdio.h>

#include "lib/base/mem.h"
#include "lib/job/job_reader.h"

/* The keys that belong to one tool; all other keys of the section belong to 'npu'. */
static const struct {
    const char *name;
    enum job_tool tool;
} own_keys[] = {
    {"dump", JOB_TOOL_IREE},
    {"collect", JOB_TOOL_FRAMEWORK},
    {"streams", JOB_TOOL_XPTI},
    {"filter", JOB_TOOL_XPTI},
};

static enum job_tool tool_of_key(const struct yaml_node *key)
{
    for (size_t i = 0; i < COUNT(own_keys); i++)
        if (yaml_is(key, own_keys[i].name))
            return own_keys[i].tool;
    return JOB_TOOL_NPU;
}

static void
check_key(struct job_reader *reader, const struct yaml_node *node, enum job_tool tool)
{
    const enum job_tool needed = tool_of_key(node->key);
    char key[JOB_READER_KEY_MAX];

    if (yaml_is(node->key, "tool") || needed == tool)
        return;
    snprintf(key, sizeof(key), "profile.%.64s", node->key->text);
    if (needed == JOB_TOOL_NPU)
        job_reader_complain(reader, node->key, key,
                            "the key has no effect with tool '%s', whose program "
                            "records its data itself; remove it",
                            job_tool_word(tool));
    else
        job_reader_complain(reader, tool == JOB_TOOL_NPU ? node : node->key, key,
                            "the key has an effect only with tool '%s'; add "
                            "'tool: %s' or remove it",
                            job_tool_word(needed), job_tool_word(needed));
}

static void check_keys(struct job_reader *reader, enum job_tool tool)
{
    if (!reader->profile || reader->profile->kind != YAML_MAP)
        return;
    for (const struct yaml_node *node = reader->profile->first; node; node = node->next)
        check_key(reader, node, tool);
}

static void check_operator(struct job_reader *reader)
{
    const struct job_settings *settings = &reader->job->settings;
    const bool has_files = job_collects_files(settings->tool);

    if (settings->runner)
        job_reader_complain(reader, reader->section, "operator",
                            "a kernel or a library runs in muster-runner, which writes "
                            "no %s; use operator.command with tool '%s'",
                            has_files ? "files of its own" : "trace events",
                            job_tool_word(settings->tool));
    if (settings->threads)
        job_reader_complain(reader, reader->threads, "operator.threads",
                            "a process with several cards has no %s of each card; use "
                            "operator.ranks with tool '%s'",
                            has_files ? "files" : "trace",
                            job_tool_word(settings->tool));
}

void tool_read(struct job_reader *reader)
{
    struct job *job = reader->job;
    const enum job_tool tool = (enum job_tool)job->settings.tool;

    check_keys(reader, tool);
    for (size_t i = 0; i < job->override_count; i++)
        check_keys(&reader->overrides[i], tool);
    if (tool == JOB_TOOL_NPU)
        return;
    check_operator(reader);
    if (tool == JOB_TOOL_IREE && !reader->dump)
        job_reader_complain(
            reader, reader->profile, "profile.dump",
            "tool 'iree' needs the files that the program writes; add a "
            "pattern such as dump: \"*.idb\"");
    if (tool == JOB_TOOL_FRAMEWORK && !reader->collect)
        job_reader_complain(
            reader, reader->profile, "profile.collect",
            "tool 'framework' needs the folder that the program writes its profile to; "
            "add a pattern such as collect: \"*_ascend_pt\"");
    job->settings.metrics.count = 0;
    job->settings.metric_bits = 0;
}
