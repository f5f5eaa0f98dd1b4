#include "parsers/cluster/cluster_report.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/html/page.h"
#include "lib/html/plot.h"
#include "lib/html/table.h"
#include "parsers/cluster/cluster_findings.h"
#include "parsers/cluster/report_links.h"
#include "parsers/cluster/report_waits.h"
#include "parsers/cluster/time_summary.h"

enum { TRANSFERS_LISTED = 15 };

static void add_ranks(struct text *out, const unsigned *ranks, size_t count)
{
    text_add(out, "(");
    for (size_t i = 0; i < count; i++)
        text_printf(out, "%s%u", i > 0 ? ", " : "", ranks[i]);
    text_add(out, ")");
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
    cluster_findings_each(cluster, add_line, out);
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
    put_number(json, "transmit_ms", rank->transmit_ms);
    json_write_key(json, "slow_votes");
    json_write_u64(json, rank->votes);
    json_write_key(json, "slow_votes_by_wait_ratio");
    json_write_u64(json, rank->ratio_votes);
    for (size_t i = 0; i < CLUSTER_LINKS; i++) {
        char *key = xasprintf("%s_gb_per_s", i == 0 ? "sdma" : "rdma");

        put_number(json, key, rank->bandwidth[i]);
        free(key);
    }
    put_text(json, "chip", rank->host.chip);
    put_text(json, "host", rank->host.name);
    put_place(json, "device", rank->host.device);
    json_write_key(json, "link_use");
    report_links_use_json(json, rank);
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

/* Writes the most unusual transfers. */
static void write_transfers(struct json_write *json, const struct cluster *cluster)
{
    json_write_array(json);
    for (size_t i = 0; i < cluster->transfer_count && i < TRANSFERS_LISTED; i++) {
        const struct cluster_transfer *row = &cluster->transfers[i];

        json_write_object(json);
        put_text(json, "op_name", names_text(cluster->names, row->name));
        put_text(json, "op_type", names_text(cluster->names, row->type));
        put_text(json, "group_name", names_text(cluster->names, row->group));
        put_text(json, "step", names_text(cluster->names, row->step));
        json_write_key(json, "ranks");
        json_write_u64(json, row->ranks);
        json_write_key(json, "compared");
        json_write_u64(json, row->compared);
        put_number(json, "size_mb", row->size_mb);
        put_number(json, "transmit_ms", row->time_ms);
        put_number(json, "mean_ms", row->mean_ms);
        put_number(json, "z_score", row->score);
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
    json_write_key(json, "time_summary");
    time_summary_json(json, cluster);
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
    json_write_key(json, "collectives");
    json_write_object(json);
    json_write_key(json, "compared");
    json_write_u64(json, cluster->collectives);
    json_write_key(json, "waiting");
    json_write_u64(json, cluster->waiting_collectives);
    json_write_key(json, "uneven_bandwidth");
    json_write_u64(json, cluster->uneven_collectives);
    json_write_object_end(json);
    json_write_key(json, "unusual_transfers");
    write_transfers(json, cluster);
    json_write_key(json, "longest_waits");
    report_waits_json(json, cluster);
    json_write_key(json, "findings");
    json_write_array(json);
    cluster_findings_each(cluster, add_finding, json);
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

enum { HEAT_RANKS_MAX = 256, HEAT_STEPS_MAX = 64 };

static double step_ms(const struct step_trace_row *row)
{
    double us = 0;

    for (size_t i = 0; i < CLUSTER_SPREADS; i++)
        us += row->us[cluster_spread_time(i)];
    return us / 1000;
}

/* Draws how much each step of each rank is above the shortest one of its step. */
static void draw_step_heat(struct text *page, const struct cluster *cluster)
{
    size_t ranks = cluster->count, steps = cluster->ranks[0].steps.count;
    const char *columns[HEAT_STEPS_MAX], *rows[HEAT_RANKS_MAX];
    double *values;

    if (steps < 2 || steps > HEAT_STEPS_MAX || ranks > HEAT_RANKS_MAX)
        return;
    for (size_t i = 1; i < ranks; i++)
        if (cluster->ranks[i].steps.count != steps)
            return; /* their steps are not the same */
    values = xcalloc(ranks * steps, sizeof(*values));
    for (size_t step = 0; step < steps; step++) {
        double least = INFINITY;

        columns[step] = cluster->ranks[0].steps.rows[step].step;
        for (size_t i = 0; i < ranks; i++)
            least = fmin(least, step_ms(&cluster->ranks[i].steps.rows[step]));
        for (size_t i = 0; i < ranks; i++)
            values[i * steps + step] =
                step_ms(&cluster->ranks[i].steps.rows[step]) - least;
    }
    for (size_t i = 0; i < ranks; i++)
        rows[i] = xasprintf("rank %lld", (long long)cluster->ranks[i].rank);
    html_element(page, "h3", "", "Step time above the shortest rank of the step");
    html_plot_heat(page, &(struct html_heat){.label = "Step time above the shortest",
                                             .colors = HTML_HEAT_SHARE,
                                             .unit = "ms",
                                             .decimals = 3,
                                             .rows = rows,
                                             .row_count = ranks,
                                             .columns = columns,
                                             .column_count = steps,
                                             .values = values});
    for (size_t i = 0; i < ranks; i++)
        free((char *)rows[i]);
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

    html_element(page, "h3", "", "Communication of each group");
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
    cluster_findings_each(cluster, add_item, page);
    html_list_end(page);
    if (cluster->spread_count > 0) {
        draw_steps(page, cluster);
        draw_step_heat(page, cluster);
    }
    time_summary_table(page, cluster);
    if (cluster->group_count > 0)
        write_groups_table(page, cluster);
    report_waits_table(page, cluster);
    report_links_draw(page, cluster);
    html_section_end(page);
}
