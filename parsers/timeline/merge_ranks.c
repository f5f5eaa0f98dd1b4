#include "parsers/timeline/merge_ranks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "parsers/timeline/timeline.h"

/* One launch of one rank, as the first reading found it. */
struct part {
    uint32_t rank;
    uint32_t shard; /* which of the rank's launches */
    uint64_t launch;
    uint64_t origin_ticks;
    uint32_t ticks_khz;
    int64_t origin_ns; /* on the clock of the root */
    uint64_t uncertainty_ns;
    bool simulated;
    bool has_root; /* its host's clock was compared with the root's */
    unsigned host; /* number of the host, in the order in which they were met */
};

/* What the ranks made together. */
struct cluster {
    char kernel[257];
    uint32_t order;
    struct part *parts;
    size_t count, room;
};

struct merging {
    struct merge_ranks *merge;
    struct cluster *clusters;
    size_t count, room;
    char (*hosts)[65];
    unsigned host_count;
};

static void tell(struct merging *merging, const char *key, const char *text)
{
    struct json_write *lines = merging->merge->lines;

    json_write_object(lines);
    json_write_key(lines, key);
    json_write_text(lines, text);
    json_write_object_end(lines);
    json_write_line(lines);
}

static void tell_error(struct merging *merging, const char *text)
{
    merging->merge->bad++;
    tell(merging, "error", text);
}

static struct cluster *find_cluster(struct merging *merging,
                                    const struct source_launch *launch)
{
    for (size_t i = 0; i < merging->count; i++)
        if (merging->clusters[i].order == launch->order &&
            strcmp(merging->clusters[i].kernel, launch->kernel) == 0)
            return &merging->clusters[i];
    if (merging->count == merging->room) {
        merging->room = merging->room ? merging->room * 2 : 8;
        merging->clusters =
            xreallocarray(merging->clusters, merging->room, sizeof(*merging->clusters));
    }
    struct cluster *cluster = &merging->clusters[merging->count++];

    *cluster = (struct cluster){.order = launch->order};
    snprintf(cluster->kernel, sizeof(cluster->kernel), "%s", launch->kernel);
    return cluster;
}

static unsigned merge_host(struct merging *merging, const char *name)
{
    unsigned at = 0;

    while (at < merging->host_count && strcmp(merging->hosts[at], name) != 0)
        at++;
    if (at == merging->host_count) {
        merging->hosts = xreallocarray(merging->hosts, ++merging->host_count,
                                       sizeof(*merging->hosts));
        snprintf(merging->hosts[at], sizeof(merging->hosts[at]), "%s", name);
    }
    return at;
}

/* A tick of the device on the clock of its host, and that on the clock of the root. */
static int64_t root_ns(const struct source_launch *launch, uint64_t ticks)
{
    __int128 ns = (__int128)ticks - launch->clock.device_ticks;

    ns = ns * 1000000 / launch->info.ticks_khz + launch->clock.host_ns;
    ns += launch->offset.ns;
    return ns > INT64_MAX ? INT64_MAX : ns < 0 ? 0 : (int64_t)ns;
}

static void add_part(struct merging *merging,
                     uint32_t rank,
                     const struct source *source,
                     const struct source_launch *launch,
                     const struct findings *findings)
{
    struct cluster *cluster = find_cluster(merging, launch);
    uint64_t origin = timeline_origin(findings);

    if (cluster->count == cluster->room) {
        cluster->room = cluster->room ? cluster->room * 2 : merging->merge->ranks;
        cluster->parts =
            xreallocarray(cluster->parts, cluster->room, sizeof(*cluster->parts));
    }
    cluster->parts[cluster->count++] = (struct part){
        .rank = rank,
        .shard = launch->shard,
        .launch = launch->launch,
        .origin_ticks = origin,
        .ticks_khz = launch->info.ticks_khz,
        .origin_ns = root_ns(launch, origin),
        .uncertainty_ns = launch->clock.uncertainty_ns + launch->offset.uncertainty_ns,
        .simulated = launch->info.simulated,
        .has_root = launch->offset.is_known,
        .host = merge_host(merging, source->host),
    };
}

static bool can_be_shown(const struct source_launch *launch)
{
    return launch->has_chip && launch->complete && launch->clock.is_known &&
           launch->info.ticks_khz;
}

static void survey_launch(struct merging *merging,
                          uint32_t rank,
                          struct source *source,
                          struct source_launch *launch)
{
    struct findings findings;

    if (!can_be_shown(launch))
        return;
    source_load(source, launch);
    findings_read(&findings, launch);
    if (pmu_row_count(findings.pmu))
        add_part(merging, rank, source, launch, &findings);
    findings_clear(&findings);
    source_drop(source, launch);
}

/* First reading: who made what, and when. */
static void survey(struct merging *merging)
{
    for (uint32_t rank = 0; rank < merging->merge->ranks; rank++) {
        struct source *source;
        struct err err;

        if (merging->merge->read(&source, rank, merging->merge->arg, &err) < 0) {
            tell_error(merging, err.text);
            continue;
        }
        for (size_t i = 0; i < source->count; i++)
            survey_launch(merging, rank, source, source->launches[i]);
        source_destroy(source);
    }
}

static void add_member(struct json_write *json, const char *key, const char *value)
{
    json_write_key(json, key);
    json_write_text(json, value);
}

