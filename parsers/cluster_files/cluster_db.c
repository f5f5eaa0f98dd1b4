/* cluster_db.c - writes cluster_analysis.db: the tables of the comparison of ranks */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/sqlite/table_file.h"
#include "parsers/cluster_files/cluster_files_internal.h"
#include "parsers/cluster_files/comm_totals.h"

static const char tables[] =
    "CREATE TABLE CommunicationGroupMapping (type TEXT, rank_set TEXT, group_name "
    "TEXT, group_id TEXT, pg_name TEXT);"
    "CREATE TABLE ClusterCommunicationTime (step TEXT, rank_id INTEGER, hccl_op_name "
    "TEXT, group_name TEXT, start_timestamp NUMERIC, elapsed_time NUMERIC, "
    "transit_time NUMERIC, wait_time NUMERIC, synchronization_time NUMERIC, idle_time "
    "NUMERIC, synchronization_time_ratio NUMERIC, wait_time_ratio NUMERIC);"
    "CREATE TABLE ClusterCommunicationBandwidth (step TEXT, rank_id INTEGER, "
    "hccl_op_name TEXT, group_name TEXT, band_type TEXT, transit_size NUMERIC, "
    "transit_time NUMERIC, bandwidth NUMERIC, large_packet_ratio NUMERIC, "
    "package_size NUMERIC, count NUMERIC, total_duration NUMERIC);"
    "CREATE TABLE ClusterCommunicationMatrix (step TEXT, hccl_op_name TEXT, "
    "group_name TEXT, src_rank TEXT, dst_rank TEXT, transport_type TEXT, op_name "
    "TEXT, transit_size NUMERIC, transit_time NUMERIC, bandwidth NUMERIC);"
    "CREATE TABLE ClusterStepTraceTime (step TEXT, type TEXT, \"index\" TEXT, "
    "computing NUMERIC, communication_not_overlapped NUMERIC, overlapped NUMERIC, "
    "communication NUMERIC, free NUMERIC, stage NUMERIC, bubble NUMERIC, "
    "communication_not_overlapped_and_exclude_receive NUMERIC, preparing NUMERIC, "
    "dp_index INTEGER, pp_index INTEGER, tp_index INTEGER);"
    "CREATE TABLE ClusterTimeSummary (rank INTEGER, step TEXT, stepTime NUMERIC, "
    "computation NUMERIC, communicationNotOverlapComputation NUMERIC, "
    "communicationOverlapComputation NUMERIC, communication NUMERIC, free NUMERIC, "
    "communicationWaitStageTime NUMERIC, communicationTransmitStageTime NUMERIC, "
    "memory NUMERIC, memoryNotOverlapComputationCommunication NUMERIC);"
    "CREATE TABLE HostInfo (hostUid TEXT, hostName TEXT);"
    "CREATE TABLE RankDeviceMap (rankId INTEGER, deviceId INTEGER, hostUid TEXT, "
    "profilePath TEXT);"
    "CREATE TABLE ClusterBaseInfo (key TEXT, value TEXT);";

struct db {
    struct table_file *file;
    const struct comm_sets *sets;
    const char *step, *op, *group; /* of the rows that are written */
};

static void add_groups(const struct db *db)
{
    const struct cluster *cluster = db->sets->cluster;
    struct text ranks = {0};

    for (size_t i = 0; i < cluster->group_count; i++) {
        const struct cluster_group *group = &cluster->groups[i];

        text_reset(&ranks);
        ranks_add(&ranks, group->ranks, group->rank_count, ",");
        table_file_add(db->file, "CommunicationGroupMapping", "TTTTT",
                       group->is_p2p ? "p2p" : "collective", text_get(&ranks),
                       group->hash, group->id, group->name);
    }
    text_clear(&ranks);
}

