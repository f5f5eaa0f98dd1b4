/* env_read.c - reads the environment variables of an operator */
#include <stdio.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/job/pattern_reader.h"

enum { ENV_MAX = 256 };

/* Returns true for a variable that muster sets itself for every rank. A build with test
 * switches lets a job set the variables of the tests. */
static bool is_reserved(const char *name)
{
    static const char *const reserved[] = {
        "LD_PRELOAD", "ASCEND_RT_VISIBLE_DEVICES", "RANK_ID",
        "RANK_SIZE",  "RANK_TABLE_FILE",           "TASK_QUEUE_ENABLE"};

    for (size_t i = 0; i < COUNT(reserved); i++)
        if (strcmp(name, reserved[i]) == 0)
            return true;
#ifdef MUSTER_TEST_SWITCHES
    if (text_has_prefix(name, "MUSTER_TEST_"))
        return false;
#endif
    return text_has_prefix(name, "MUSTER_");
}

static void read_entry(struct pattern_reader *patterns,
                       struct patterns *env,
                       const struct yaml_node *node,
                       const char *map_key)
{
    struct job_reader *reader = patterns->reader;
    const char *name = node->key->text;
    char key[JOB_READER_KEY_MAX];

    snprintf(key, sizeof(key), "%s.%.64s", map_key, name);
    if (!variable_name_is_good(name))
        job_reader_complain(reader, node->key, key,
                            "invalid name '%.64s'; use up to 64 letters, digits and _, "
                            "without a digit in front",
                            name);
    else if (is_reserved(name))
        job_reader_complain(reader, node->key, key, "muster sets %s itself; remove it",
                            name);
    else {
        env->names[env->count] = arena_strdup(reader->job->arena, name);
        env->items[env->count++] =
            pattern_reader_read(patterns, node, key, JOB_WORD_BYTES_MAX,
                                arena_printf(reader->job->arena, "%s=", name));
    }
}

void env_read(struct pattern_reader *patterns,
              struct patterns *env,
              const struct yaml_node *map,
              const char *key)
{
    struct job_reader *reader = patterns->reader;
    struct arena *arena = reader->job->arena;
    struct patterns before = *env;

    if (!job_reader_is(reader, map, key, YAML_MAP))
        return;
    if (map->count > ENV_MAX) {
        job_reader_complain(reader, map, key,
                            "the map has %zu variables, at most %d are allowed",
                            map->count, ENV_MAX);
        return;
    }
    env->items = arena_calloc(arena, before.count + map->count, sizeof(*env->items));
    env->names = arena_calloc(arena, before.count + map->count, sizeof(*env->names));
    for (size_t i = 0; i < before.count; i++) {
        env->items[i] = before.items[i];
        env->names[i] = before.names[i];
    }
    for (const struct yaml_node *node = map->first; node; node = node->next)
        read_entry(patterns, env, node, key);
}
