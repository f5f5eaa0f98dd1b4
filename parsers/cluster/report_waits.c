#include "parsers/cluster/report_waits.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/html/page.h"
#include "lib/html/table.h"

enum { LISTED_MAX = 15 };

static size_t listed(const struct cluster *cluster)
{
    return cluster->wait_count < LISTED_MAX ? cluster->wait_count : LISTED_MAX;
}

/* Returns the name of the group, or its number when the metadata have no name. */
static const char *group_name(const struct cluster *cluster, uint32_t group)
{
    const char *hash = names_text(cluster->names, group);

    for (size_t i = 0; i < cluster->group_count; i++)
        if (strcmp(cluster->groups[i].hash, hash) == 0 && cluster->groups[i].name[0])
            return cluster->groups[i].name;
    return hash;
}

void report_waits_say(const struct cluster *cluster, sentence_fn *fn, void *arg)
{
    const struct cluster_wait *wait = cluster->waits;
    char *sentence;

    if (cluster->wait_count == 0)
        return;
    sentence = xasprintf(
        "The longest wait is %.3f ms: rank %lld spends %.3f ms in %s of group %s, and "
        "rank %lld, which came last, %.3f ms",
        wait->longest_ms - wait->shortest_ms,
        (long long)cluster->ranks[wait->waiting].rank, wait->longest_ms,
        names_text(cluster->names, wait->name), group_name(cluster, wait->group),
        (long long)cluster->ranks[wait->last].rank, wait->shortest_ms);
    fn(arg, sentence);
    free(sentence);
}

static void put_text(struct json_write *json, const char *key, const char *value)
{
    json_write_key(json, key);
    json_write_text(json, value);
}

static void put_ms(struct json_write *json, const char *key, double value)
{
    json_write_key(json, key);
    json_write_fixed(json, value, 6);
}

void report_waits_json(struct json_write *json, const struct cluster *cluster)
{
    json_write_array(json);
    for (size_t i = 0; i < listed(cluster); i++) {
        const struct cluster_wait *wait = &cluster->waits[i];

        json_write_object(json);
        put_text(json, "op_name", names_text(cluster->names, wait->name));
        put_text(json, "type", wait->is_p2p ? "p2p" : "collective");
        put_text(json, "group_name", names_text(cluster->names, wait->group));
        put_text(json, "step", names_text(cluster->names, wait->step));
        json_write_key(json, "ranks");
        json_write_u64(json, wait->ranks);
        json_write_key(json, "waiting_rank");
        json_write_i64(json, cluster->ranks[wait->waiting].rank);
        json_write_key(json, "last_rank");
        json_write_i64(json, cluster->ranks[wait->last].rank);
        put_ms(json, "longest_ms", wait->longest_ms);
        put_ms(json, "shortest_ms", wait->shortest_ms);
        json_write_object_end(json);
    }
    json_write_array_end(json);
}

void report_waits_table(struct text *page, const struct cluster *cluster)
{
    static const struct html_column columns[] = {
        {"Operator", "name on the rank that waited most", HTML_COLUMN_TEXT, 0},
        {"Group", NULL, HTML_COLUMN_TEXT, 0},
        {"Step", NULL, HTML_COLUMN_TEXT, 0},
        {"Ranks", NULL, HTML_COLUMN_NUMBER, 0},
        {"Waiting rank", "the rank with the longest time", HTML_COLUMN_NUMBER, 0},
        {"Last rank", "the rank with the shortest time: it came last",
         HTML_COLUMN_NUMBER, 0},
        {"Wait ms", "difference of the two times", HTML_COLUMN_NUMBER, 3},
        {"Longest ms", "time of the waiting rank", HTML_COLUMN_NUMBER, 3},
        {"Shortest ms", "time of the last rank", HTML_COLUMN_NUMBER, 3},
    };
    struct html_table table;

    if (cluster->wait_count == 0)
        return;
    html_element(page, "h3", "", "Longest waits of a rank for another one");
    html_table_begin(&table, page, "waits", columns, COUNT(columns));
    for (size_t i = 0; i < listed(cluster); i++) {
        const struct cluster_wait *wait = &cluster->waits[i];

        html_table_row(&table);
        html_table_text(&table, names_text(cluster->names, wait->name));
        html_table_text(&table, group_name(cluster, wait->group));
        html_table_text(&table, names_text(cluster->names, wait->step));
        html_table_number(&table, (double)wait->ranks);
        html_table_number(&table, (double)cluster->ranks[wait->waiting].rank);
        html_table_number(&table, (double)cluster->ranks[wait->last].rank);
        html_table_number(&table, wait->longest_ms - wait->shortest_ms);
        html_table_number(&table, wait->longest_ms);
        html_table_number(&table, wait->shortest_ms);
    }
    html_table_end(&table);
}
