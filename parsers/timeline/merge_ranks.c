#include "parsers/timeline/merge_ranks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/log.h"
#include "lib/base/mem.h"
#include "parsers/findings/replay_times.h"
#include "parsers/timeline/rank_flows.h"
#include "parsers/timeline/timeline.h"

/* A launch of one rank, as the first pass over the sources read it. */
struct rank_launch {
    uint32_t rank;
    uint32_t shard; /* shard and launch identify it within the rank */
    uint64_t launch;
    uint64_t origin_ticks;
    uint32_t ticks_khz;
    int64_t origin_ns; /* on the clock of the root host */
    uint64_t uncertainty_ns;
    bool simulated;
    bool has_root; /* the offset of its host from the root is known */
    unsigned host; /* index into merging.hosts */
    uint32_t device;
    bool has_release;    /* the barrier before the execution released all ranks: */
    int64_t released_ns; /* this rank, on the clock of the root host */
};

/* The launches of all ranks with one kernel and order: one merged timeline. */
struct merged_launch {
    char kernel[257];
    uint32_t order;
    struct rank_launch *ranks;
    size_t count, room;
};

struct merging {
    struct merge_ranks *merge;
    struct merged_launch *launches;
    size_t count, room;
    char (*hosts)[65];
    unsigned host_count;
};

static void write_line(struct merging *merging, const char *key, const char *text)
{
    struct json_write *lines = merging->merge->lines;

    json_write_object(lines);
    json_write_key(lines, key);
    json_write_text(lines, text);
    json_write_object_end(lines);
    json_write_line(lines);
}

static void write_error(struct merging *merging, const char *text)
{
    merging->merge->bad++;
    write_line(merging, "error", text);
}

static struct merged_launch *find_merged(struct merging *merging,
                                         const struct source_launch *launch)
{
    for (size_t i = 0; i < merging->count; i++)
        if (merging->launches[i].order == launch->order &&
            strcmp(merging->launches[i].kernel, launch->kernel) == 0)
            return &merging->launches[i];
    if (merging->count == merging->room) {
        merging->room = merging->room ? merging->room * 2 : 8;
        merging->launches =
            xreallocarray(merging->launches, merging->room, sizeof(*merging->launches));
    }
    struct merged_launch *merged = &merging->launches[merging->count++];

    *merged = (struct merged_launch){.order = launch->order};
    snprintf(merged->kernel, sizeof(merged->kernel), "%s", launch->kernel);
    return merged;
}

/* Returns the index of a host name, which is added when it is new. */
static unsigned host_index(struct merging *merging, const char *name)
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

/* The release from the last barrier before an execution. */
struct release {
    int64_t before_ns; /* start of the execution */
    bool is_known;
    int64_t at_ns;
};

static void keep_release(const struct replay_time *time, void *arg)
{
    struct release *release = arg;

    if (!time->has_barrier || time->released_ns > release->before_ns ||
        (release->is_known && time->released_ns < release->at_ns))
        return;
    release->is_known = true;
    release->at_ns = time->released_ns;
}

static struct release release_before(const struct source_launch *launch,
                                     int64_t origin_ns,
                                     uint64_t uncertainty_ns)
{
    struct release release = {.before_ns = origin_ns + (int64_t)uncertainty_ns};

    replay_times_each(launch, keep_release, &release);
    return release;
}

static void add_rank_launch(struct merging *merging,
                            uint32_t rank,
                            const struct source *source,
                            const struct source_launch *launch,
                            const struct findings *findings)
{
    struct merged_launch *merged = find_merged(merging, launch);
    uint64_t origin = timeline_origin(findings);
    int64_t origin_ns = source_root_ns(launch, origin);
    uint64_t uncertainty_ns =
        launch->clock.uncertainty_ns + launch->offset.uncertainty_ns;
    struct release release = release_before(launch, origin_ns, uncertainty_ns);

    if (merged->count == merged->room) {
        merged->room = merged->room ? merged->room * 2 : merging->merge->ranks;
        merged->ranks =
            xreallocarray(merged->ranks, merged->room, sizeof(*merged->ranks));
    }
    merged->ranks[merged->count++] = (struct rank_launch){
        .rank = rank,
        .shard = launch->shard,
        .launch = launch->launch,
        .origin_ticks = origin,
        .ticks_khz = launch->info.ticks_khz,
        .origin_ns = origin_ns,
        .uncertainty_ns = uncertainty_ns,
        .simulated = launch->info.simulated,
        .has_root = launch->offset.is_known,
        .host = host_index(merging, source->host),
        .device = launch->info.device,
        .has_release = release.is_known,
        .released_ns = release.at_ns,
    };
}

