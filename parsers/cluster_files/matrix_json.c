/* matrix_json.c - writes cluster_communication_matrix.json: the traffic of each link,
 * with the ranks of the program */
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "parsers/cluster_files/cluster_files_internal.h"

static void put_number(struct json_write *json, const char *key, double value)
{
    json_write_key(json, key);
    json_write_double(json, value);
}

static void put_link(struct json_write *json,
                     const struct cluster *cluster,
                     const struct link_entry *link)
{
    const char *op = names_text(cluster->names, link->op);
    char key[48];

    snprintf(key, sizeof(key), "%lld-%lld", (long long)link->from, (long long)link->to);
    json_write_key(json, key);
    json_write_object(json);
    json_write_key(json, "Transport Type");
    json_write_text(json, names_text(cluster->names, link->transport));
    put_number(json, "Transit Time(ms)", link->time_ms);
    put_number(json, "Transit Size(MB)", link->size_mb);
    put_number(json, "Bandwidth(GB/s)",
               cluster_bandwidth(link->size_mb, link->time_ms));
    if (*op) {
        json_write_key(json, "Op Name");
        json_write_text(json, op);
    }
    json_write_object_end(json);
}

static void put_kind(struct json_write *json,
                     const struct cluster *cluster,
                     const char *kind,
                     size_t group)
{
    char *key = xasprintf("%s@%s", kind, cluster->groups[group].hash);

    json_write_key(json, key);
    json_write_object(json);
    free(key);
}

static bool is_same_ends(const struct link_entry *a, const struct link_entry *b)
{
    return a->from == b->from && a->to == b->to;
}

/* Writes the sums of all kinds of the group: each link at its first occurrence. */
static void put_total(struct json_write *json,
                      const struct cluster *cluster,
                      const struct link_entry *links,
                      size_t count)
{
    put_kind(json, cluster, "Total Op Info", links->group);
    for (size_t i = 0; i < count; i++) {
        struct link_entry total = links[i];
        bool is_first = links[i].is_sum;

        for (size_t j = 0; j < i && is_first; j++)
            is_first = !links[j].is_sum || !is_same_ends(&links[j], &links[i]);
        if (!is_first)
            continue;
        for (size_t j = i + 1; j < count; j++)
            if (links[j].is_sum && is_same_ends(&links[j], &links[i])) {
                total.size_mb += links[j].size_mb;
                total.time_ms += links[j].time_ms;
            }
        total.op = 0;
        put_link(json, cluster, &total);
    }
    json_write_object_end(json);
}

/* Writes the links of a group in a step. */
static void put_group(struct json_write *json,
                      const struct cluster *cluster,
                      const struct link_entry *links,
                      size_t count)
{
    for (size_t i = 0, next; i < count; i = next) {
        put_kind(json, cluster, names_text(cluster->names, links[i].kind),
                 links[i].group);
        for (next = i; next < count && links[next].kind == links[i].kind; next++)
            put_link(json, cluster, &links[next]);
        json_write_object_end(json);
    }
    put_total(json, cluster, links, count);
}

static size_t group_length(const struct link_entry *links, size_t count)
{
    size_t length = 1;

    while (length < count && links[length].set == links->set &&
           links[length].step == links->step && links[length].group == links->group)
        length++;
    return length;
}

void matrix_json_write(struct json_write *json, const struct comm_sets *sets)
{
    const struct cluster *cluster = sets->cluster;
    const struct link_entry *links = sets->links;
    struct text ranks = {0};

    json_write_object(json);
    for (size_t i = 0; i < sets->link_count;) {
        size_t set = links[i].set;

        text_reset(&ranks);
        ranks_add(&ranks, sets->rows[set].ranks, sets->rows[set].count, ", ");
        json_write_key(json, text_get(&ranks));
        json_write_object(json);
        while (i < sets->link_count && links[i].set == set) {
            uint32_t step = links[i].step;

            json_write_key(json, names_text(cluster->names, step));
            json_write_object(json);
            while (i < sets->link_count && links[i].set == set &&
                   links[i].step == step) {
                size_t count = group_length(&links[i], sets->link_count - i);

                put_group(json, cluster, &links[i], count);
                i += count;
            }
            json_write_object_end(json);
        }
        json_write_object_end(json);
    }
    json_write_object_end(json);
    text_clear(&ranks);
}
