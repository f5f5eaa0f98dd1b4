/* gang_read.c - reads the number of cards of a task and the rules for their hosts */
#include "lib/base/mem.h"
#include "lib/base/num.h"
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

static void read_size(struct job_reader *reader)
{
    struct job_settings *settings = &reader->job->settings;
    uint64_t count = 1;

    if (reader->ranks)
        count = read_count(reader, reader->ranks, "operator.ranks");
    if (reader->threads) {
        count = read_count(reader, reader->threads, "operator.threads");
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
    else if (settings->ranks % settings->per_host != 0)
        job_reader_complain(
            reader, reader->per_host, "cards.per_host",
            "%llu ranks cannot be divided into hosts of %llu; use a divisor",
            (unsigned long long)settings->ranks,
            (unsigned long long)settings->per_host);
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