static void add_step(void *arg, const struct step_times_row *row)
{
    const struct db *db = arg;
    struct text index = {0};
    bool has_place = row->rank && row->rank->dp >= 0;

    if (row->rank)
        text_printf(&index, "%lld", (long long)row->rank->rank);
    else
        ranks_add(&index, row->stage->ranks, row->stage->rank_count, ",");
    table_file_add(db->file, "ClusterStepTraceTime", "TTTDDDDDDDDDIII", row->step,
                   row->rank ? "rank" : "stage", text_get(&index),
                   row->us[STEP_COMPUTING], row->us[STEP_COMMUNICATION_ALONE],
                   row->us[STEP_OVERLAPPED], row->us[STEP_COMMUNICATION],
                   row->us[STEP_FREE], row->us[STEP_STAGE], row->us[STEP_BUBBLE],
                   row->us[STEP_COMMUNICATION_NO_RECEIVE], row->us[STEP_PREPARING],
                   (int64_t)(has_place ? row->rank->dp : 0),
                   (int64_t)(has_place ? row->rank->pp : 0),
                   (int64_t)(has_place ? row->rank->tp : 0));
    text_clear(&index);
}

static void add_rank_times(const struct db *db)
{
    const struct cluster *cluster = db->sets->cluster;

    for (size_t i = 0; i < cluster->time_count; i++) {
        const struct rank_times *row = &cluster->times[i];

        table_file_add(db->file, "ClusterTimeSummary", "ITDDDDDDDDDD", row->rank,
                       row->step, row->us[TIME_STEP], row->us[TIME_COMPUTING],
                       row->us[TIME_COMM_ALONE], row->us[TIME_OVERLAPPED],
                       row->us[TIME_COMM], row->us[TIME_FREE], row->us[TIME_WAIT],
                       row->us[TIME_TRANSMIT], row->us[TIME_COPY],
                       row->us[TIME_COPY_ALONE]);
    }
}

static void add_times(const struct db *db,
                      int64_t rank,
                      const struct comm_times *times,
                      double start_us)
{
    table_file_add(db->file, "ClusterCommunicationTime", "TITTDDDDDDDD", db->step, rank,
                   db->op, db->group, start_us, times->elapse_ms, times->transit_ms,
                   times->wait_ms, times->sync_ms, times->idle_ms,
                   cluster_ratio(times->sync_ms, times->transit_ms),
                   cluster_ratio(times->wait_ms, times->transit_ms));
}

/* A row for each size of packages; a transport without packages has one row. */
static void add_traffic(const struct db *db,
                        int64_t rank,
                        const struct comm_traffic *traffic,
                        const struct comm_packages *packages,
                        size_t count)
{
    static const struct comm_packages none;

    for (enum comm_transport i = 0; i < COMM_TRANSPORT_COUNT; i++) {
        bool any = false;

        for (size_t j = 0; j <= count; j++) {
            const struct comm_packages *of = j < count ? &packages[j] : &none;

            if (j < count ? of->transport != i : any)
                continue;
            any = true;
            table_file_add(db->file, "ClusterCommunicationBandwidth", "TITTTDDDDDDD",
                           db->step, rank, db->op, db->group, comm_transport_name(i),
                           traffic[i].size_mb, traffic[i].time_ms,
                           cluster_bandwidth(traffic[i].size_mb, traffic[i].time_ms),
                           traffic[i].large_ratio, of->size_mb, of->count, of->time_ms);
        }
    }
}

static void add_total(void *arg, const struct comm_total *total)
{
    const struct db *db = arg;
    int64_t rank = db->sets->cluster->ranks[total->rank].rank;

    add_times(db, rank, &total->times, 0);
    add_traffic(db, rank, total->traffic, total->packages.packages,
                total->packages.package_count);
}

