#include "lib/job/pattern_reader.h"

#include <string.h>

#include "lib/base/mem.h"

/* Requires a text. An empty text must be written as "", so that a forgotten value is
 * found. */
static bool is_word(struct job_reader *reader,
                    const struct yaml_node *node,
                    const char *key,
                    size_t most)
{
    if (!job_reader_is(reader, node, key, YAML_TEXT))
        return false;
    if (yaml_is_null(node) && node->length == 0)
        job_reader_complain(reader, node, key,
                            "the value is missing; write \"\" for an empty text");
    else if (node->length > most)
        job_reader_complain(reader, node, key,
                            "the text has %zu bytes, at most %zu are allowed",
                            node->length, most);
    else
        return true;
    return false;
}

/* Returns the pattern of `prefix` and the text of the node, or NULL after a reported
 * problem. */
const struct pattern *pattern_reader_read(struct pattern_reader *patterns,
                                          const struct yaml_node *node,
                                          const char *key,
                                          size_t most,
                                          const char *prefix)
{
    struct job_reader *reader = patterns->reader;
    struct arena *arena = reader->job->arena;
    const struct pattern *pattern;
    struct err err;
    size_t offset;

    if (!is_word(reader, node, key, most))
        return NULL;
    const char *text = arena_printf(arena, "%s%s", prefix, node->text);
    if (pattern_parse(&pattern, text, &reader->job->sweep.variables, arena, &offset,
                      &err) < 0) {
        job_reader_complain_inside(reader, node, offset - strlen(prefix), key,
                                   err.text);
        return NULL;
    }
    patterns->bytes += pattern_longest(pattern) + 1;
    return pattern;
}

bool pattern_reader_list(struct pattern_reader *patterns,
                         struct patterns *out,
                         const struct yaml_node *list,
                         const char *key)
{
    struct job_reader *reader = patterns->reader;
    char word_key[JOB_READER_KEY_MAX];
    size_t place = 0;

    if (!job_reader_is(reader, list, key, YAML_LIST))
        return false;
    if (list->count > JOB_WORDS_MAX) {
        job_reader_complain(reader, list, key,
                            "the list has %zu words, at most %d are allowed",
                            list->count, JOB_WORDS_MAX);
        return false;
    }
    out->items = arena_calloc(reader->job->arena, list->count, sizeof(*out->items));
    out->count = 0;
    for (const struct yaml_node *node = list->first; node; node = node->next) {
        job_reader_key(word_key, key, place++);
        out->items[out->count++] =
            pattern_reader_read(patterns, node, word_key, JOB_WORD_BYTES_MAX, "");
    }
    return true;
}
