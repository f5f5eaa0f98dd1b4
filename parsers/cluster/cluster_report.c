#include "parsers/cluster/cluster_report.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/html/page.h"
#include "lib/html/plot.h"
#include "lib/html/table.h"
#include "parsers/cluster/report_links.h"

static void add_ranks(struct text *out, const unsigned *ranks, size_t count)
{
    text_add(out, "(");
    for (size_t i = 0; i < count; i++)
        text_printf(out, "%s%u", i > 0 ? ", " : "", ranks[i]);
    text_add(out, ")");
}

static void
say_spread(const struct cluster *cluster, size_t place, sentence_fn *fn, void *arg)
{
    const struct spread *spread = &cluster->spreads[place];
    char *sentence;

    if (!spread->is_issue && !spread->is_own_issue)
        return;
    sentence = xasprintf(
        "%s differs by %.3f ms between ranks: rank %lld has the most, rank %lld the "
        "least "
        "(%.1f %% of a step, %.1f %% of the mean)",
        step_time_name(cluster_spread_time(place)), spread->gap / 1000,
        (long long)cluster->ranks[cluster->spread_ranks[spread->highest]].rank,
        (long long)cluster->ranks[cluster->spread_ranks[spread->lowest]].rank,
        100 * spread->ratio, 100 * spread->own_ratio);
    fn(arg, sentence);
    free(sentence);
}

static void
say_link(const struct cluster *cluster, size_t link, sentence_fn *fn, void *arg)
{
    const struct spread *spread = &cluster->links[link];
    const size_t *places = cluster->link_ranks[link];
    char *sentence;

    if (cluster->link_counts[link] < 2 || !spread->is_own_issue)
        return;
    sentence = xasprintf("The bandwidth by %s differs by %.1f %%: rank %lld has %.4f "
                         "GB/s, rank %lld %.4f "
                         "GB/s",
                         cluster_link_name(link), 100 * spread->own_ratio,
                         (long long)cluster->ranks[places[spread->lowest]].rank,
                         cluster->ranks[places[spread->lowest]].bandwidth[link],
                         (long long)cluster->ranks[places[spread->highest]].rank,
                         cluster->ranks[places[spread->highest]].bandwidth[link]);
    fn(arg, sentence);
    free(sentence);
}

static void say_votes(const struct cluster *cluster, sentence_fn *fn, void *arg)
{
    for (size_t i = 0; i < cluster->count; i++) {
        char *sentence;

        if (cluster->ranks[i].votes == 0)
            continue;
        sentence =
            xasprintf("Rank %lld entered %zu of %zu collectives last, far behind "
                      "the other ranks",
                      (long long)cluster->ranks[i].rank, cluster->ranks[i].votes,
                      cluster->collectives);
        fn(arg, sentence);
        free(sentence);
    }
}

/* Calls fn with each finding. */
static void each_finding(const struct cluster *cluster, sentence_fn *fn, void *arg)
{
    if (cluster->missing.length > 0) {
        char *sentence =
            xasprintf("Of %llu ranks of the program, these have no folder: %s",
                      (unsigned long long)cluster->world, text_get(&cluster->missing));

        fn(arg, sentence);
        free(sentence);
    }
    for (size_t i = 0; cluster->spread_count > 1 && i < CLUSTER_SPREADS; i++)
        say_spread(cluster, i, fn, arg);
    say_votes(cluster, fn, arg);
    for (size_t i = 0; i < CLUSTER_LINKS; i++)
        say_link(cluster, i, fn, arg);
    report_links_say(cluster, fn, arg);
}

static void add_line(void *arg, const char *sentence)
{
    text_printf(arg, "  %s.\n", sentence);
}

void cluster_report_text(struct text *out, const struct cluster *cluster)
{
    text_printf(out, "%zu ranks together:\n", cluster->count);
    text_printf(out, "  %-10s %14s %18s %12s %12s %12s\n", "rank", "computing ms",
                "communicating ms", "free ms", "waiting ms", "SDMA GB/s");
    for (size_t i = 0; i < cluster->count; i++) {
        const struct cluster_rank *rank = &cluster->ranks[i];
        double sums[CLUSTER_SPREADS] = {0};

        for (size_t j = 0; j < rank->steps.count; j++)
            for (size_t k = 0; k < CLUSTER_SPREADS; k++)
                sums[k] += rank->steps.rows[j].us[cluster_spread_time(k)] / 1000;
        text_printf(out, "  %-10lld %14.3f %18.3f %12.3f %12.3f %12.4f\n",
                    (long long)rank->rank, sums[0], sums[1], sums[2], rank->waiting_ms,
                    isnan(rank->bandwidth[0]) ? 0 : rank->bandwidth[0]);
    }
    for (size_t i = 0; i < cluster->stage_count; i++) {
        const struct cluster_stage *stage = &cluster->stages[i];

        text_add(out, "  stage ");
        add_ranks(out, stage->ranks, stage->rank_count);
        text_printf(
            out, ": at most %.3f ms computing, %.3f ms communicating, %.3f ms free\n",
            stage->us[STEP_COMPUTING] / 1000,
            stage->us[STEP_COMMUNICATION_ALONE] / 1000, stage->us[STEP_FREE] / 1000);
    }
    each_finding(cluster, add_line, out);
}

