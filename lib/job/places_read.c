/* places_read.c - reads cards.at, the cards of the ranks of each point */
#include <string.h>

#include "lib/base/mem.h"
#include "lib/job/pattern_reader.h"

enum { HOST_ROOM = 256 };

static void check_conflicts(struct job_reader *reader)
{
    const struct {
        const struct yaml_node *node;
        const char *key;
    } others[] = {
        {reader->ids, "cards.ids"},
        {reader->hosts, "cards.hosts"},
        {reader->per_host, "cards.per_host"},
    };

    for (size_t i = 0; i < COUNT(others); i++)
        if (others[i].node)
            job_reader_complain(reader, others[i].node, others[i].key,
                                "cards.at names the card of each rank; remove this key "
                                "or cards.at");
}

void places_read(struct pattern_reader *patterns)
{
    struct job_reader *reader = patterns->reader;
    struct job *job = reader->job;

    job->settings.placed = true;
    check_conflicts(reader);
    pattern_reader_list(patterns, &job->places, reader->at, "cards.at");
}

/* Returns the node of a word of cards.at. */
static const struct yaml_node *node_of(const struct job_reader *reader, size_t rank)
{
    const struct yaml_node *node = reader->at->first;

    while (rank-- > 0)
        node = node->next;
    return node;
}

/* Requires a different card for each rank. Returns false after a problem. */
static bool check_point(struct job_reader *reader, const struct job_list *places)
{
    for (size_t rank = 0; rank < places->count; rank++) {
        const char *place = places->items[rank];
        char host[HOST_ROOM], key[JOB_READER_KEY_MAX];
        uint32_t card;

        job_reader_key(key, "cards.at", rank);
        if (!job_place_parse(place, host, sizeof(host), &card)) {
            job_reader_complain(reader, node_of(reader, rank), key,
                                "expected HOST:CARD, such as gpu-04:3, found '%.64s'",
                                place);
            return false;
        }
        for (size_t other = 0; other < rank; other++)
            if (strcmp(places->items[other], place) == 0) {
                job_reader_complain(reader, node_of(reader, rank), key,
                                    "ranks %zu and %zu are both on '%.64s'; use "
                                    "another card",
                                    other, rank, place);
                return false;
            }
    }
    return true;
}

void places_check(struct job_reader *reader)
{
    struct job *job = reader->job;
    struct job_point point;

    if (job->ranks) {
        job_reader_complain(reader, reader->at, "cards.at",
                            "cards.at names one card for each rank, but the points "
                            "have different numbers of ranks; use a job for each "
                            "number, or remove cards.at");
        return;
    }
    if (job->places.count != job->settings.ranks) {
        job_reader_complain(reader, reader->at, "cards.at",
                            "the list has %zu cards, but a task has %llu ranks; name "
                            "one card for each rank",
                            job->places.count, (unsigned long long)job->settings.ranks);
        return;
    }
    if (job->sweep.points > JOB_PLACED_POINTS_MAX) {
        job_reader_complain(reader, reader->at, "cards.at",
                            "the job has %llu points; with cards.at at most %d are "
                            "allowed; divide the job",
                            (unsigned long long)job->sweep.points,
                            JOB_PLACED_POINTS_MAX);
        return;
    }
    struct job_points *points = job_points_create(job);
    while (job_points_next(points, &point) && check_point(reader, &point.places))
        ;
    job_points_destroy(points);
}
