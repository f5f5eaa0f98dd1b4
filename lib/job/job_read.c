/* job_read.c - reads a job file into a job, by a table of all keys */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/capture/counter_schedule.h"
#include "lib/job/job_files.h"
#include "lib/job/key_types.h"

/* LATER: a key of a later version, rejected here; POINT: also allowed in overrides */
enum { OPTIONAL = 0, REQUIRED = 1, LATER = 2, POINT = 4 };

static key_read_fn read_section, read_overrides, read_gate, read_confirm;

static const char *const orders[] = {"interleaved", "sequential", "random",
                                     "balanced",    NULL,         NULL};
static const char *const scalings[] = {"strong", "weak", NULL, NULL};
/* The words with an odd index switch the feature on; key_read_switch() relies on it. */
static const char *const switches[] = {"off", "on", "false", "true", NULL, NULL};
static const char *const replays[] = {"kernel", "application", "range", NULL, NULL};
static const char *const tools[] = {"npu",       "iree", "xpti", "framework",
                                    "simulator", NULL,   NULL}; /* enum job_tool */
static const char *const nearness[] = {"any", "switch", "host", NULL, NULL};
static const char *const exclusives[] = {"card", "host", NULL, NULL};
/* in the order of the bits of enum job_retry_on */
static const char *const classes[] = {"worker-lost",
                                      "timeout",
                                      "failed",
                                      "exit-code",
                                      "signal",
                                      "rank-missing",
                                      "not-injected",
                                      "nothing-profiled",
                                      "too-few-launches",
                                      NULL,
                                      NULL};

static const char *const count_words[] = {"all", NULL, NULL}; /* launch_count 0 */

/* in the order of enum job_gate_fail, enum job_gate_cause */
static const char *const fails[] = {"regressed", "not-measured", "improved",
                                    "undecided", NULL,           NULL};
static const char *const causes[] = {"code",        "card",    "host", "link",
                                     "environment", "unknown", NULL,   NULL};

#define SET(member)  offsetof(struct job_settings, member)
#define KEEP(member) offsetof(struct job_reader, member)