static bool has_clock(const struct source_launch *launch)
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

    if (!has_clock(launch))
        return;
    source_load(source, launch);
    findings_read(&findings, launch);
    if (pmu_row_count(findings.pmu))
        add_rank_launch(merging, rank, source, launch, &findings);
    findings_clear(&findings);
    source_drop(source, launch);
}

/* First pass over the sources: stores which rank executed which launch, and when. */
static void survey(struct merging *merging)
{
    for (uint32_t rank = 0; rank < merging->merge->ranks; rank++) {
        struct source *source;
        struct err err;

        if (merging->merge->read(&source, rank, merging->merge->arg, &err) < 0) {
            write_error(merging, err.text);
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

/* Returns true when each of several ranks has a release. */
static bool has_releases(const struct merged_launch *merged)
{
    for (size_t i = 0; i < merged->count; i++)
        if (!merged->ranks[i].has_release)
            return false;
    return merged->count > 1;
}

/* Returns true when the file of aligned releases has a meaning. The simulator starts
 * the ranks together by their simulated clocks, however late the host releases a rank.
 */
static bool can_align(const struct merged_launch *merged)
{
    for (size_t i = 0; i < merged->count; i++)
        if (merged->ranks[i].simulated)
            return false;
    return has_releases(merged);
}

static int64_t release_skew_ns(const struct merged_launch *merged)
{
    int64_t first = INT64_MAX, last = INT64_MIN;

    for (size_t i = 0; i < merged->count; i++) {
        int64_t at = merged->ranks[i].released_ns;

        first = at < first ? at : first;
        last = at > last ? at : last;
    }
    return last - first;
}

/* Writes what the slices do not show; viewers ignore this member. */
static void write_facts(const struct merging *merging,
                        const struct merged_launch *merged,
                        bool aligned,
                        struct json_write *json)
{
    uint64_t worst_ns = 0;
    bool simulated = false;
    char ranks[40];

    for (size_t i = 0; i < merged->count; i++) {
        if (merged->ranks[i].uncertainty_ns > worst_ns)
            worst_ns = merged->ranks[i].uncertainty_ns;
        simulated |= merged->ranks[i].simulated;
    }
    snprintf(ranks, sizeof(ranks), "%zu of %" PRIu32, merged->count,
             merging->merge->ranks);
    json_write_key(json, "muster");
    json_write_object(json);
    add_member(json, "kernel", merged->kernel);
    json_write_key(json, "alignedAtRelease");
    json_write_bool(json, aligned);
    if (has_releases(merged)) {
        json_write_key(json, "releaseSkewUs");
        json_write_scaled(json, release_skew_ns(merged), 3);
    }
    json_write_key(json, "clockUncertaintyUs");
    json_write_scaled(json, worst_ns > INT64_MAX ? INT64_MAX : (int64_t)worst_ns, 3);
    add_member(json, "ranks", ranks);
    json_write_key(json, "simulated");
    json_write_bool(json, simulated);
    json_write_object_end(json);
}

/* Returns the start of a rank: on the clock of the root host, or from its release on.
 */
static int64_t start_of(const struct rank_launch *rank_launch, bool aligned)
{
    return rank_launch->origin_ns - (aligned ? rank_launch->released_ns : 0);
}

/* Returns the time that the file shows as 0: the first start. In an aligned file this
 * is the release, unless the clocks show a start before it. */
static int64_t zero_of(const struct merged_launch *merged, bool aligned)
{
    int64_t zero = aligned ? 0 : INT64_MAX;

    for (size_t i = 0; i < merged->count; i++)
        if (start_of(&merged->ranks[i], aligned) < zero)
            zero = start_of(&merged->ranks[i], aligned);
    return zero;
}

static struct source_launch *find_launch(const struct source *source,
                                         const struct rank_launch *rank_launch)
{
    for (size_t i = 0; i < source->count; i++)
        if (source->launches[i]->shard == rank_launch->shard &&
            source->launches[i]->launch == rank_launch->launch)
            return source->launches[i];
    return NULL;
}

static void add_rank(struct merging *merging,
                     const struct rank_launch *rank_launch,
                     int64_t start_ns, /* in the file */
                     struct rank_flows *flows,
                     struct trace_writer *trace)
{
    struct source_launch *launch;
    struct findings findings;
    struct source *source;
    struct err err;
    char label[SLICE_NAME_BYTES - 16];

    if (merging->merge->read(&source, rank_launch->rank, merging->merge->arg, &err) <
        0) {
        write_error(merging, err.text); /* the first pass could read it */
        return;
    }
    launch = find_launch(source, rank_launch);
    if (launch) {
        snprintf(label, sizeof(label), "rank %" PRIu32 " %s:%" PRIu32 " ",
                 rank_launch->rank, merging->hosts[rank_launch->host],
                 rank_launch->device);
        source_load(source, launch);
        findings_read(&findings, launch);
        timeline_add(trace, &findings,
                     &(struct timeline_view){
                         .clock = {rank_launch->origin_ticks, (uint64_t)start_ns,
                                   rank_launch->ticks_khz},
                         .label = label,
                         .place = rank_launch->rank,
                         .flows = flows,
                     });
        findings_clear(&findings);
    }
    source_destroy(source);
}

static int write_document(struct merging *merging,
                          const struct merged_launch *merged,
                          bool aligned,
                          int fd,
                          struct err *err)
{
    struct json_write json;
    struct rank_flows *flows = rank_flows_create();
    struct trace_writer trace;
    int64_t zero_ns = zero_of(merged, aligned);
    size_t without_arrow;

    json_write_to_fd(&json, fd);
    trace_writer_open_head(&trace, &json);
    write_facts(merging, merged, aligned, &json);
    trace_writer_open_list(&trace, true);
    for (size_t i = 0; i < merged->count; i++)
        add_rank(merging, &merged->ranks[i],
                 start_of(&merged->ranks[i], aligned) - zero_ns, flows, &trace);
    without_arrow = rank_flows_write(flows, &trace);
    if (without_arrow)
        log_info("notifications without a counterpart: kernel=%s count=%zu",
                 merged->kernel, without_arrow);
    rank_flows_destroy(flows);
    trace_writer_close(&trace);
    return json_write_finish(&json, err);
}

static int write_merged(struct merging *merging,
                        const struct merged_launch *merged,
                        bool aligned,
                        struct err *err)
{
    struct file_new *file = NULL;
    char kernel[201];
    char *folder, *path;
    int result, folder_fd = -1;

    text_to_path_part(kernel, sizeof(kernel), merged->kernel);
    folder = xasprintf("%s/%s/%s", merging->merge->folder,
                       aligned ? "aligned" : "merged", kernel);
    path = xasprintf("%s/%" PRIu32 ".json", folder, merged->order);
    result = folder_create(folder, err);
    if (result == 0)
        result = folder_hold(&folder_fd, folder, err);
    if (result == 0)
        result = file_new_create(&file, path, err);
    if (result == 0) {
        result = write_document(merging, merged, aligned, file_new_fd(file), err);
        if (result == 0)
            result = file_new_commit(&file, err);
        else
            file_new_abandon(&file);
    }
    if (result == 0)
        write_line(merging, "output", path + strlen(merging->merge->folder) + 1);
    if (folder_fd >= 0)
        close(folder_fd);
    free(folder);
    free(path);
    return result;
}

/* Drops ranks whose position on the common clock is unknown: ranks of another host than
 * the first, without an offset to the root. */
static void drop_unplaced(struct merging *merging, struct merged_launch *merged)
{
    size_t kept = 0;

    for (size_t i = 0; i < merged->count; i++) {
        const struct rank_launch *rank_launch = &merged->ranks[i];
        char text[200];

        if (rank_launch->has_root || rank_launch->host == merged->ranks[0].host) {
            merged->ranks[kept++] = *rank_launch;
            continue;
        }
        snprintf(text, sizeof(text),
                 "rank %" PRIu32 " is not in the merged timeline: the clock offset of "
                 "its host %s is unknown",
                 rank_launch->rank, merging->hosts[rank_launch->host]);
        write_error(merging, text);
    }
    merged->count = kept;
}

int merge_ranks_write(struct merge_ranks *merge, struct err *err)
{
    struct merging merging = {.merge = merge};
    int result = 0;

    survey(&merging);
    for (size_t i = 0; i < merging.count; i++) {
        drop_unplaced(&merging, &merging.launches[i]);
        if (result == 0)
            result = write_merged(&merging, &merging.launches[i], false, err);
        if (result == 0 && can_align(&merging.launches[i]))
            result = write_merged(&merging, &merging.launches[i], true, err);
        free(merging.launches[i].ranks);
    }
    free(merging.launches);
    free(merging.hosts);
    return result;
}
