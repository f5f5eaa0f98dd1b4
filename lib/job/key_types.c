#include "lib/job/key_types.h"

#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"
#include "lib/capture/counter_schedule.h"
#include "lib/marks/mark_names.h"

/* The coordinator passes the names to the parser as one argument of a program, which
 * Linux limits to 128 KiB. */
enum { CUSTOM_INPUT_MAX = 100000 };

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
        job_reader_complain(reader, node, key,
                            "unsupported version '%.64s'; write 'version: 1'",
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
            "invalid name '%.64s'; begin with a letter or digit and use "
            "letters, digits and _ . = , + -, because folders get this "
            "name",
            name);
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

/* Returns a pattern, or several that are divided by |; NULL after a reported problem.
 */
static const char *read_pattern(struct job_reader *reader,
                                const struct row *row,
                                const struct yaml_node *node,
                                const char *key)
{
    const char *text = job_reader_text(reader, node, key, row->most);

    return text && job_reader_is_fixed(reader, node, key) &&
                   job_reader_is_patterns(reader, node, key)
               ? text
               : NULL;
}

void key_read_patterns(struct job_reader *reader,
                       const struct row *row,
                       const struct yaml_node *node,
                       const char *key)
{
    char place[JOB_READER_KEY_MAX];
    const char *lines = "";
    size_t count = 0;

    if (node->kind != YAML_LIST) {
        lines = read_pattern(reader, row, node, key);
    } else if (node->count > JOB_RANGES_MAX) {
        job_reader_complain(reader, node, key,
                            "the list has %zu patterns, at most %d are allowed",
                            node->count, JOB_RANGES_MAX);
        return;
    } else if (job_reader_is(reader, node, key, YAML_LIST)) {
        for (const struct yaml_node *it = node->first; it; it = it->next) {
            const char *text =
                read_pattern(reader, row, it, job_reader_key(place, key, count));

            lines = arena_printf(reader->job->arena, "%s%s%s", lines,
                                 count++ ? "\n" : "", text ? text : "");
        }
    }
    *(const char **)target(reader, row) = lines;
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
    job_reader_complain(
        reader, node, key, "expected a whole number from %llu to %llu, found '%.64s'",
        (unsigned long long)row->least, (unsigned long long)row->most, node->text);
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

void key_read_count(struct job_reader *reader,
                    const struct row *row,
                    const struct yaml_node *node,
                    const char *key)
{
    uint64_t value = 0;

    if (!job_reader_is(reader, node, key, YAML_TEXT))
        return;
    if (!yaml_is(node, row->words[0]) && (!num_parse_u64(node->text, &value) ||
                                          value < row->least || value > row->most)) {
        job_reader_complain(reader, node, key,
                            "expected a whole number from %llu to %llu or '%s', found "
                            "'%.64s'",
                            (unsigned long long)row->least,
                            (unsigned long long)row->most, row->words[0], node->text);
        return;
    }
    *(uint64_t *)target(reader, row) = value;
}

/* Returns the index of the word in row->words, or -1 after a reported problem. */
static int read_word(struct job_reader *reader,
                     const struct row *row,
                     const struct yaml_node *node,
                     const char *key)
{
    const char *known[17] = {NULL};
    int supported = 0, count = 0;

    if (!job_reader_is(reader, node, key, YAML_TEXT))
        return -1;
    for (; row->words[supported]; supported++)
        known[count++] = row->words[supported];
    for (int i = supported + 1; row->words[i]; i++)
        known[count++] = row->words[i];
    for (int i = 0; i < count; i++)
        if (yaml_is(node, known[i])) {
            if (i < supported)
                return i;
            job_reader_complain(
                reader, node, key,
                "this version of muster does not support '%s'; use another value",
                known[i]);
            return -1;
        }
    known[supported] = NULL; /* suggest supported words only */
    job_reader_complain_of_word(reader, node, key, "value", known);
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

void key_read_bits(struct job_reader *reader,
                   const struct row *row,
                   const struct yaml_node *list,
                   const char *key)
{
    unsigned bits = 0;
    char place[JOB_READER_KEY_MAX];
    size_t i = 0;

    if (list->kind == YAML_LIST && list->count == 0) { /* [] is none of them */
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
    job_reader_complain(reader, list, key,
                        "a submitted text cannot include files; submit the file with "
                        "'muster submit', which inserts them");
}

void key_read_config(struct job_reader *reader,
                     const struct row *row,
                     const struct yaml_node *node,
                     const char *key)
{
    (void)row;
    job_reader_complain(reader, node, key,
                        "a submitted text cannot name this file; submit the job file "
                        "with 'muster submit', which reads it");
}

void key_read_custom_input(struct job_reader *reader,
                           const struct row *row,
                           const struct yaml_node *node,
                           const char *key)
{
    struct mark_names names;
    struct err err;

    if (!job_reader_is(reader, node, key, YAML_TEXT))
        return;
    if (node->text[strspn(node->text, " \t\r\n")] != '{') {
        key_read_config(reader, row, node, key);
        return;
    }
    if (node->length > CUSTOM_INPUT_MAX) {
        job_reader_complain(reader, node, key,
                            "the names have %zu bytes, at most %d are allowed",
                            node->length, CUSTOM_INPUT_MAX);
        return;
    }
    if (mark_names_parse(&names, "names", node->text, node->length, &err) < 0) {
        job_reader_complain(reader, node, key, "%s", err.text);
        return;
    }
    mark_names_clear(&names);
    *(const char **)target(reader, row) = arena_strdup(reader->job->arena, node->text);
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
        job_reader_complain(reader, list, key,
                            "the list has %zu jobs, at most %d are allowed",
                            list->count, JOB_AFTER_MAX);
        return;
    }
    jobs->items =
        arena_calloc(reader->job->arena, list->count + 1, sizeof(*jobs->items));
    jobs->count = 0;
    for (const struct yaml_node *node = list->first; node; node = node->next, i++) {
        const char *job = job_reader_text(reader, node, job_reader_key(place, key, i),
                                          2 * JOB_NAME_MAX);

        if (job && !text_is_path_part(job))
            job_reader_complain(
                reader, node, place,
                "invalid job '%.64s'; write NAME or NAME-NUMBER of a job", job);
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
    struct text names = {0};
    struct err ignored;
    size_t i = 0;

    (void)row;
    /* an empty list is valid: the program runs without a measurement */
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
            job_reader_complain(
                reader, node, place,
                "expected one metric, found several; make each an entry of the list");
        else if (metric_parse(name, &bits, &err) < 0)
            job_reader_complain(reader, node, place, "%s", err.text);
        else
            text_printf(&names, "%s,", name);
        settings->metrics.items[settings->metrics.count++] = name;
    }
    /* the names together, because KernelScale has another meaning alone */
    if (names.length)
        metric_parse(text_get(&names), &settings->metric_bits, &ignored);
    text_clear(&names);
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
        job_reader_complain(reader, node, key,
                            "expected a time from %llums to %llu%c, such as 30s, 5m or "
                            "2h, found '%.64s'",
                            (unsigned long long)row->least,
                            (unsigned long long)(row->most / (days ? day_ms : hour_ms)),
                            days ? 'd' : 'h', node->text);
    else
        *(uint64_t *)target(reader, row) = ms;
}

void key_parse_share(struct job_reader *reader,
                     const struct yaml_node *node,
                     const char *key,
                     double *out)
{
    char digits[16] = "";
    double share;

    if (!job_reader_is(reader, node, key, YAML_TEXT))
        return;
    if (node->length > 1 && node->length < sizeof(digits) &&
        node->text[node->length - 1] == '%')
        memcpy(digits, node->text, node->length - 1);
    if (!num_parse_double(digits, &share) || share < 0 || share > 1000)
        job_reader_complain(
            reader, node, key,
            "expected a share from 0%% to 1000%%, such as 2%%, found '%.64s'",
            node->text);
    else
        *out = share / 100;
}

void key_read_share(struct job_reader *reader,
                    const struct row *row,
                    const struct yaml_node *node,
                    const char *key)
{
    key_parse_share(reader, node, key, target(reader, row));
}

void key_read_probability(struct job_reader *reader,
                          const struct row *row,
                          const struct yaml_node *node,
                          const char *key)
{
    char digits[16] = "";
    bool percent;
    double share;

    if (!job_reader_is(reader, node, key, YAML_TEXT))
        return;
    percent = node->length > 1 && node->text[node->length - 1] == '%';
    if (node->length < sizeof(digits))
        memcpy(digits, node->text, node->length - percent);
    if (!num_parse_double(digits, &share))
        share = -1;
    if (percent)
        share /= 100;
    if (!(share >= 0 && share <= 1))
        job_reader_complain(
            reader, node, key,
            "expected a share from 0 to 1, such as 0.01 or 1%%, found '%.64s'",
            node->text);
    else
        *(double *)target(reader, row) = share;
}
