/* gate_read.c - reads the entries of gate.tolerances */
#include <stdio.h>

#include "lib/base/mem.h"
#include "lib/job/key_types.h"

enum { WHEN_BYTES_MAX = 4096 };

static const char *const betters[] = {"more", "less", NULL};
static const char *const names[] = {"when", "metric", "tolerance", "better", NULL};

static void read_better(struct job_reader *reader,
                        struct job_tolerance *tolerance,
                        const struct yaml_node *node,
                        const char *key)
{
    if (!job_reader_is(reader, node, key, YAML_TEXT))
        return;
    if (yaml_is(node, "more"))
        tolerance->better = JOB_BETTER_MORE;
    else if (yaml_is(node, "less"))
        tolerance->better = JOB_BETTER_LESS;
    else
        job_reader_complain_of_word(reader, node, key, "value", betters);
}

static void read_when(struct job_reader *reader,
                      const struct expression **when,
                      const struct yaml_node *node,
                      const char *key)
{
    const char *text = job_reader_text(reader, node, key, WHEN_BYTES_MAX);
    struct err err;
    size_t offset;

    if (text && expression_parse(when, text, &reader->job->sweep.variables,
                                 reader->job->arena, &offset, &err) < 0)
        job_reader_complain_inside(reader, node, offset, key, err.text);
}

static void read_entry(struct job_reader *reader,
                       const struct yaml_node *map,
                       const char *place,
                       struct job_tolerance *tolerance,
                       const struct expression **when)
{
    char key[JOB_READER_KEY_MAX + 16];

    if (!job_reader_is(reader, map, place, YAML_MAP))
        return;
    for (const struct yaml_node *node = map->first; node; node = node->next) {
        snprintf(key, sizeof(key), "%s.%.64s", place, node->key->text);
        if (yaml_is(node->key, "when"))
            read_when(reader, when, node, key);
        else if (yaml_is(node->key, "metric")) {
            const char *metric = job_reader_text(reader, node, key, 64);

            tolerance->metric = metric ? metric : "*";
        } else if (yaml_is(node->key, "tolerance"))
            key_parse_share(reader, node, key, &tolerance->tolerance);
        else if (yaml_is(node->key, "better"))
            read_better(reader, tolerance, node, key);
        else
            job_reader_complain_of_word(reader, node->key, key, "key", names);
    }
    if (tolerance->better != JOB_BETTER_USUAL && yaml_get(map, "when"))
        job_reader_complain(reader, map, place,
                            "'better' is the same for all points; remove 'when', or "
                            "make 'better' an entry of its own");
    if (!yaml_get(map, "tolerance") && !yaml_get(map, "better"))
        job_reader_complain(reader, map, place,
                            "the entry changes nothing; add 'tolerance' or 'better'");
}

void gate_read_tolerances(struct job_reader *reader)
{
    static const char key[] = "gate.tolerances";
    const struct yaml_node *list = reader->tolerances;
    struct job *job = reader->job;
    struct job_tolerance *tolerances;
    size_t i = 0;

    if (!list || !job_reader_is(reader, list, key, YAML_LIST))
        return;
    if (list->count > JOB_TOLERANCES_MAX) {
        job_reader_complain(reader, list, key,
                            "the list has %zu entries, at most %d are allowed",
                            list->count, JOB_TOLERANCES_MAX);
        return;
    }
    tolerances = arena_calloc(job->arena, list->count, sizeof(*tolerances));
    job->tolerance_when =
        arena_calloc(job->arena, list->count, sizeof(*job->tolerance_when));
    for (const struct yaml_node *node = list->first; node; node = node->next, i++) {
        char place[JOB_READER_KEY_MAX];

        tolerances[i] = (struct job_tolerance){.metric = "*", .tolerance = -1};
        read_entry(reader, node, job_reader_key(place, key, i), &tolerances[i],
                   &job->tolerance_when[i]);
    }
    job->settings.gate.tolerances = tolerances;
    job->settings.gate.tolerance_count = list->count;
}
