#include "lib/job/job_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"

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

void job_reader_complain_of_word(struct job_reader *reader,
                                 const struct yaml_node *node,
                                 const char *key,
                                 const char *kind,
                                 const char *const *known)
{
    const char *nearest = text_nearest(node->text, known);
    struct text list = {0};

    if (nearest) {
        job_reader_complain(reader, node, key, "unknown %s '%.64s'; did you mean '%s'?",
                            kind, node->text, nearest);
        return;
    }
    for (size_t i = 0; known[i]; i++)
        text_printf(&list, "%s%s", i ? ", " : "", known[i]);
    job_reader_complain(reader, node, key, "unknown %s '%.64s'; use one of: %s", kind,
                        node->text, text_get(&list));
    text_clear(&list);
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
            reader, node, key, "expected %s, found %s", yaml_kind_name(kind),
            yaml_is_null(node) ? "nothing" : yaml_kind_name(node->kind));
    else if (kind != YAML_TEXT && node->count == 0)
        job_reader_complain(reader, node, key,
                            "the %s is empty; add at least one entry",
                            kind == YAML_LIST ? "list" : "map");
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
        job_reader_complain(reader, node, key, "the text is empty; write a value");
        return NULL;
    }
    if (node->length > most) {
        job_reader_complain(reader, node, key,
                            "the text has %zu bytes, at most %zu are allowed",
                            node->length, most);
        return NULL;
    }
    for (size_t i = 0; i < node->length; i++)
        if ((unsigned char)node->text[i] < ' ' || node->text[i] == 127) {
            job_reader_complain(
                reader, node, key,
                "the text contains the control character 0x%02x; remove it",
                (unsigned char)node->text[i]);
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
                               "this value is the same for all points; remove ${...}");
    return false;
}

bool job_reader_is_patterns(struct job_reader *reader,
                            const struct yaml_node *node,
                            const char *key)
{
    const char *text = node->text;
    size_t length = strlen(text);

    if (length == 0 ||
        (text[0] != '|' && text[length - 1] != '|' && !strstr(text, "||")))
        return true;
    job_reader_complain(
        reader, node, key,
        "a pattern beside '|' is empty; write several patterns as \"Add*|Mul*\"");
    return false;
}