static void put_number(struct json_write *json, const char *key, double value)
{
    json_write_key(json, key);
    if (isfinite(value))
        json_write_fixed(json, value, 6);
    else
        json_write_null(json);
}

static void put_text(struct json_write *json, const char *key, const char *value)
{
    json_write_key(json, key);
    json_write_text(json, value);
}

static void put_ranks(struct json_write *json, const unsigned *ranks, size_t count)
{
    json_write_key(json, "ranks");
    json_write_array(json);
    for (size_t i = 0; i < count; i++)
        json_write_u64(json, ranks[i]);
    json_write_array_end(json);
}

static void put_times(struct json_write *json, const double us[STEP_TIME_COUNT])
{
    for (enum step_time time = 0; time < STEP_TIME_COUNT; time++)
        put_number(json, step_time_name(time), us[time]);
}

static void put_place(struct json_write *json, const char *key, int place)
{
    json_write_key(json, key);
    if (place >= 0)
        json_write_i64(json, place);
    else
        json_write_null(json);
}

static void write_rank(struct json_write *json, const struct cluster_rank *rank)
{
    json_write_object(json);
    json_write_key(json, "rank");
    json_write_i64(json, rank->rank);
    put_place(json, "dp_index", rank->dp);
    put_place(json, "pp_index", rank->pp);
    put_place(json, "tp_index", rank->tp);
    put_number(json, "waiting_ms", rank->waiting_ms);
    json_write_key(json, "slow_votes");
    json_write_u64(json, rank->votes);
    for (size_t i = 0; i < CLUSTER_LINKS; i++) {
        char *key = xasprintf("%s_gb_per_s", i == 0 ? "sdma" : "rdma");

        put_number(json, key, rank->bandwidth[i]);
        free(key);
    }
    json_write_key(json, "steps");
    json_write_array(json);
    for (size_t i = 0; i < rank->steps.count; i++) {
        json_write_object(json);
        put_text(json, "step", rank->steps.rows[i].step);
        put_times(json, rank->steps.rows[i].us);
        json_write_object_end(json);
    }
    json_write_array_end(json);
    json_write_object_end(json);
}

static void write_total(struct json_write *json,
                        const struct cluster *cluster,
                        const struct group_total *total)
{
    const struct comm_times *times = &total->times;

    json_write_object(json);
    json_write_key(json, "rank");
    json_write_i64(json, cluster->ranks[total->rank].rank);
    put_number(json, "elapse_ms", times->elapse_ms);
    put_number(json, "transit_ms", times->transit_ms);
    put_number(json, "wait_ms", times->wait_ms);
    put_number(json, "synchronization_ms", times->sync_ms);
    put_number(json, "idle_ms", times->idle_ms);
    put_number(json, "wait_ratio", cluster_ratio(times->wait_ms, times->transit_ms));
    put_number(json, "synchronization_ratio",
               cluster_ratio(times->sync_ms, times->transit_ms));
    json_write_key(json, "bandwidth");
    json_write_array(json);
    for (enum comm_transport i = 0; i < COMM_TRANSPORT_COUNT; i++) {
        if (!(total->traffic[i].time_ms > 0))
            continue;
        json_write_object(json);
        put_text(json, "transport", comm_transport_name(i));
        put_number(json, "size_mb", total->traffic[i].size_mb);
        put_number(json, "time_ms", total->traffic[i].time_ms);
        put_number(
            json, "gb_per_s",
            cluster_bandwidth(total->traffic[i].size_mb, total->traffic[i].time_ms));
        json_write_object_end(json);
    }
    json_write_array_end(json);
    json_write_object_end(json);
}

static void write_groups(struct json_write *json, const struct cluster *cluster)
{
    json_write_array(json);
    for (size_t i = 0; i < cluster->group_count; i++) {
        const struct cluster_group *group = &cluster->groups[i];

        json_write_object(json);
        put_text(json, "type", group->is_p2p ? "p2p" : "collective");
        put_text(json, "group_name", group->hash);
        put_text(json, "pg_name", group->name);
        put_ranks(json, group->ranks, group->rank_count);
        json_write_key(json, "totals");
        json_write_array(json);
        for (size_t j = 0; j < group->total_count; j++)
            write_total(json, cluster, &group->totals[j]);
        json_write_array_end(json);
        json_write_object_end(json);
    }
    json_write_array_end(json);
}

static void add_finding(void *arg, const char *sentence)
{
    json_write_text(arg, sentence);
}

