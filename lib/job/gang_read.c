/* gang_read.c - reads the number of cards of a task and the rules for their hosts */
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"
#include "lib/job/job_reader.h"

enum { HOSTS_MAX = 256, HOST_BYTES_MAX = 255 };

/* Returns a number from 1 to JOB_CARDS_MAX, or 0 after it has reported a problem. */
static uint64_t
read_count(struct job_reader *reader, const struct yaml_node *node, const char *key)
{
    uint64_t count = 0;

    if (!job_reader_is(reader, node, key, YAML_TEXT))
        return 0;
    if (num_parse_u64(node->text, &count) && count >= 1 && count <= JOB_CARDS_MAX)
        return count;
    job_reader_complain(reader, node, key,
                        "expected a whole number from 1 to %d, found '%.64s'",
                        JOB_CARDS_MAX, node->text);
    return 0;
}

/* Returns the name in a text that is only ${name}, with its length, or NULL. */
static const char *name_of_variable(const struct yaml_node *node, size_t *length)
{
    const char *text = node->text;

    if (node->kind != YAML_TEXT || !text_has_prefix(text, "${") || node->length < 4 ||
        text[node->length - 1] != '}')
        return NULL;
    *length = node->length - 3;
    return text + 2;
}

/* Reads the number of ranks of each point from a variable of the sweep. Returns the
 * largest number, or 0 after it has reported a problem. */
static uint64_t read_variable(struct job_reader *reader,
                              const struct yaml_node *node,
                              const char *key,
                              const char *name,
                              size_t length)
{
    const struct sweep *sweep = &reader->job->sweep;
    const char *nearest;
    const struct variable *variable =
        variable_find(&sweep->variables, name, length, &nearest);
    uint64_t most = 0, count;

    if (!variable) {
        job_reader_complain(reader, node, key, "the sweep has no variable '%.*s'%s%s%s",
                            (int)length, name, nearest ? "; did you mean '" : "",
                            nearest ? nearest : "", nearest ? "'?" : "");
        return 0;
    }
    if (reader->problems->count > 0)
        return 1; /* values with a problem are not complete */
    for (size_t i = 0; i < sweep->lengths[variable->axis] + sweep->include_count; i++) {
        const char *text = variable->values[i].text;

        if (!num_parse_u64(text, &count) || count < 1 || count > JOB_CARDS_MAX) {
            job_reader_complain(reader, node, key,
                                "'%s' is a number of ranks, so its values are whole "
                                "numbers from 1 to %d; found '%.64s'",
                                variable->name, JOB_CARDS_MAX, text);
            return 0;
        }
        most = count > most ? count : most;
    }
    reader->job->ranks = variable;
    return most;
}

static uint64_t
read_ranks(struct job_reader *reader, const struct yaml_node *node, const char *key)
{
    size_t length;
    const char *name = name_of_variable(node, &length);

    return name ? read_variable(reader, node, key, name, length)
                : read_count(reader, node, key);
}

static void read_size(struct job_reader *reader)
{
    struct job_settings *settings = &reader->job->settings;
    uint64_t count = 1;

    if (reader->ranks)
        count = read_ranks(reader, reader->ranks, "operator.ranks");
    if (reader->threads) {
        count = read_ranks(reader, reader->threads, "operator.threads");
        settings->threads = true;
    }
    if (reader->ranks && reader->threads)
        job_reader_complain(
            reader, reader->threads->key, "operator.threads",
            "operator.ranks starts one process per card, operator.threads starts one "
            "for all cards; remove one of the two keys");
    settings->ranks = count;
    if (reader->ids && count > 1)
        job_reader_complain(reader, reader->ids->key, "cards.ids",
                            "cards.ids gives each task one card, but a task needs "
                            "%llu; remove cards.ids",
                            (unsigned long long)count);
}

