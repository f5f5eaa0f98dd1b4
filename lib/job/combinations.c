/* combinations.c - reports keys that have no effect, or no result, beside other keys */
#include <stdio.h>

#include "lib/base/mem.h"
#include "lib/capture/counter_schedule.h"
#include "lib/job/job_reader.h"

/* Returns true when the key has no effect with these settings. */
typedef bool useless_fn(const struct job_settings *settings);

static bool is_not_random(const struct job_settings *settings)
{
    return settings->order != JOB_RANDOM;
}

static bool is_not_balanced(const struct job_settings *settings)
{
    return settings->order != JOB_BALANCED;
}

static bool starts_per_pass(const struct job_settings *settings)
{
    return settings->replay == JOB_REPLAY_APPLICATION;
}

static bool has_one_rank(const struct job_settings *settings)
{
    return settings->ranks == 1;
}

static const struct rule {
    const char *section, *name;
    useless_fn *is_useless;
    const char *reason;
} rules[] = {
    {"sweep", "seed", is_not_random,
     "a seed has an effect only with 'order: random'; remove it or set the order"},
    {"sweep", "sessions", is_not_balanced,
     "sessions have an effect only with 'order: balanced'; remove them or set the "
     "order"},
    {"profile", "kill", starts_per_pass,
     "each start of an application replay runs to its end; remove kill or use another "
     "replay"},
    {"profile", "distribute", starts_per_pass,
     "each start of an application replay makes one pass, so ranks cannot share "
     "passes; remove distribute or use another replay"},
    {"profile", "distribute", has_one_rank,
     "only several ranks can share passes; remove distribute, or set operator.ranks or "
     "operator.threads"},
};

/* Returns the node of a key, or NULL when it is absent or switches nothing on. */
static const struct yaml_node *find(const struct yaml_node *map,
                                    const struct rule *rule)
{
    const struct yaml_node *section = yaml_get(map, rule->section);
    const struct yaml_node *node =
        section && section->kind == YAML_MAP ? yaml_get(section, rule->name) : NULL;

    return node && (yaml_is(node, "off") || yaml_is(node, "false")) ? NULL : node;
}

static void check_rules(struct job_reader *reader, const struct yaml_node *map)
{
    for (size_t i = 0; i < COUNT(rules); i++) {
        const struct yaml_node *node = find(map, &rules[i]);
        char key[JOB_READER_KEY_MAX];

        if (!node || !rules[i].is_useless(&reader->job->settings))
            continue;
        snprintf(key, sizeof(key), "%s.%s", rules[i].section, rules[i].name);
        job_reader_complain(reader, node->key, key, "%s", rules[i].reason);
    }
}

/* An override is read by a reader of its own, which has no settings of the job. */
static void check_overrides(struct job_reader *reader, const struct yaml_node *root)
{
    const struct yaml_node *list = yaml_get(root, "overrides");
    size_t i = 0;

    if (!list || !reader->overrides)
        return;
    for (const struct yaml_node *map = list->first; map; map = map->next, i++)
        if (map->kind == YAML_MAP)
            check_rules(&reader->overrides[i], map);
}

/* The instrumented kernel runs beside the replays of a single launch. */
static void check_instrumented(struct job_reader *reader,
                               const struct yaml_node *node,
                               const char *key,
                               unsigned bits)
{
    if (reader->job->settings.replay != JOB_REPLAY_KERNEL &&
        bits & (METRIC_MEMORY_DETAIL | METRIC_SOURCE | METRIC_TIMELINES |
                METRIC_PC_SAMPLING))
        job_reader_complain(reader, node, key,
                            "metric '%s' needs 'replay: kernel'; remove the metric or "
                            "change profile.replay",
                            node->text);
}

/* Every chip that matches cards.soc must have the metric. */
static void check_chip(struct job_reader *reader,
                       const struct yaml_node *node,
                       const char *key,
                       unsigned bits)
{
    enum chip chip = chip_of_soc(reader->job->settings.soc);
    struct err err;

    if (chip != CHIP_UNKNOWN && metrics_check(chip, bits, &err) < 0)
        job_reader_complain(reader, node, key, "cards.soc is '%s': %s",
                            reader->job->settings.soc, err.text);
}

/* The gate compares with the job that compare.against names. */
static void check_gate(struct job_reader *reader, const struct yaml_node *root)
{
    const struct yaml_node *gate = yaml_get(root, "gate");

    if (gate && !reader->job->settings.compare_against[0])
        job_reader_complain(reader, gate->key, "gate",
                            "a gate compares the job with compare.against; add "
                            "compare: {against: NAME}");
}

static void check_metrics(struct job_reader *reader, const struct yaml_node *root)
{
    static const struct rule metrics = {"profile", "metrics", NULL, NULL};
    const struct yaml_node *list = find(root, &metrics);
    char key[JOB_READER_KEY_MAX];
    size_t i = 0;

    if (!list || list->kind != YAML_LIST || reader->job->settings.tool != JOB_TOOL_NPU)
        return;
    for (const struct yaml_node *node = list->first; node; node = node->next) {
        unsigned bits = 0;
        struct err ignored;

        job_reader_key(key, "profile.metrics", i++);
        if (node->kind != YAML_TEXT || metric_parse(node->text, &bits, &ignored) < 0)
            continue; /* reported before */
        if (bits & METRIC_SIMULATED)
            continue; /* see tool_read() */
        check_instrumented(reader, node, key, bits);
        check_chip(reader, node, key, bits);
    }
}

/* The worker ends a program after a number of launches. An override can set the number,
 * so that kill has an effect on some points. */
static void check_kill(struct job_reader *reader, const struct yaml_node *root)
{
    static const struct rule kill = {"profile", "kill", NULL, NULL};
    const struct yaml_node *node = find(root, &kill);

    if (node && reader->job->settings.launch_count == 0 && !yaml_get(root, "overrides"))
        job_reader_complain(
            reader, node->key, "profile.kill",
            "a program whose launches are all measured runs to its end; "
            "remove kill, or set profile.launch.count to a number");
}

/* A curve needs several sizes. */
static void check_scaling(struct job_reader *reader, const struct yaml_node *root)
{
    static const struct rule scaling = {"sweep", "scaling", NULL, NULL};
    const struct yaml_node *node = find(root, &scaling);

    if (node && !reader->job->ranks)
        job_reader_complain(
            reader, node->key, "sweep.scaling",
            "the key names how the work grows with the number of ranks, "
            "which is the same for all points; remove it, or take "
            "operator.ranks from the sweep");
}

void combinations_check(struct job_reader *reader, const struct yaml_node *root)
{
    if (root->kind != YAML_MAP)
        return;
    check_rules(reader, root);
    check_overrides(reader, root);
    check_metrics(reader, root);
    check_kill(reader, root);
    check_gate(reader, root);
    check_scaling(reader, root);
}