void cluster_report_json(struct json_write *json, const struct cluster *cluster)
{
    json_write_object(json);
    json_write_key(json, "ranks");
    json_write_array(json);
    for (size_t i = 0; i < cluster->count; i++)
        write_rank(json, &cluster->ranks[i]);
    json_write_array_end(json);
    json_write_key(json, "stages");
    json_write_array(json);
    for (size_t i = 0; i < cluster->stage_count; i++) {
        json_write_object(json);
        put_ranks(json, cluster->stages[i].ranks, cluster->stages[i].rank_count);
        put_times(json, cluster->stages[i].us);
        json_write_object_end(json);
    }
    json_write_array_end(json);
    json_write_key(json, "groups");
    write_groups(json, cluster);
    json_write_key(json, "links");
    report_links_json(json, cluster);
    json_write_key(json, "findings");
    json_write_array(json);
    each_finding(cluster, add_finding, json);
    json_write_array_end(json);
    json_write_object_end(json);
}

static void draw_steps(struct text *page, const struct cluster *cluster)
{
    static const char *const parts[] = {"computing", "communication, not overlapped",
                                        "free"};
    const char **rows = xcalloc(cluster->spread_count + 1, sizeof(*rows));
    double *values =
        xcalloc(cluster->spread_count * CLUSTER_SPREADS + 1, sizeof(*values));
    size_t count = 0;

    for (size_t i = 0; i < cluster->count; i++)
        for (size_t j = 0; j < cluster->ranks[i].steps.count; j++) {
            const struct step_trace_row *row = &cluster->ranks[i].steps.rows[j];

            if (count == cluster->spread_count)
                break;
            for (size_t k = 0; k < CLUSTER_SPREADS; k++)
                values[count * CLUSTER_SPREADS + k] =
                    row->us[cluster_spread_time(k)] / 1000;
            rows[count++] = xasprintf("rank %lld, step %s",
                                      (long long)cluster->ranks[i].rank, row->step);
        }
    html_plot_bars(page, &(struct html_bars){.label = "Step time of each rank",
                                             .unit = "ms",
                                             .decimals = 3,
                                             .rows = rows,
                                             .row_count = count,
                                             .parts = parts,
                                             .part_count = CLUSTER_SPREADS,
                                             .values = values});
    for (size_t i = 0; i < count; i++)
        free((char *)rows[i]);
    free(rows);
    free(values);
}

static void write_groups_table(struct text *page, const struct cluster *cluster)
{
    static const struct html_column columns[] = {
        {"Group", NULL, HTML_COLUMN_TEXT, 0},
        {"Kind", NULL, HTML_COLUMN_TEXT, 0},
        {"Ranks", NULL, HTML_COLUMN_TEXT, 0},
        {"Rank", NULL, HTML_COLUMN_NUMBER, 0},
        {"Elapsed ms", NULL, HTML_COLUMN_NUMBER, 3},
        {"Transit ms", NULL, HTML_COLUMN_NUMBER, 3},
        {"Wait ms", NULL, HTML_COLUMN_NUMBER, 3},
        {"Wait ratio", "wait divided by wait and transit", HTML_COLUMN_NUMBER, 4},
        {"SDMA GB/s", NULL, HTML_COLUMN_NUMBER, 4},
        {"RDMA GB/s", NULL, HTML_COLUMN_NUMBER, 4},
    };
    struct html_table table;
    struct text ranks = {0};

    html_table_begin(&table, page, "groups", columns, COUNT(columns));
    for (size_t i = 0; i < cluster->group_count; i++) {
        const struct cluster_group *group = &cluster->groups[i];

        text_reset(&ranks);
        add_ranks(&ranks, group->ranks, group->rank_count);
        for (size_t j = 0; j < group->total_count; j++) {
            const struct group_total *total = &group->totals[j];
            static const enum comm_transport shown[] = {COMM_SDMA, COMM_RDMA};

            html_table_row(&table);
            html_table_text(&table, group->name[0] ? group->name : group->hash);
            html_table_text(&table, group->is_p2p ? "p2p" : "collective");
            html_table_text(&table, text_get(&ranks));
            html_table_number(&table, (double)cluster->ranks[total->rank].rank);
            html_table_number(&table, total->times.elapse_ms);
            html_table_number(&table, total->times.transit_ms);
            html_table_number(&table, total->times.wait_ms);
            html_table_number(
                &table, cluster_ratio(total->times.wait_ms, total->times.transit_ms));
            for (size_t k = 0; k < COUNT(shown); k++) {
                const struct comm_traffic *traffic = &total->traffic[shown[k]];

                html_table_number(
                    &table, traffic->time_ms > 0
                                ? cluster_bandwidth(traffic->size_mb, traffic->time_ms)
                                : NAN);
            }
        }
    }
    html_table_end(&table);
    text_clear(&ranks);
}

static void add_item(void *arg, const char *sentence)
{
    html_list_item(arg, "", "%s.", sentence);
}

void cluster_report_page(struct text *page, const struct cluster *cluster)
{
    html_section_begin(page, "ranks", "Ranks together", true);
    html_list_begin(page);
    each_finding(cluster, add_item, page);
    html_list_end(page);
    if (cluster->spread_count > 0)
        draw_steps(page, cluster);
    if (cluster->group_count > 0)
        write_groups_table(page, cluster);
    report_links_draw(page, cluster);
    html_section_end(page);
}
