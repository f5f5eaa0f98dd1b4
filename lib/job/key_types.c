#include "lib/job/key_types.h"

#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"
#include "lib/capture/counter_schedule.h"

static void *target(struct job_reader *reader, const struct row *row)
{
    struct job_settings *settings =
        reader->override ? &reader->override->settings : &reader->job->settings;

    return (char *)settings + row->offset;
}

void key_read_later(struct job_reader *reader,
                    const struct row *row,
                    const struct yaml_node *node,
                    const char *key)
{
    (void)key;
    *(const struct yaml_node **)((char *)reader + row->offset) = node;
}

void key_read_version(struct job_reader *reader,
                      const struct row *row,
                      const struct yaml_node *node,
                      const char *key)
{
    (void)row;
    if (job_reader_is(reader, node, key, YAML_TEXT) && !yaml_is(node, "1"))
        job_reader_complain(reader, node, key, "version 1 is wanted here, not '%.64s'",
                            node->text);
}

void key_read_name(struct job_reader *reader,
                   const struct row *row,
                   const struct yaml_node *node,
                   const char *key)
{
    const char *name = job_reader_text(reader, node, key, JOB_NAME_MAX);

    if (name && !text_is_path_part(name))
        job_reader_complain(
            reader, node, key,
            "letters, digits and _ . = , + - only, and no dot in front: "
            "folders get this name");
    *(const char **)target(reader, row) = name;
}

void key_read_text(struct job_reader *reader,
                   const struct row *row,
                   const struct yaml_node *node,
                   const char *key)
{
    const char *text = job_reader_text(reader, node, key, row->most);

    if (text && job_reader_is_fixed(reader, node, key))
        *(const char **)target(reader, row) = text;
}

static bool read_u64(struct job_reader *reader,
                     const struct row *row,
                     const struct yaml_node *node,
                     const char *key,
                     uint64_t *value)
{
    if (!job_reader_is(reader, node, key, YAML_TEXT))
        return false;
    if (num_parse_u64(node->text, value) && *value >= row->least && *value <= row->most)
        return true;
    job_reader_complain(reader, node, key,
                        "a whole number from %llu to %llu is wanted here, not '%.64s'",
                        (unsigned long long)row->least, (unsigned long long)row->most,
                        node->text);
    return false;
}

void key_read_u64(struct job_reader *reader,
                  const struct row *row,
                  const struct yaml_node *node,
                  const char *key)
{
    uint64_t value;

    if (read_u64(reader, row, node, key, &value))
        *(uint64_t *)target(reader, row) = value;
}

/* The place of the word, or -1, and told. */
static int read_word(struct job_reader *reader,
                     const struct row *row,
                     const struct yaml_node *node,
                     const char *key)
{
    const char *known[16] = {NULL};
    int now = 0, count = 0;

    if (!job_reader_is(reader, node, key, YAML_TEXT))
        return -1;
    for (; row->words[now]; now++)
        known[count++] = row->words[now];
    for (int i = now + 1; row->words[i]; i++)
        known[count++] = row->words[i];
    for (int i = 0; i < count; i++)
        if (yaml_is(node, known[i])) {
            if (i < now)
                return i;
            job_reader_complain(reader, node, key,
                                "'%s' is known, but not in this version", known[i]);
            return -1;
        }
    const char *nearest = text_nearest(node->text, known);
    job_reader_complain(reader, node, key, "unknown '%.64s'; %s '%s'?", node->text,
                        nearest ? "is it" : "why not", nearest ? nearest : known[0]);
    return -1;
}

void key_read_choice(struct job_reader *reader,
                     const struct row *row,
                     const struct yaml_node *node,
                     const char *key)
{
    int word = read_word(reader, row, node, key);

    if (word >= 0)
        *(int *)target(reader, row) = word;
}

void key_read_switch(struct job_reader *reader,
                     const struct row *row,
                     const struct yaml_node *node,
                     const char *key)
{
    int word = read_word(reader, row, node, key);

    if (word >= 0)
        *(bool *)target(reader, row) = word % 2 == 1;
}

void key_read_retry_on(struct job_reader *reader,
                       const struct row *row,
                       const struct yaml_node *list,
                       const char *key)
{
    unsigned bits = 0;
    char place[JOB_READER_KEY_MAX];
    size_t i = 0;

    if (list->kind == YAML_LIST && list->count == 0) { /* [] is: never again */
        *(unsigned *)target(reader, row) = 0;
        return;
    }
    if (!job_reader_is(reader, list, key, YAML_LIST))
        return;
    for (const struct yaml_node *node = list->first; node; node = node->next, i++) {
        int word = read_word(reader, row, node, job_reader_key(place, key, i));

        if (word >= 0)
            bits |= 1u << word;
    }
    *(unsigned *)target(reader, row) = bits;
}