/* A row may omit its last members, which are then 0 or NULL. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
static const struct row rows[] = {
    {"", "version", REQUIRED, key_read_version},
    {"", "name", REQUIRED, key_read_name, SET(name)},
    {"", "include", OPTIONAL, key_read_include},
    {"", "priority", OPTIONAL, key_read_u64, SET(priority), 0, JOB_PRIORITY_MAX},
    {"", "after", OPTIONAL, key_read_after, SET(after)},
    {"", "operator", REQUIRED | POINT, read_section},
    {"", "sweep", OPTIONAL, read_section},
    {"", "overrides", OPTIONAL, read_overrides},
    {"", "profile", POINT, read_section},
    {"", "cards", OPTIONAL, read_section},
    {"", "limits", POINT, read_section},
    {"", "compare", OPTIONAL, read_section},
    {"", "gate", OPTIONAL, read_gate},
    {"operator", "command", POINT, key_read_later, KEEP(command)},
    {"operator", "kernel", POINT, key_read_later, KEEP(kernel_file)},
    {"operator", "config", OPTIONAL, key_read_config},
    {"operator", "library", POINT, key_read_later, KEEP(library)},
    {"operator", "entry", POINT, key_read_later, KEEP(entry)},
    {"operator", "blocks", POINT, key_read_later, KEEP(blocks)},
    {"operator", "args", POINT, key_read_later, KEEP(args)},
    {"operator", "renew", OPTIONAL, key_read_later, KEEP(renew)},
    {"operator", "ranks", OPTIONAL, key_read_later, KEEP(ranks)},
    {"operator", "threads", OPTIONAL, key_read_later, KEEP(threads)},
    {"operator", "env", POINT, key_read_later, KEEP(env)},
    {"operator", "cwd", POINT, key_read_later, KEEP(cwd)},
    {"operator", "version", POINT, read_section},
    {"operator.version", "path", POINT, key_read_later, KEEP(version_path)},
    {"operator.version", "container", POINT, key_read_later, KEEP(container)},
    {"operator.version", "environment", POINT, key_read_later, KEEP(environment)},
    {"operator", "overlap", OPTIONAL, read_section},
    {"operator.overlap", "compute", REQUIRED, key_read_later, KEEP(overlap[0])},
    {"operator.overlap", "communication", REQUIRED, key_read_later, KEEP(overlap[1])},
    {"operator.overlap", "serial", REQUIRED, key_read_later, KEEP(overlap[2])},
    {"sweep", "matrix", OPTIONAL, key_read_later, KEEP(matrix)},
    {"sweep", "zip", OPTIONAL, key_read_later, KEEP(zip)},
    {"sweep", "exclude", OPTIONAL, key_read_later, KEEP(exclude)},
    {"sweep", "include", OPTIONAL, key_read_later, KEEP(include)},
    {"sweep", "repeat", OPTIONAL, key_read_u64, SET(repeat), 1, JOB_REPEAT_MAX},
    {"sweep", "order", OPTIONAL, key_read_choice, SET(order), .words = orders},
    {"sweep", "seed", OPTIONAL, key_read_u64, SET(seed), 0, UINT64_MAX},
    {"sweep", "sessions", OPTIONAL, key_read_u64, SET(sessions), 1, JOB_SESSIONS_MAX},
    {"sweep", "scaling", OPTIONAL, key_read_choice, SET(scaling), .words = scalings},
    {"profile", "tool", OPTIONAL, key_read_choice, SET(tool), .words = tools},
    {"profile", "streams", OPTIONAL, key_read_patterns, SET(streams), 0, 255},
    {"profile", "filter", OPTIONAL, key_read_patterns, SET(filter), 0, 255},
    {"profile", "dump", POINT, key_read_later, KEEP(dump)},
    {"profile", "collect", POINT, key_read_later, KEEP(collect)},
    {"profile", "elf", POINT, key_read_later, KEEP(elf)},
    {"profile", "cores", OPTIONAL, key_read_later, KEEP(cores)},
    {"profile", "metrics", OPTIONAL, key_read_metrics},
    {"profile", "replay", OPTIONAL, key_read_choice, SET(replay), .words = replays},
    {"profile", "warmup", POINT, key_read_u64, SET(warmup), 0, 1000},
    {"profile", "kernel", POINT, key_read_later, KEEP(kernel)},
    {"profile", "launch", POINT, read_section},
    {"profile", "kill", POINT, key_read_switch, SET(kill), .words = switches},
    {"profile", "distribute", OPTIONAL, key_read_share, SET(distribute)},
    {"profile", "stubs", OPTIONAL, key_read_switch, SET(stubs), .words = switches},
    {"profile", "custom_input", OPTIONAL, key_read_custom_input, SET(custom_input)},
    {"profile", "barrier", POINT, read_section},
    {"profile.barrier", "deadline", POINT, key_read_time, SET(barrier_ms), 10, 3600000},
    {"profile.launch", "count", POINT, key_read_count, SET(launch_count), 1, 100000,
     count_words},
    {"profile.launch", "skip", POINT, key_read_u64, SET(launch_skip), 0, 1000000000},
    {"profile.launch", "range", POINT, key_read_patterns, SET(launch_range), 0, 255},
    {"cards", "soc", OPTIONAL, key_read_text, SET(soc), 0, 64},
    {"cards", "hosts", OPTIONAL, key_read_later, KEEP(hosts)},
    {"cards", "per_host", OPTIONAL, key_read_later, KEEP(per_host)},
    {"cards", "host_cap", OPTIONAL, key_read_u64, SET(host_cap), 1, JOB_CARDS_MAX},
    {"cards", "together", OPTIONAL, key_read_choice, SET(together), .words = nearness},
    {"cards", "exclusive", OPTIONAL, key_read_choice, SET(exclusive),
     .words = exclusives},
    {"cards", "ids", OPTIONAL, key_read_later, KEEP(ids)},
    {"cards", "at", OPTIONAL, key_read_later, KEEP(at)},
    {"cards", "rotate", OPTIONAL, key_read_later, KEEP(rotate)},
    {"cards", "pairs", OPTIONAL, key_read_later, KEEP(pairs)},
    {"limits", "time", POINT, key_read_time, SET(time_ms), 1, 30ull * 86400000},
    {"limits", "retries", POINT, key_read_u64, SET(retries), 0, 100},
    {"limits", "on", POINT, key_read_bits, SET(retry_on), .words = classes},
    {"compare", "against", REQUIRED, key_read_text, SET(compare_against), 0, 64},
    {"compare", "metric", OPTIONAL, key_read_text, SET(compare_metric), 0, 64},
    {"compare", "tolerance", OPTIONAL, key_read_share, SET(compare_tolerance)},
    {"gate", "fail", OPTIONAL, key_read_bits, SET(gate.fail), .words = fails},
    {"gate", "causes", OPTIONAL, key_read_bits, SET(gate.causes), .words = causes},
    {"gate", "anchor", OPTIONAL, key_read_text, SET(gate.anchor), 0, 64},
    {"gate", "canary", OPTIONAL, key_read_text, SET(gate.canary), 0, 256},
    {"gate", "confirm", OPTIONAL, read_confirm, SET(gate.confirm.wanted),
     .words = switches},
    {"gate.confirm", "pairs", OPTIONAL, key_read_u64, SET(gate.confirm.pairs),
     JOB_CONFIRM_PAIRS_LEAST, JOB_CONFIRM_PAIRS_MOST},
    {"gate.confirm", "sessions", OPTIONAL, key_read_u64, SET(gate.confirm.sessions), 1,
     JOB_CONFIRM_SESSIONS_MOST},
    {"gate.confirm", "cards", OPTIONAL, key_read_u64, SET(gate.confirm.cards), 1,
     JOB_CONFIRM_CARDS_MOST},
    {"gate.confirm", "suspects", OPTIONAL, key_read_u64, SET(gate.confirm.suspects), 1,
     JOB_CONFIRM_SUSPECTS_MOST},
    {"gate.confirm", "time", OPTIONAL, key_read_time, SET(gate.confirm.time_ms), 1000,
     30ull * 86400000},
    {"gate", "rotate", OPTIONAL, key_read_later, KEEP(gate_rotate)},
    {"gate", "alpha", OPTIONAL, key_read_probability, SET(gate.alpha)},
    {"gate", "discoveries", OPTIONAL, key_read_probability, SET(gate.discoveries)},
    {"gate", "undecided", OPTIONAL, key_read_probability, SET(gate.undecided)},
    {"gate", "tolerances", OPTIONAL, key_read_later, KEEP(tolerances)},
};
#pragma GCC diagnostic pop

bool job_key_at(size_t i, struct job_key *key)
{
    if (i >= COUNT(rows))
        return false;
    *key = (struct job_key){.section = rows[i].section,
                            .name = rows[i].name,
                            .required = rows[i].flags & REQUIRED,
                            .later = rows[i].flags & LATER,
                            .point = rows[i].flags & POINT,
                            .whole = rows[i].read == key_read_u64 ||
                                     rows[i].read == key_read_count,
                            .least = rows[i].least,
                            .most = rows[i].most,
                            .words = rows[i].words};
    return true;
}

unsigned job_retry_class(const char *word)
{
    for (int i = 0; classes[i]; i++)
        if (strcmp(classes[i], word) == 0)
            return 1u << i;
    return 0;
}

static void complain_of_key(struct job_reader *reader,
                            const char *section,
                            const struct yaml_node *key)
{
    const char *known[COUNT(rows) + 2];
    char path[JOB_READER_KEY_MAX];
    size_t count = 0;

    for (size_t i = 0; i < COUNT(rows); i++)
        if (strcmp(rows[i].section, section) == 0 &&
            (!reader->override || rows[i].flags & POINT))
            known[count++] = rows[i].name;
    if (reader->override && !*section)
        known[count++] = "when";
    known[count] = NULL;
    snprintf(path, sizeof(path), "%s%s%.64s", section, section[0] ? "." : "",
             key->text);
    job_reader_complain_of_word(reader, key, path, "key", known);
}

/* Returns the size of the member of struct job_settings that an override sets, or 0. */
static size_t size_of(const struct row *row)
{
    static const struct {
        key_read_fn *read;
        size_t size;
    } sizes[] = {
        {key_read_text, sizeof(const char *)},     {key_read_u64, sizeof(uint64_t)},
        {key_read_time, sizeof(uint64_t)},         {key_read_switch, sizeof(bool)},
        {key_read_count, sizeof(uint64_t)},        {key_read_bits, sizeof(unsigned)},
        {key_read_patterns, sizeof(const char *)},
    };

    for (size_t i = 0; i < COUNT(sizes); i++)
        if (sizes[i].read == row->read)
            return sizes[i].size;
    return 0; /* a section, or a node that is read later */
}

