#include "parsers/cluster/report_links.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/html/page.h"
#include "lib/html/plot.h"

enum { SAID_MAX = 10, DRAWN_RANKS_MAX = 64, DRAWN_MAX = 8, TRANSPORTS_MAX = 8 };
static const double least_mb = 1; /* less has no meaningful bandwidth */

/* Writes that a rank uses little of the bandwidth of its chip, and the causes. */
static void say_use(const struct cluster_rank *rank,
                    enum comm_transport transport,
                    sentence_fn *fn,
                    void *arg)
{
    const struct link_use *use = &rank->use[transport];
    size_t low = use->small_packages + use->slow_links;
    struct text out = {0};

    text_printf(&out,
                "Rank %lld uses less than 80 %% of the bandwidth by %s of an %s (%.1f "
                "GB/s) in %zu of %zu collectives, %.4f GB/s in these:",
                (long long)rank->rank, comm_transport_name(transport), rank->host.chip,
                link_use_standard(rank->host.chip, transport), low, use->ops,
                cluster_bandwidth(use->low_size_mb, use->low_time_ms));
    if (use->small_packages > 0)
        text_printf(&out, " the packages are small in %zu of them",
                    use->small_packages);
    if (use->slow_links > 0)
        text_printf(&out,
                    "%s in %zu the packages are large, so the link or its "
                    "configuration is the cause",
                    use->small_packages > 0 ? "," : "", use->slow_links);
    fn(arg, text_get(&out));
    text_clear(&out);
}

void report_links_say(const struct cluster *cluster, sentence_fn *fn, void *arg)
{
    size_t slow = 0, low = 0;
    char *sentence;

    for (size_t i = 0; i < cluster->matrix_count; i++) {
        const struct cluster_link *link = &cluster->matrix[i];

        if (!link->is_slow || slow++ >= SAID_MAX)
            continue;
        sentence =
            xasprintf("The link from rank %lld to rank %lld has %.4f GB/s by %s, "
                      "the median of %zu links %.4f GB/s",
                      (long long)link->from, (long long)link->to, link->gb_per_s,
                      link->transport, link->compared, link->median_gb_per_s);
        fn(arg, sentence);
        free(sentence);
    }
    if (slow > SAID_MAX) {
        sentence = xasprintf("%zu further links are slow", slow - SAID_MAX);
        fn(arg, sentence);
        free(sentence);
    }
    for (size_t i = 0; i < cluster->count; i++)
        for (enum comm_transport j = 0; j < COMM_TRANSPORT_COUNT; j++)
            if (cluster->ranks[i].use[j].low_time_ms > 0 && low++ < SAID_MAX)
                say_use(&cluster->ranks[i], j, fn, arg);
    if (low > SAID_MAX) {
        sentence = xasprintf("%zu further ranks and transports use less than 80 %% of "
                             "the bandwidth of their chip",
                             low - SAID_MAX);
        fn(arg, sentence);
        free(sentence);
    }
    if (cluster->unmapped_links > 0) {
        sentence = xasprintf("%zu entries of communication_matrix.json are left out, "
                             "because the metadata does not name their ranks",
                             cluster->unmapped_links);
        fn(arg, sentence);
        free(sentence);
    }
}

static void put_number(struct json_write *json, const char *key, double value)
{
    json_write_key(json, key);
    json_write_fixed(json, value, 6);
}

void report_links_json(struct json_write *json, const struct cluster *cluster)
{
    json_write_array(json);
    for (size_t i = 0; i < cluster->matrix_count; i++) {
        const struct cluster_link *link = &cluster->matrix[i];

        json_write_object(json);
        json_write_key(json, "group_name");
        json_write_text(json, link->hash);
        json_write_key(json, "src_rank");
        json_write_i64(json, link->from);
        json_write_key(json, "dst_rank");
        json_write_i64(json, link->to);
        json_write_key(json, "transport");
        json_write_text(json, link->transport);
        put_number(json, "size_mb", link->size_mb);
        put_number(json, "time_ms", link->time_ms);
        put_number(json, "gb_per_s", link->gb_per_s);
        json_write_key(json, "is_slow");
        json_write_bool(json, link->is_slow);
        json_write_object_end(json);
    }
    json_write_array_end(json);
}

