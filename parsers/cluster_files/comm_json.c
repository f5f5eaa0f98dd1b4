/* comm_json.c - writes cluster_communication.json: the times and traffic of each
 * operator on each of its ranks, and their totals */
#include <stdlib.h>
#include <string.h>

#include "lib/base/decimal.h"
#include "lib/base/mem.h"
#include "parsers/cluster_files/cluster_files_internal.h"
#include "parsers/cluster_files/comm_totals.h"

/* The order of the profiler's own file. */
static const enum comm_transport transports[] = {COMM_RDMA, COMM_HCCS, COMM_PCIE,
                                                 COMM_SDMA, COMM_SIO};

static void put_number(struct json_write *json, const char *key, double value)
{
    json_write_key(json, key);
    json_write_double(json, value);
}

/* The start is 0 in a total, which has none. */
static void
put_times(struct json_write *json, const struct comm_times *times, int64_t start)
{
    json_write_key(json, "Communication Time Info");
    json_write_object(json);
    if (start != 0) {
        json_write_key(json, "Start Timestamp(us)");
        json_write_scaled(json, start, 3);
    }
    put_number(json, "Elapse Time(ms)", times->elapse_ms);
    put_number(json, "Transit Time(ms)", times->transit_ms);
    put_number(json, "Wait Time(ms)", times->wait_ms);
    put_number(json, "Synchronization Time(ms)", times->sync_ms);
    put_number(json, "Idle Time(ms)", times->idle_ms);
    put_number(json, "Wait Time Ratio",
               cluster_ratio(times->wait_ms, times->transit_ms));
    put_number(json, "Synchronization Time Ratio",
               cluster_ratio(times->sync_ms, times->transit_ms));
    json_write_object_end(json);
}

static void put_sizes(struct json_write *json,
                      enum comm_transport transport,
                      const struct comm_packages *packages,
                      size_t count)
{
    json_write_key(json, "Size Distribution");
    json_write_object(json);
    for (size_t i = 0; i < count; i++) {
        char digits[DECIMAL_REAL_ROOM];

        if (packages[i].transport != transport)
            continue;
        json_write_key_bytes(json, digits,
                             decimal_put_double(digits, packages[i].size_mb));
        json_write_array(json);
        json_write_double(json, packages[i].count);
        json_write_double(json, packages[i].time_ms);
        json_write_array_end(json);
    }
    json_write_object_end(json);
}

static void put_traffic(struct json_write *json,
                        const struct comm_traffic *traffic,
                        const struct comm_packages *packages,
                        size_t count,
                        bool has_ratio)
{
    json_write_key(json, "Communication Bandwidth Info");
    json_write_object(json);
    for (size_t i = 0; i < COUNT(transports); i++) {
        const struct comm_traffic *of = &traffic[transports[i]];

        json_write_key(json, comm_transport_name(transports[i]));
        json_write_object(json);
        put_number(json, "Transit Size(MB)", of->size_mb);
        put_number(json, "Transit Time(ms)", of->time_ms);
        put_number(json, "Bandwidth(GB/s)",
                   cluster_bandwidth(of->size_mb, of->time_ms));
        if (has_ratio)
            put_number(json, "Large Packet Ratio", of->large_ratio);
        put_sizes(json, transports[i], packages, count);
        json_write_object_end(json);
    }
    json_write_object_end(json);
}

static void
put_rank_key(struct json_write *json, const struct cluster *cluster, size_t rank)
{
    char digits[DECIMAL_INT_ROOM];

    json_write_key_bytes(json, digits,
                         decimal_put_i64(digits, cluster->ranks[rank].rank));
}

static void put_op(struct json_write *json,
                   const struct comm_sets *sets,
                   const struct comm_entry *entry)
{
    const struct comm_op *op = comm_sets_op(sets, entry);
    size_t count;
    const struct comm_packages *packages = comm_ops_packages_of(
        &sets->cluster->ranks[entry->rank].comm, entry->op, &count);

    put_rank_key(json, sets->cluster, entry->rank);
    json_write_object(json);
    put_times(json, &op->times, op->start);
    put_traffic(json, op->traffic, packages, count, true);
    json_write_object_end(json);
}

static void put_name(struct json_write *json,
                     const struct comm_sets *sets,
                     const char *name,
                     size_t group)
{
    char *key = xasprintf("%s@%s", name, sets->cluster->groups[group].hash);

    json_write_key(json, key);
    free(key);
}

static void put_total(void *arg, const struct comm_total *total)
{
    struct json_write *json = arg;

    put_rank_key(json, total->sets->cluster, total->rank);
    json_write_object(json);
    put_times(json, &total->times, 0);
    put_traffic(json, total->traffic, total->packages.packages,
                total->packages.package_count, false);
    json_write_object_end(json);
}

/* Writes the operators of a group in a step. */
static void put_group(struct json_write *json,
                      const struct comm_sets *sets,
                      size_t first,
                      size_t count)
{
    const struct comm_entry *entries = sets->entries + first;

    for (size_t i = 0, next; i < count; i = next) {
        put_name(json, sets, names_text(sets->cluster->names, entries[i].name),
                 entries[i].group);
        json_write_object(json);
        for (next = i; next < count && entries[next].name == entries[i].name; next++)
            if (next == i || entries[next].rank != entries[next - 1].rank)
                put_op(json, sets, &entries[next]);
        json_write_object_end(json);
    }
    put_name(json, sets, "Total Op Info", entries[0].group);
    json_write_object(json);
    comm_totals_each(sets, first, count, put_total, json);
    json_write_object_end(json);
}

void comm_json_write(struct json_write *json, const struct comm_sets *sets)
{
    const struct comm_entry *entries = sets->entries;
    struct text ranks = {0};

    json_write_object(json);
    for (size_t i = 0; i < sets->entry_count;) {
        const struct rank_set *set = &sets->rows[entries[i].set];
        size_t of_set = entries[i].set;

        text_reset(&ranks);
        ranks_add(&ranks, set->ranks, set->count, ", ");
        json_write_key(json, text_get(&ranks));
        json_write_object(json);
        while (i < sets->entry_count && entries[i].set == of_set) {
            uint32_t step = entries[i].step;

            json_write_key(json, names_text(sets->cluster->names, step));
            json_write_object(json);
            while (i < sets->entry_count && entries[i].set == of_set &&
                   entries[i].step == step) {
                size_t count = comm_sets_group_length(sets, i);

                put_group(json, sets, i, count);
                i += count;
            }
            json_write_object_end(json);
        }
        json_write_object_end(json);
    }
    json_write_object_end(json);
    text_clear(&ranks);
}