/* The ranks of a point must fill its hosts. Returns false after a problem. */
static bool check_per_host(struct job_reader *reader, uint64_t ranks)
{
    uint64_t per_host = reader->job->settings.per_host;

    if (ranks <= per_host || ranks % per_host == 0)
        return true; /* one host has room for all ranks, or all hosts are full */
    job_reader_complain(
        reader, reader->per_host, "cards.per_host",
        "%llu ranks cannot be divided into hosts of %llu; use a divisor",
        (unsigned long long)ranks, (unsigned long long)per_host);
    return false;
}

static void check_per_host_of_points(struct job_reader *reader)
{
    const struct job *job = reader->job;
    const struct variable *ranks = job->ranks;
    bool good = true;

    if (!ranks)
        check_per_host(reader, job->settings.ranks);
    for (size_t i = 0; ranks && good &&
                       i < job->sweep.lengths[ranks->axis] + job->sweep.include_count;
         i++)
        good = check_per_host(reader, (uint64_t)ranks->values[i].number);
}

static void read_per_host(struct job_reader *reader)
{
    struct job_settings *settings = &reader->job->settings;

    if (!reader->per_host)
        return;
    settings->per_host = read_count(reader, reader->per_host, "cards.per_host");
    if (settings->per_host == 0 || settings->ranks <= settings->per_host)
        return; /* one host has room for all ranks */
    if (settings->together == JOB_ON_ONE_HOST)
        job_reader_complain(
            reader, reader->per_host, "cards.per_host",
            "'together: host' needs all %llu ranks on one host; remove cards.per_host",
            (unsigned long long)settings->ranks);
    else if (settings->threads)
        job_reader_complain(reader, reader->per_host, "cards.per_host",
                            "one process drives all %llu cards, so they are on one "
                            "host; remove cards.per_host",
                            (unsigned long long)settings->ranks);
    else
        check_per_host_of_points(reader);
}

static void read_hosts(struct job_reader *reader)
{
    struct job_list *hosts = &reader->job->settings.hosts;
    const struct yaml_node *list = reader->hosts;
    char key[JOB_READER_KEY_MAX];
    size_t place = 0;

    if (!list || !job_reader_is(reader, list, "cards.hosts", YAML_LIST))
        return;
    if (list->count > HOSTS_MAX) {
        job_reader_complain(reader, list, "cards.hosts",
                            "the list has %zu hosts, at most %d are allowed",
                            list->count, HOSTS_MAX);
        return;
    }
    hosts->items =
        arena_calloc(reader->job->arena, list->count + 1, sizeof(*hosts->items));
    for (const struct yaml_node *node = list->first; node; node = node->next) {
        const char *host = job_reader_text(
            reader, node, job_reader_key(key, "cards.hosts", place++), HOST_BYTES_MAX);

        if (host && job_reader_is_fixed(reader, node, key))
            hosts->items[hosts->count++] = host;
    }
}

/* Returns how many cards of a task must be on the same host; 0: no such rule. */
static uint64_t cards_on_one_host(const struct job_settings *settings)
{
    bool all = settings->threads || settings->together == JOB_ON_ONE_HOST ||
               settings->per_host > settings->ranks;

    return all ? settings->ranks : settings->per_host;
}

static void check_conflicts(struct job_reader *reader)
{
    const struct job_settings *settings = &reader->job->settings;
    uint64_t needed = cards_on_one_host(settings);

    if (settings->host_cap > 0 && needed > settings->host_cap)
        job_reader_complain(reader, reader->cards, "cards.host_cap",
                            "a task needs %llu cards on one host, more than "
                            "cards.host_cap allows (%llu); raise it",
                            (unsigned long long)needed,
                            (unsigned long long)settings->host_cap);
    if (settings->exclusive == JOB_EXCLUSIVE_HOST && reader->ids)
        job_reader_complain(
            reader, reader->ids->key, "cards.ids",
            "'exclusive: host' takes any card of a host; remove cards.ids");
}

void gang_read(struct job_reader *reader)
{
    read_size(reader);
    read_per_host(reader);
    read_hosts(reader);
    check_conflicts(reader);
}