void report_links_use_json(struct json_write *json, const struct cluster_rank *rank)
{
    json_write_array(json);
    for (enum comm_transport i = 0; i < COMM_TRANSPORT_COUNT; i++) {
        const struct link_use *use = &rank->use[i];

        if (use->ops == 0)
            continue;
        json_write_object(json);
        json_write_key(json, "transport");
        json_write_text(json, comm_transport_name(i));
        put_number(json, "standard_gb_per_s", link_use_standard(rank->host.chip, i));
        json_write_key(json, "collectives");
        json_write_u64(json, use->ops);
        json_write_key(json, "low_by_small_packages");
        json_write_u64(json, use->small_packages);
        json_write_key(json, "low_with_large_packages");
        json_write_u64(json, use->slow_links);
        put_number(json, "low_gb_per_s",
                   cluster_bandwidth(use->low_size_mb, use->low_time_ms));
        json_write_object_end(json);
    }
    json_write_array_end(json);
}

static const char *group_name(const struct cluster *cluster, const char *hash)
{
    for (size_t i = 0; i < cluster->group_count; i++)
        if (strcmp(cluster->groups[i].hash, hash) == 0 && *cluster->groups[i].name)
            return cluster->groups[i].name;
    return hash;
}

/* Returns the place of a rank, which is added when it is new, or the limit. */
static size_t place_of(int64_t *ranks, size_t *count, int64_t rank)
{
    size_t place = 0;

    while (place < *count && ranks[place] < rank)
        place++;
    if (place < *count && ranks[place] == rank)
        return place;
    if (*count == DRAWN_RANKS_MAX)
        return DRAWN_RANKS_MAX;
    memmove(&ranks[place + 1], &ranks[place], (*count - place) * sizeof(*ranks));
    ranks[place] = rank;
    ++*count;
    return place;
}

/* Draws links of one transport; `of` is their name. */
static void
draw(struct text *page, const char *of, const struct cluster_link *links, size_t count)
{
    int64_t ranks[DRAWN_RANKS_MAX];
    char *names[DRAWN_RANKS_MAX], *label;
    size_t rank_count = 0;
    double *values;

    for (size_t i = 0; i < count; i++)
        if (place_of(ranks, &rank_count, links[i].from) == DRAWN_RANKS_MAX ||
            place_of(ranks, &rank_count, links[i].to) == DRAWN_RANKS_MAX) {
            html_element(page, "p", "soft",
                         "The bandwidth of %s by %s is not drawn: more than %d ranks.",
                         of, links->transport, DRAWN_RANKS_MAX);
            return;
        }
    values = xcalloc(rank_count * rank_count, sizeof(*values));
    for (size_t i = 0; i < rank_count * rank_count; i++)
        values[i] = NAN;
    for (size_t i = 0; i < count; i++)
        values[place_of(ranks, &rank_count, links[i].from) * rank_count +
               place_of(ranks, &rank_count, links[i].to)] = links[i].gb_per_s;
    for (size_t i = 0; i < rank_count; i++)
        names[i] = xasprintf("rank %lld", (long long)ranks[i]);
    label = xasprintf("Bandwidth of %s by %s, from the rank of the row", of,
                      links->transport);
    html_element(page, "h3", "", "%s", label);
    html_plot_heat(page, &(struct html_heat){.label = label,
                                             .colors = HTML_HEAT_SHARE,
                                             .unit = "GB/s",
                                             .decimals = 4,
                                             .rows = (const char *const *)names,
                                             .row_count = rank_count,
                                             .columns = (const char *const *)names,
                                             .column_count = rank_count,
                                             .values = values});
    for (size_t i = 0; i < rank_count; i++)
        free(names[i]);
    free(label);
    free(values);
}