void key_read_include(struct job_reader *reader,
                      const struct row *row,
                      const struct yaml_node *list,
                      const char *key)
{
    (void)row;
    job_reader_complain(
        reader, list, key,
        "files are put together by who hands the job in; this text stands "
        "alone");
}

void key_read_after(struct job_reader *reader,
                    const struct row *row,
                    const struct yaml_node *list,
                    const char *key)
{
    struct job_list *jobs = target(reader, row);
    char place[JOB_READER_KEY_MAX];
    size_t i = 0;

    if (!job_reader_is(reader, list, key, YAML_LIST))
        return;
    if (list->count > JOB_AFTER_MAX) {
        job_reader_complain(reader, list, key, "more than %d jobs", JOB_AFTER_MAX);
        return;
    }
    jobs->items =
        arena_calloc(reader->job->arena, list->count + 1, sizeof(*jobs->items));
    jobs->count = 0;
    for (const struct yaml_node *node = list->first; node; node = node->next, i++) {
        const char *job = job_reader_text(reader, node, job_reader_key(place, key, i),
                                          2 * JOB_NAME_MAX);

        if (job && !text_is_path_part(job))
            job_reader_complain(reader, node, place,
                                "the name of a job is wanted here, or NAME-NUMBER");
        else if (job)
            jobs->items[jobs->count++] = job;
    }
}

void key_read_metrics(struct job_reader *reader,
                      const struct row *row,
                      const struct yaml_node *list,
                      const char *key)
{
    struct job_settings *settings = &reader->job->settings;
    char place[JOB_READER_KEY_MAX];
    size_t i = 0;

    (void)row;
    /* an empty list is an answer: the program only runs, nothing is measured */
    if ((list->kind != YAML_LIST || list->count > 0) &&
        !job_reader_is(reader, list, key, YAML_LIST))
        return;
    settings->metrics.items = arena_calloc(reader->job->arena, list->count + 1,
                                           sizeof(*settings->metrics.items));
    settings->metrics.count = 0;
    settings->metric_bits = 0;
    for (const struct yaml_node *node = list->first; node; node = node->next, i++) {
        const char *name =
            job_reader_text(reader, node, job_reader_key(place, key, i), 64);
        unsigned bits = 0;
        struct err err;

        if (!name)
            continue;
        if (strchr(name, ','))
            job_reader_complain(reader, node, place,
                                "one name is wanted here, not a list");
        else if (metric_parse(name, &bits, &err) < 0)
            job_reader_complain(reader, node, place, "%s", err.text);
        settings->metric_bits |= bits;
        settings->metrics.items[settings->metrics.count++] = name;
    }
}

void key_read_time(struct job_reader *reader,
                   const struct row *row,
                   const struct yaml_node *node,
                   const char *key)
{
    const uint64_t hour_ms = 3600000, day_ms = 24 * hour_ms;
    bool days = row->most >= day_ms;
    uint64_t ms;

    if (!job_reader_is(reader, node, key, YAML_TEXT))
        return;
    if (!num_parse_duration_ms(node->text, &ms) || ms < row->least || ms > row->most)
        job_reader_complain(
            reader, node, key,
            "a time such as 30s, 5m or 2h is wanted here, from %llums up "
            "to %llu%c, not '%.64s'",
            (unsigned long long)row->least,
            (unsigned long long)(row->most / (days ? day_ms : hour_ms)),
            days ? 'd' : 'h', node->text);
    else
        *(uint64_t *)target(reader, row) = ms;
}

void key_read_share(struct job_reader *reader,
                    const struct row *row,
                    const struct yaml_node *node,
                    const char *key)
{
    char digits[16] = "";
    double share;

    if (!job_reader_is(reader, node, key, YAML_TEXT))
        return;
    if (node->length > 1 && node->length < sizeof(digits) &&
        node->text[node->length - 1] == '%')
        memcpy(digits, node->text, node->length - 1);
    if (!num_parse_double(digits, &share) || share < 0 || share > 1000)
        job_reader_complain(reader, node, key,
                            "a share such as 2%% is wanted here, not '%.64s'",
                            node->text);
    else
        *(double *)target(reader, row) = share / 100;
}
