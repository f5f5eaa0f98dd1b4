/* tool_read.c - checks the section `profile` against its tool
 *
 * The keys that tell inject what to do have an effect only with tool 'npu', and each
 * other tool has keys of its own. A key without an effect is refused. */
#include <stdio.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/capture/core_list.h"
#include "lib/capture/counter_schedule.h"
#include "lib/job/job_reader.h"

/* The keys that belong to one tool; all other keys of the section belong to 'npu'. */
static const struct {
    const char *name;
    enum job_tool tool;
} own_keys[] = {
    {"dump", JOB_TOOL_IREE},     {"collect", JOB_TOOL_FRAMEWORK},
    {"streams", JOB_TOOL_XPTI},  {"filter", JOB_TOOL_XPTI},
    {"elf", JOB_TOOL_SIMULATOR}, {"cores", JOB_TOOL_SIMULATOR},
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

    if (yaml_is(node->key, "tool") || needed == tool ||
        (yaml_is(node->key, "metrics") && tool == JOB_TOOL_SIMULATOR))
        return;
    snprintf(key, sizeof(key), "profile.%.64s", node->key->text);
    if (needed == JOB_TOOL_NPU)
        job_reader_complain(reader, node->key, key,
                            "the key has no effect with tool '%s', which measures "
                            "without inject; remove it",
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
    static const char *const nouns[] = {[JOB_TOOL_IREE] = "files",
                                        [JOB_TOOL_XPTI] = "trace",
                                        [JOB_TOOL_FRAMEWORK] = "files",
                                        [JOB_TOOL_SIMULATOR] = "simulation"};
    const struct job_settings *settings = &reader->job->settings;
    const bool has_files = job_collects_files(settings->tool);
    const bool is_simulation = settings->tool == JOB_TOOL_SIMULATOR;

    if (settings->runner && !is_simulation)
        job_reader_complain(reader, reader->section, "operator",
                            "a kernel or a library runs in muster-runner, which writes "
                            "no %s; use operator.command with tool '%s'",
                            has_files ? "files of its own" : "trace events",
                            job_tool_word(settings->tool));
    if (reader->renew && settings->renew > 0 && is_simulation)
        job_reader_complain(reader, reader->renew, "operator.renew",
                            "the simulator runs each point in a process of its own; "
                            "remove it");
    if (settings->threads)
        job_reader_complain(reader, reader->threads, "operator.threads",
                            "a process with several cards has no %s of each card; use "
                            "operator.ranks with tool '%s'",
                            nouns[settings->tool], job_tool_word(settings->tool));
    else if (settings->ranks > 1 && is_simulation)
        job_reader_complain(reader, reader->ranks, "operator.ranks",
                            "the simulator executes one card; remove it");
}

/* Returns the list `metrics` of the section, or NULL. */
static const struct yaml_node *find_metrics(const struct job_reader *reader)
{
    return reader->profile && reader->profile->kind == YAML_MAP
               ? yaml_get(reader->profile, "metrics")
               : NULL;
}

/* Checks that the tool has each metric of the list. */
static void check_metrics(struct job_reader *reader, bool is_simulation)
{
    const struct yaml_node *list = find_metrics(reader);
    char key[JOB_READER_KEY_MAX];
    size_t i = 0;

    if (!list || list->kind != YAML_LIST)
        return;
    for (const struct yaml_node *node = list->first; node; node = node->next, i++) {
        const char *place = job_reader_key(key, "profile.metrics", i);
        unsigned bits;
        struct err ignored;

        if (node->kind != YAML_TEXT || metric_parse(node->text, &bits, &ignored) < 0)
            continue; /* reported before */
        if (!is_simulation && (bits & METRIC_SIMULATED))
            job_reader_complain(reader, node, place,
                                "metric '%.64s' comes from the vendor's instruction "
                                "simulator; add 'tool: simulator' or remove it",
                                node->text);
        if (is_simulation && bits != METRIC_RESOURCE_CONFLICT &&
            !(bits & METRIC_SIMULATED))
            job_reader_complain(reader, node, place,
                                "the simulator has no metric '%.64s'; use "
                                "TimelineDetail, PMSampling, OverHead or "
                                "ResourceConflictRatio",
                                node->text);
    }
    if (is_simulation && list->count == 0)
        job_reader_complain(reader, list, "profile.metrics",
                            "the list is empty; remove it, or name a metric");
}

static void read_simulation(struct job_reader *reader)
{
    struct job_settings *settings = &reader->job->settings;
    struct core_list ignored;
    struct text names = {0};
    const char *name;
    unsigned bits;
    struct err err;

    settings->renew = 0;
    if (!find_metrics(reader))
        settings->metric_bits = METRIC_TIMELINE_DETAIL;
    for (size_t i = 0; (name = metric_name(i, &bits)); i++)
        if (bits == METRIC_RESOURCE_CONFLICT || bits & METRIC_SIMULATED)
            if (settings->metric_bits & bits)
                text_printf(&names, "%s%s", names.length ? "," : "", name);
    settings->simulation = arena_strdup(reader->job->arena, text_get(&names));
    text_clear(&names);
    if (!reader->cores)
        return;
    settings->cores = job_reader_text(reader, reader->cores, "profile.cores", 127);
    if (!settings->cores)
        settings->cores = ""; /* reported */
    else if (core_list_parse(&ignored, settings->cores, &err) < 0)
        job_reader_complain(reader, reader->cores, "profile.cores", "%s", err.text);
}

void tool_read(struct job_reader *reader)
{
    struct job *job = reader->job;
    const enum job_tool tool = (enum job_tool)job->settings.tool;

    check_keys(reader, tool);
    for (size_t i = 0; i < job->override_count; i++)
        check_keys(&reader->overrides[i], tool);
    check_metrics(reader, tool == JOB_TOOL_SIMULATOR);
    if (tool == JOB_TOOL_NPU)
        return;
    check_operator(reader);
    if (tool == JOB_TOOL_SIMULATOR)
        read_simulation(reader);
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