static void read_key(struct job_reader *reader,
                     const struct row *row,
                     const struct yaml_node *node,
                     const char *path)
{
    struct override *override = reader->override;
    size_t size = size_of(row);

    row->read(reader, row, node, path);
    if (override && size > 0 && override->set_count < COUNT(override->set))
        override->set[override->set_count++] = (struct member){row->offset, size};
}

static void read_member(struct job_reader *reader,
                        const char *section,
                        const struct yaml_node *node)
{
    char path[JOB_READER_KEY_MAX];

    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct row *row = &rows[i];

        if (strcmp(row->section, section) != 0 || !yaml_is(node->key, row->name))
            continue;
        snprintf(path, sizeof(path), "%s%s%s", section, section[0] ? "." : "",
                 row->name);
        if (row->flags & LATER)
            job_reader_complain(
                reader, node->key, path,
                "this version of muster does not support '%s'; remove it", row->name);
        else if (reader->override && !(row->flags & POINT))
            job_reader_complain(
                reader, node->key, path,
                "'%s' is the same for all points of a job; set it outside of overrides",
                row->name);
        else
            read_key(reader, row, node, path);
        return;
    }
    complain_of_key(reader, section, node->key);
}

static void read_members(struct job_reader *reader,
                         const char *section,
                         const struct yaml_node *map)
{
    if (!job_reader_is(reader, map, section, YAML_MAP))
        return;
    for (const struct yaml_node *node = map->first; node; node = node->next)
        read_member(reader, section, node);
    for (size_t i = 0; i < COUNT(rows); i++)
        if (rows[i].flags & REQUIRED && !reader->override &&
            strcmp(rows[i].section, section) == 0 && !yaml_get(map, rows[i].name))
            job_reader_complain(reader, map, section,
                                "the required key '%s' is missing; add it",
                                rows[i].name);
}