static int by_ends(const void *a, const void *b)
{
    const struct cluster_link *left = a, *right = b;

    if (left->from != right->from)
        return left->from < right->from ? -1 : 1;
    return left->to < right->to ? -1 : left->to > right->to;
}

/* Draws the links of all groups with at least 1 MB, added up; of a single group, those
 * of this group. */
static void
draw_all(struct text *page, const struct cluster *cluster, const char *transport)
{
    struct cluster_link *links = xcalloc(cluster->matrix_count + 1, sizeof(*links));
    size_t count = 0, kept = 0;
    bool is_one = true;

    for (size_t i = 0; i < cluster->matrix_count; i++)
        if (strcmp(cluster->matrix[i].transport, transport) == 0 &&
            cluster->matrix[i].size_mb >= least_mb) {
            is_one &= count == 0 || strcmp(links->hash, cluster->matrix[i].hash) == 0;
            links[count++] = cluster->matrix[i];
        }
    qsort(links, count, sizeof(*links), by_ends);
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && by_ends(&links[kept - 1], &links[i]) == 0) {
            links[kept - 1].size_mb += links[i].size_mb;
            links[kept - 1].time_ms += links[i].time_ms;
        } else {
            links[kept++] = links[i];
        }
    }
    for (size_t i = 0; i < kept; i++)
        links[i].gb_per_s = cluster_bandwidth(links[i].size_mb, links[i].time_ms);
    if (kept > 0)
        draw(page, is_one ? group_name(cluster, links->hash) : "all groups", links,
             kept);
    free(links);
}

/* Draws the sum of all groups for each transport between ranks. */
static void draw_transports(struct text *page, const struct cluster *cluster)
{
    const char *drawn[TRANSPORTS_MAX];
    size_t count = 0;

    for (size_t i = 0; i < cluster->matrix_count && count < TRANSPORTS_MAX; i++) {
        const char *transport = cluster->matrix[i].transport;
        size_t at = 0;

        while (at < count && strcmp(drawn[at], transport) != 0)
            at++;
        if (at < count || strcmp(transport, "LOCAL") == 0)
            continue;
        drawn[count++] = transport;
        draw_all(page, cluster, transport);
    }
}

/* Returns true when no other group has links of this transport with 1 MB. */
static bool is_alone(const struct cluster *cluster, const struct cluster_link *of)
{
    for (size_t i = 0; i < cluster->matrix_count; i++) {
        const struct cluster_link *link = &cluster->matrix[i];

        if (strcmp(link->transport, of->transport) == 0 && link->size_mb >= least_mb &&
            strcmp(link->hash, of->hash) != 0)
            return false;
    }
    return true;
}

/* Returns true when the group has three ranks or more and a link with 1 MB. */
static bool
is_drawn(const struct cluster *cluster, const struct cluster_link *links, size_t count)
{
    bool has_third = false, has_traffic = false;

    for (size_t i = 0; i < count; i++) {
        has_third |= links[i].from != links->from && links[i].from != links->to;
        has_third |= links[i].to != links->from && links[i].to != links->to;
        has_traffic |= links[i].size_mb >= least_mb;
    }
    return !is_alone(cluster, links) && has_third && has_traffic &&
           strcmp(links->transport, "LOCAL") != 0;
}

void report_links_draw(struct text *page, const struct cluster *cluster)
{
    const struct cluster_link *links = cluster->matrix;
    size_t drawn = 0;

    draw_transports(page, cluster);
    for (size_t i = 0, next; i < cluster->matrix_count && drawn < DRAWN_MAX; i = next) {
        for (next = i + 1; next < cluster->matrix_count &&
                           strcmp(links[i].hash, links[next].hash) == 0 &&
                           strcmp(links[i].transport, links[next].transport) == 0;)
            next++;
        if (is_drawn(cluster, &links[i], next - i)) {
            draw(page, group_name(cluster, links[i].hash), &links[i], next - i);
            drawn++;
        }
    }
}
