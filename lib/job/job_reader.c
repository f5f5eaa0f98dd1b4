#include "lib/job/job_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"

static void add(struct job_reader *reader,
                const struct yaml_node *node,
                unsigned column,
                const char *key,
                const char *text)
{
    char *whole = xasprintf("%s%s%s", reader->prefix ? reader->prefix : "",
                            reader->prefix && *key ? "." : "", key);

    problems_add(reader->problems, node->file, node->line, column, whole, "%s", text);
    free(whole);
}

void job_reader_complain(struct job_reader *reader,
                         const struct yaml_node *node,
                         const char *key,
                         const char *fmt,
                         ...)
{
    va_list args;

    va_start(args, fmt);
    char *text = xvasprintf(fmt, args);
    va_end(args);
    add(reader, node, node->column, key, text);
    free(text);
}

void job_reader_complain_inside(struct job_reader *reader,
                                const struct yaml_node *node,
                                size_t offset,
                                const char *key,
                                const char *text)
{
    unsigned column = node->column + (node->plain ? 0 : 1);

    for (size_t i = 0; i < offset && i < node->length; i++)
        column += ((unsigned char)node->text[i] & 0xc0) != 0x80;
    add(reader, node, column, key, text);
}

const char *job_reader_key(char out[JOB_READER_KEY_MAX], const char *list, size_t place)
{
    snprintf(out, JOB_READER_KEY_MAX, "%s[%zu]", list, place);
    return out;
}

bool job_reader_is(struct job_reader *reader,
                   const struct yaml_node *node,
                   const char *key,
                   enum yaml_kind kind)
{
    if (node->kind != kind)
        job_reader_complain(
            reader, node, key, "%s is wanted here, not %s", yaml_kind_name(kind),
            yaml_is_null(node) ? "nothing" : yaml_kind_name(node->kind));
    else if (kind != YAML_TEXT && node->count == 0)
        job_reader_complain(reader, node, key, "%s with nothing in it",
                            yaml_kind_name(kind));
    else
        return true;
    return false;
}

const char *job_reader_text(struct job_reader *reader,
                            const struct yaml_node *node,
                            const char *key,
                            size_t most)
{
    if (!job_reader_is(reader, node, key, YAML_TEXT))
        return NULL;
    if (node->length == 0) {
        job_reader_complain(reader, node, key, "a text is wanted here, not nothing");
        return NULL;
    }
    if (node->length > most) {
        job_reader_complain(reader, node, key, "longer than %zu bytes", most);
        return NULL;
    }
    for (size_t i = 0; i < node->length; i++)
        if ((unsigned char)node->text[i] < ' ' || node->text[i] == 127) {
            job_reader_complain(reader, node, key, "has a control character in it");
            return NULL;
        }
    return arena_strdup(reader->job->arena, node->text);
}

bool job_reader_is_fixed(struct job_reader *reader,
                         const struct yaml_node *node,
                         const char *key)
{
    const char *at = strstr(node->text, "${");

    if (!at)
        return true;
    job_reader_complain_inside(reader, node, (size_t)(at - node->text), key,
                               "this is the same for all points: no ${...} here");
    return false;
}