static void read_section(struct job_reader *reader,
                         const struct row *row,
                         const struct yaml_node *node,
                         const char *key)
{
    (void)row;
    if (strcmp(key, "operator") == 0)
        reader->section = node;
    if (strcmp(key, "sweep") == 0) {
        reader->sweep = node;
        reader->repeat = yaml_get(node, "repeat");
    }
    if (strcmp(key, "cards") == 0)
        reader->cards = node;
    if (strcmp(key, "profile") == 0)
        reader->profile = node;
    read_members(reader, key, node);
}

/* Reads one override. It has its own reader, which stores nodes until all variables of
 * the sweep are read. */
static void read_override(struct job_reader *reader,
                          const struct yaml_node *map,
                          struct job_reader *out,
                          struct override *override,
                          size_t place)
{
    *out = (struct job_reader){
        .job = reader->job,
        .problems = reader->problems,
        .override = override,
        .prefix = arena_printf(reader->job->arena, "overrides[%zu]", place),
        .when = yaml_get(map, "when"),
    };
    if (!job_reader_is(out, map, "", YAML_MAP))
        return;
    if (!out->when)
        job_reader_complain(
            out, map, "when",
            "the condition 'when' is missing; add one, such as when: \"m == 1\"");
    for (const struct yaml_node *node = map->first; node; node = node->next)
        if (node != out->when)
            read_member(out, "", node);
}

static void read_overrides(struct job_reader *reader,
                           const struct row *row,
                           const struct yaml_node *list,
                           const char *key)
{
    struct job *job = reader->job;

    (void)row;
    if (!job_reader_is(reader, list, key, YAML_LIST))
        return;
    if (list->count > JOB_OVERRIDES_MAX) {
        job_reader_complain(reader, list, key,
                            "the list has %zu overrides, at most %d are allowed",
                            list->count, JOB_OVERRIDES_MAX);
        return;
    }
    job->overrides = arena_calloc(job->arena, list->count, sizeof(*job->overrides));
    reader->overrides = xcalloc(list->count, sizeof(*reader->overrides));
    for (const struct yaml_node *node = list->first; node; node = node->next) {
        size_t place = job->override_count++;

        read_override(reader, node, &reader->overrides[place], &job->overrides[place],
                      place);
    }
}

/* An empty section is valid: it has the defaults. */
static void read_gate(struct job_reader *reader,
                      const struct row *row,
                      const struct yaml_node *node,
                      const char *key)
{
    reader->job->settings.gate.given = true;
    if (node->kind != YAML_MAP || node->count > 0)
        read_section(reader, row, node, key);
}

/* Reads a switch, or the settings of confirmations, which switch them on. */
static void read_confirm(struct job_reader *reader,
                         const struct row *row,
                         const struct yaml_node *node,
                         const char *key)
{
    if (node->kind == YAML_MAP)
        read_section(reader, row, node, key);
    else
        key_read_switch(reader, row, node, key);
}

static struct job *create_job(void)
{
    static const char *default_metrics[] = {"Default", NULL};
    struct job *job = xcalloc(1, sizeof(*job));