static void add_ops(struct db *db)
{
    const struct cluster *cluster = db->sets->cluster;

    for (size_t i = 0; i < db->sets->entry_count;) {
        const struct comm_entry *entry = &db->sets->entries[i];
        size_t length = comm_sets_group_length(db->sets, i);

        db->step = names_text(cluster->names, entry->step);
        db->group = cluster->groups[entry->group].hash;
        for (size_t j = 0; j < length; j++) {
            const struct comm_op *op = comm_sets_op(db->sets, &entry[j]);
            const struct cluster_rank *rank = &cluster->ranks[entry[j].rank];
            size_t count;
            const struct comm_packages *packages =
                comm_ops_packages_of(&rank->comm, entry[j].op, &count);

            db->op = names_text(cluster->names, entry[j].name);
            add_times(db, rank->rank, &op->times, (double)op->start / 1000);
            add_traffic(db, rank->rank, op->traffic, packages, count);
        }
        db->op = "Total Op Info";
        comm_totals_each(db->sets, i, length, add_total, db);
        i += length;
    }
}

static void add_links(const struct db *db)
{
    const struct cluster *cluster = db->sets->cluster;

    for (size_t i = 0; i < db->sets->link_count; i++) {
        const struct link_entry *link = &db->sets->links[i];
        char *from = xasprintf("%lld", (long long)link->from);
        char *to = xasprintf("%lld", (long long)link->to);

        table_file_add(db->file, "ClusterCommunicationMatrix", "TTTTTTTDDD",
                       names_text(cluster->names, link->step),
                       names_text(cluster->names, link->kind),
                       cluster->groups[link->group].hash, from, to,
                       names_text(cluster->names, link->transport),
                       names_text(cluster->names, link->op), link->size_mb,
                       link->time_ms, cluster_bandwidth(link->size_mb, link->time_ms));
        free(from);
        free(to);
    }
}

/* Adds each host once. Only databases name hosts; without one the table is empty. */
static void add_hosts(const struct db *db)
{
    const struct cluster *cluster = db->sets->cluster;

    for (size_t i = 0; i < cluster->count; i++) {
        const struct rank_host *host = &cluster->ranks[i].host;
        size_t before = 0;

        while (before < i && strcmp(cluster->ranks[before].host.uid, host->uid) != 0)
            before++;
        if (before == i && host->uid[0])
            table_file_add(db->file, "HostInfo", "TT", host->uid, host->name);
    }
}

/* The device and the host have no value where they are unknown. */
static void add_ranks(const struct db *db)
{
    const struct cluster *cluster = db->sets->cluster;
    const struct profiler_metadata *first = &cluster->ranks[0].metadata;
    char *world = xasprintf("%llu", (unsigned long long)cluster->world);
    char *args = xasprintf(
        "{\"tensor_model_parallel_size\": %llu, \"pipeline_model_parallel_size\": "
        "%llu, \"data_parallel_size\": %llu, \"context_parallel_size\": %llu, "
        "\"world_size\": %s}",
        (unsigned long long)first->tensor, (unsigned long long)first->pipeline,
        (unsigned long long)first->data, (unsigned long long)first->context, world);

    for (size_t i = 0; i < cluster->count; i++) {
        const struct rank_host *host = &cluster->ranks[i].host;

        table_file_add(db->file, "RankDeviceMap", "IDTT", cluster->ranks[i].rank,
                       host->device >= 0 ? (double)host->device : NAN,
                       host->uid[0] ? host->uid : NULL, cluster->ranks[i].path);
    }
    if (first->world > 0)
        table_file_add(db->file, "ClusterBaseInfo", "TT", "distributed_args", args);
    free(args);
    free(world);
}

int cluster_db_write(const char *folder, const struct comm_sets *sets, struct err *err)
{
    char *path = xasprintf("%s/cluster_analysis.db", folder);
    struct db db = {.sets = sets};
    int result = table_file_create(&db.file, path, tables, err);

    if (result == 0) {
        add_groups(&db);
        step_times_each(sets->cluster, add_step, &db);
        add_rank_times(&db);
        add_ops(&db);
        add_links(&db);
        add_hosts(&db);
        add_ranks(&db);
        result = table_file_finish(db.file, err);
    }
    free(path);
    return result;
}