/* What a reader of the file must know besides the slices; viewers pass over it. */
static void write_facts(const struct merging *merging,
                        const struct cluster *cluster,
                        struct json_write *json)
{
    uint64_t worst_ns = 0;
    bool simulated = false;
    char ranks[40];

    for (size_t i = 0; i < cluster->count; i++) {
        if (cluster->parts[i].uncertainty_ns > worst_ns)
            worst_ns = cluster->parts[i].uncertainty_ns;
        simulated |= cluster->parts[i].simulated;
    }
    snprintf(ranks, sizeof(ranks), "%zu of %" PRIu32, cluster->count,
             merging->merge->ranks);
    json_write_key(json, "muster");
    json_write_object(json);
    add_member(json, "kernel", cluster->kernel);
    json_write_key(json, "clockUncertaintyUs");
    json_write_scaled(json, worst_ns > INT64_MAX ? INT64_MAX : (int64_t)worst_ns, 3);
    add_member(json, "ranks", ranks);
    json_write_key(json, "simulated");
    json_write_bool(json, simulated);
    json_write_object_end(json);
}

static int64_t first_ns(const struct cluster *cluster)
{
    int64_t first = INT64_MAX;

    for (size_t i = 0; i < cluster->count; i++)
        if (cluster->parts[i].origin_ns < first)
            first = cluster->parts[i].origin_ns;
    return first;
}

static struct source_launch *find_launch(const struct source *source,
                                         const struct part *part)
{
    for (size_t i = 0; i < source->count; i++)
        if (source->launches[i]->shard == part->shard &&
            source->launches[i]->launch == part->launch)
            return source->launches[i];
    return NULL;
}

static void add_rank(struct merging *merging,
                     const struct part *part,
                     int64_t start_ns,
                     struct trace_writer *trace)
{
    struct source_launch *launch;
    struct findings findings;
    struct source *source;
    struct err err;
    char label[32];

    if (merging->merge->read(&source, part->rank, merging->merge->arg, &err) < 0) {
        tell_error(merging, err.text); /* it was there a moment ago */
        return;
    }
    launch = find_launch(source, part);
    if (launch) {
        snprintf(label, sizeof(label), "rank %" PRIu32 " ", part->rank);
        source_load(source, launch);
        findings_read(&findings, launch);
        timeline_add(
            trace, &findings,
            &(struct timeline_view){
                .clock = {part->origin_ticks, (uint64_t)(part->origin_ns - start_ns),
                          part->ticks_khz},
                .label = label,
                .place = part->rank,
            });
        findings_clear(&findings);
    }
    source_destroy(source);
}

static int write_document(struct merging *merging,
                          const struct cluster *cluster,
                          int fd,
                          struct err *err)
{
    struct json_write json;
    struct trace_writer trace;

    json_write_to_fd(&json, fd);
    trace_writer_open_head(&trace, &json);
    write_facts(merging, cluster, &json);
    trace_writer_open_list(&trace, true);
    for (size_t i = 0; i < cluster->count; i++)
        add_rank(merging, &cluster->parts[i], first_ns(cluster), &trace);
    trace_writer_close(&trace);
    return json_write_finish(&json, err);
}

static int
write_cluster(struct merging *merging, const struct cluster *cluster, struct err *err)
{
    struct file_new *file = NULL;
    char kernel[201];
    char *folder, *path;
    int result, held = -1;

    text_to_path_part(kernel, sizeof(kernel), cluster->kernel);
    folder = xasprintf("%s/merged/%s", merging->merge->folder, kernel);
    path = xasprintf("%s/%" PRIu32 ".json", folder, cluster->order);
    result = folder_create(folder, err);
    if (result == 0)
        result = folder_hold(&held, folder, err);
    if (result == 0)
        result = file_new_create(&file, path, err);
    if (result == 0) {
        result = write_document(merging, cluster, file_new_fd(file), err);
        if (result == 0)
            result = file_new_commit(&file, err);
        else
            file_new_abandon(&file);
    }
    if (result == 0)
        tell(merging, "output", path + strlen(merging->merge->folder) + 1);
    if (held >= 0)
        close(held);
    free(folder);
    free(path);
    return result;
}

/* Ranks of one host share its clock; those of others only if it was compared. */
static void drop_unplaced(struct merging *merging, struct cluster *cluster)
{
    size_t kept = 0;

    for (size_t i = 0; i < cluster->count; i++) {
        const struct part *part = &cluster->parts[i];
        char text[200];

        if (part->has_root || part->host == cluster->parts[0].host) {
            cluster->parts[kept++] = *part;
            continue;
        }
        snprintf(text, sizeof(text),
                 "rank %" PRIu32 " is left out: the clock of its host %s is not known",
                 part->rank, merging->hosts[part->host]);
        tell_error(merging, text);
    }
    cluster->count = kept;
}

int merge_ranks_write(struct merge_ranks *merge, struct err *err)
{
    struct merging merging = {.merge = merge};
    int result = 0;

    survey(&merging);
    for (size_t i = 0; i < merging.count; i++) {
        drop_unplaced(&merging, &merging.clusters[i]);
        if (result == 0)
            result = write_cluster(&merging, &merging.clusters[i], err);
        free(merging.clusters[i].parts);
    }
    free(merging.clusters);
    free(merging.hosts);
    return result;
}
