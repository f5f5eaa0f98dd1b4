/* groups_json.c - writes communication_group.json: the ranks of each group */
#include "lib/base/mem.h"
#include "parsers/cluster_files/cluster_files_internal.h"

static void put_ranks(struct json_write *json, const unsigned *ranks, size_t count)
{
    json_write_array(json);
    for (size_t i = 0; i < count; i++)
        json_write_u64(json, ranks[i]);
    json_write_array_end(json);
}

static void put_text(struct json_write *json, const char *key, const char *value)
{
    json_write_key(json, key);
    json_write_text(json, value);
}

/* A list has the ranks with files; the metadata has all ranks of the group. */
static void put_list(struct json_write *json, const struct comm_sets *sets, bool is_p2p)
{
    const struct cluster *cluster = sets->cluster;

    json_write_array(json);
    for (size_t i = 0; i < cluster->group_count; i++) {
        const struct rank_set *set = &sets->rows[sets->set_of[i]];

        if (cluster->groups[i].is_p2p == is_p2p)
            put_ranks(json, set->ranks, set->count);
    }
    json_write_array_end(json);
}

void groups_json_write(struct json_write *json, const struct comm_sets *sets)
{
    const struct cluster *cluster = sets->cluster;

    json_write_object(json);
    json_write_key(json, "collective");
    put_list(json, sets, false);
    json_write_key(json, "p2p");
    put_list(json, sets, true);
    json_write_key(json, "comm_group_parallel_info");
    json_write_array(json);
    for (size_t i = 0; i < cluster->group_count; i++) {
        const struct cluster_group *group = &cluster->groups[i];

        json_write_object(json);
        put_text(json, "type", group->is_p2p ? "p2p" : "collective");
        json_write_key(json, "rank_set");
        put_ranks(json, group->ranks, group->rank_count);
        put_text(json, "group_name", group->hash);
        put_text(json, "group_id", group->id);
        put_text(json, "pg_name", group->name);
        json_write_object_end(json);
    }
    json_write_array_end(json);
    json_write_object_end(json);
}
