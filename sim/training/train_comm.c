/* train_comm.c - writes communication.json and communication_matrix.json */
#include <inttypes.h>
#include <stdlib.h>

#include "sim/training/train_files.h"

static double ms(uint64_t ns)
{
    return (double)ns / 1e6;
}

static double megabytes(uint64_t bytes)
{
    return (double)bytes / 1e6;
}

static double ratio(uint64_t part, uint64_t other)
{
    return part + other ? (double)part / (double)(part + other) : 0;
}

static uint64_t sent_ns(const struct train_collective *of, uint32_t to)
{
    uint64_t sum = 0;

    for (uint32_t stage = 0; stage < TRAIN_STAGES; stage++)
        sum += of->sent_ns[to][stage];
    return sum;
}

static void
put_traffic(FILE *out, const char *name, uint64_t packets, uint64_t bytes, uint64_t ns)
{
    double size = megabytes(bytes * packets);

    fprintf(out,
            "%s\"%s\": {\"Transit Size(MB)\": %.6f, \"Transit Time(ms)\": %.6f, "
            "\"Bandwidth(GB/s)\": %.4f, \"Large Packet Ratio\": %d, "
            "\"Size Distribution\": {",
            name[0] == 'R' ? "" : ", ", name, size, ms(ns), ns ? size / ms(ns) : 0,
            packets && megabytes(bytes) > 32);
    if (packets)
        fprintf(out, "\"%.6f\": [%" PRIu64 ", %.6f]", megabytes(bytes), packets,
                ms(ns));
    fputs("}}", out);
}

static void put_collective(FILE *out,
                           const struct train_collective *of,
                           uint32_t number,
                           uint32_t ranks)
{
    uint64_t elapse = of->end - of->start, sum = 0;
    uint64_t packets = (ranks - 1) * TRAIN_STAGES;

    for (uint32_t to = 0; to < ranks; to++)
        sum += sent_ns(of, to);
    fprintf(out,
            "\"hcom_allReduce__" TRAIN_GROUP_TAIL "_%" PRIu32 "_1@" TRAIN_GROUP
            "\": {\"Communication Time Info\": {\"Start Timestamp(us)\": %" PRIu64
            ".%03u, \"Elapse Time(ms)\": %.6f, \"Transit Time(ms)\": %.6f, "
            "\"Wait Time(ms)\": %.6f, \"Synchronization Time(ms)\": %.6f, "
            "\"Idle Time(ms)\": %.6f, \"Wait Time Ratio\": %.4f, "
            "\"Synchronization Time Ratio\": %.4f}, "
            "\"Communication Bandwidth Info\": {",
            number, of->start / 1000, (unsigned)(of->start % 1000), ms(elapse),
            ms(of->transit), ms(of->wait), ms(of->sync),
            ms(elapse - of->transit - of->wait), ratio(of->wait, of->transit),
            ratio(of->sync, of->transit));
    put_traffic(out, "RDMA", 0, 0, 0);
    put_traffic(out, "HCCS", packets, of->bytes, sum);
    put_traffic(out, "PCIE", 0, 0, 0);
    put_traffic(out, "SDMA", packets, of->bytes, sum);
    put_traffic(out, "SIO", 0, 0, 0);
    fputs("}}", out);
}

void train_comm_write(FILE *out, const struct train_model *model, uint32_t number)
{
    const struct train_rank *rank = &model->ranks[number];

    fputs("{", out);
    for (uint32_t step = 0; step < model->options.steps; step++) {
        const char *between = "";

        fprintf(out, "%s\"step%" PRIu32 "\": {\"p2p\": {}, \"collective\": {",
                step ? ", " : "", step + TRAIN_FIRST_STEP);
        for (size_t i = 0; i < rank->collective_count; i++) {
            if (rank->collectives[i].step != step)
                continue;
            fputs(between, out);
            put_collective(out, &rank->collectives[i], (uint32_t)i,
                           model->options.ranks);
            between = ", ";
        }
        fputs("}}", out);
    }
    fputs("}\n", out);
}

struct link {
    uint32_t collective;
    uint64_t bytes, ns;
};

static int fastest_first(const void *a, const void *b)
{
    const struct link *one = a, *other = b;

    return (one->ns > other->ns) - (one->ns < other->ns);
}

static void put_link(FILE *out,
                     const char *between,
                     uint32_t from,
                     uint32_t to,
                     const struct link *link)
{
    fprintf(out,
            "%s\"%" PRIu32 "-%" PRIu32
            "\": {\"Transport Type\": \"HCCS\", \"Transit Size(MB)\": %.6f, "
            "\"Transit Time(ms)\": %.6f, \"Bandwidth(GB/s)\": %.4f, \"Op Name\": "
            "\"hcom_allReduce__" TRAIN_GROUP_TAIL "_%" PRIu32 "_1@" TRAIN_GROUP "\"}",
            between, from, to, megabytes(link->bytes), ms(link->ns),
            megabytes(link->bytes) / ms(link->ns), link->collective);
}

/* Fills links[0..n] with the collectives of a step, and links[n] with their sum.
 * Returns n. */
static size_t
collect(struct link *links, const struct train_rank *rank, uint32_t step, uint32_t to)
{
    size_t count = 0;
    struct link sum = {0};

    for (size_t i = 0; i < rank->collective_count; i++) {
        const struct train_collective *of = &rank->collectives[i];

        if (of->step != step)
            continue;
        links[count] =
            (struct link){(uint32_t)i, of->bytes * TRAIN_STAGES, sent_ns(of, to)};
        sum.collective = (uint32_t)i;
        sum.bytes += links[count].bytes;
        sum.ns += links[count++].ns;
    }
    qsort(links, count, sizeof(*links), fastest_first);
    links[count] = sum;
    return count;
}

static void put_step(FILE *out,
                     const struct train_model *model,
                     uint32_t number,
                     uint32_t step,
                     struct link *links)
{
    static const char *const names[] = {"top1",    "middle",  "bottom1",
                                        "bottom2", "bottom3", "total"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *between = "";

        fprintf(out, "%s\"allreduce-%s@" TRAIN_GROUP "\": {", i ? ", " : "", names[i]);
        for (uint32_t to = 0; to < model->options.ranks; to++) {
            size_t count = collect(links, &model->ranks[number], step, to);
            const size_t places[] = {0,
                                     count / 2,
                                     count - 1,
                                     count < 2 ? 0 : count - 2,
                                     count < 3 ? 0 : count - 3,
                                     count};

            if (to == number || count == 0)
                continue;
            put_link(out, between, number, to, &links[places[i]]);
            between = ", ";
        }
        fputs("}", out);
    }
}

void train_comm_matrix_write(FILE *out,
                             const struct train_model *model,
                             uint32_t number)
{
    const struct train_rank *rank = &model->ranks[number];
    struct link *links = calloc(rank->collective_count + 1, sizeof(*links));

    if (!links)
        abort();
    fputs("{", out);
    for (uint32_t step = 0; step < model->options.steps; step++) {
        fprintf(out, "%s\"step%" PRIu32 "\": {\"p2p\": {}, \"collective\": {",
                step ? ", " : "", step + TRAIN_FIRST_STEP);
        put_step(out, model, number, step, links);
        fputs("}}", out);
    }
    fputs("}\n", out);
    free(links);
}