    job->arena = arena_create(16384);
    job->settings = (struct job_settings){
        .priority = JOB_PRIORITY_MAX / 2,
        .ranks = 1,
        .repeat = 1,
        .sessions = 1,
        .scaling = JOB_SCALING_UNKNOWN,
        .metrics = {default_metrics, 1},
        .metric_bits = METRIC_TABLES,
        .warmup = 5,
        .launch_count = 1,
        .launch_range = "",
        .streams = "",
        .filter = "",
        .simulation = "",
        .cores = "",
        .soc = "*",
        .barrier_ms = 10000,
        .time_ms = 600000,
        .retries = 2,
        .retry_on = JOB_RETRY_WORKER_LOST | JOB_RETRY_TIMEOUT,
        .compare_against = "",
        .custom_input = "",
        .compare_metric = "duration_us",
        .compare_tolerance = 0.02,
        .gate = {.fail = JOB_FAIL_REGRESSED | JOB_FAIL_NOT_MEASURED,
                 .causes = JOB_CAUSE_ALL,
                 .anchor = "",
                 .canary = "",
                 .confirm = {.wanted = true,
                             .pairs = 8,
                             .sessions = 2,
                             .cards = 3,
                             .suspects = 30,
                             .time_ms = 3600000},
                 .alpha = 0.01,
                 .discoveries = 0.05,
                 .undecided = 0.05},
    };
    return job;
}

/* Counts points and tasks. Call it only when no problem was found before. */
static void count_points(struct job_reader *reader)
{
    struct job *job = reader->job;

    if (job->sweep.include_count)
        include_check(reader);
    sweep_count(&job->sweep);
    if (job->sweep.points == 0)
        job_reader_complain(
            reader, reader->exclude, "sweep.exclude",
            "the expressions exclude all %llu points; remove or correct one of them",
            (unsigned long long)job->sweep.combinations);
    else if (job->sweep.points * job->settings.repeat > JOB_TASKS_MAX)
        job_reader_complain(reader, reader->repeat, "sweep.repeat",
                            "%llu points x %llu repeats are more than %d tasks; lower "
                            "repeat or divide the job",
                            (unsigned long long)job->sweep.points,
                            (unsigned long long)job->settings.repeat, JOB_TASKS_MAX);
    override_check(reader);
    if (reader->at)
        places_check(reader);
    if (reader->args && reader->job->settings.runner && reader->problems->count == 0)
        arguments_check(reader);
}

static void read_job(struct job_reader *reader, const struct yaml_node *root)
{
    read_members(reader, "", root);
    sweep_read_axes(reader);
    sweep_read_excludes(reader);
    override_read(reader);
    gate_read_tolerances(reader);
    operator_read(reader);
    parts_check(reader);
    gang_read(reader);
    rotation_check(reader);
    tool_read(reader);
    combinations_check(reader, root);
    if (reader->problems->count == 0)
        count_points(reader);
}

/* Reads the job from a tree. `root` is NULL when the syntax error is in `problems`. */
static int
read_tree(struct job **out, const struct yaml_node *root, struct problems *problems)
{
    struct job_reader reader = {.job = create_job(), .problems = problems};

    if (root)
        read_job(&reader, root);
    free(reader.included);
    free(reader.overrides);
    if (problems->count) {
        problems_sort(problems);
        job_destroy(reader.job);
        return -1;
    }
    *out = reader.job;
    return 0;
}

int job_parse(struct job **out,
              const char *text,
              size_t size,
              struct problems *problems)
{
    struct arena *nodes = arena_create(65536);
    const struct yaml_node *root = NULL;
    struct err err;

    if (yaml_parse(&root, text, size, "", nodes, &err) < 0)
        problems_add_syntax(problems, "", err.text);
    int result = read_tree(out, root, problems);
    arena_destroy(nodes);
    return result;
}

int job_read_file(struct job **out,
                  char **whole,
                  const char *path,
                  struct problems *problems,
                  struct err *err)
{
    struct arena *nodes = arena_create(65536);
    const struct yaml_node *root = NULL;
    char *text = NULL;
    int result = job_files_read(&root, &text, path, nodes, problems, err);

    if (result == 0 ||
        problems->count > 0) { /* a part of the tree would give wrong problems */
        result = read_tree(out, result == 0 ? root : NULL, problems);
        if (result < 0)
            err_set(err, ERR_INPUT, "%s: %zu %s", path, problems->count,
                    problems->count == 1 ? "problem" : "problems");
    }
    arena_destroy(nodes);
    if (result == 0 && whole)
        *whole = text;
    else
        free(text);
    return result;
}

int job_parse_file(struct job **out,
                   const char *path,
                   struct problems *problems,
                   struct err *err)
{
    return job_read_file(out, NULL, path, problems, err);
}
