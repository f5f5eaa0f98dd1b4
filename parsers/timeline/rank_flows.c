#include "parsers/timeline/rank_flows.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"

struct rank_flows {
    struct rank_flow_end *ends;
    size_t count, room;
    char **texts; /* each once: pids and tracks repeat */
    size_t text_count;
};

struct rank_flows *rank_flows_create(void)
{
    return xcalloc(1, sizeof(struct rank_flows));
}

void rank_flows_destroy(struct rank_flows *flows)
{
    if (!flows)
        return;
    for (size_t i = 0; i < flows->text_count; i++)
        free(flows->texts[i]);
    free(flows->texts);
    free(flows->ends);
    free(flows);
}

/* Returns a copy that lives as long as the flows. The newest texts are the likeliest.
 */
static const char *keep_text(struct rank_flows *flows, const char *text)
{
    for (size_t i = flows->text_count; i-- > 0;)
        if (strcmp(flows->texts[i], text) == 0)
            return flows->texts[i];
    flows->texts =
        xreallocarray(flows->texts, flows->text_count + 1, sizeof(*flows->texts));
    flows->texts[flows->text_count] = xstrdup(text);
    return flows->texts[flows->text_count++];
}

void rank_flows_add(struct rank_flows *flows, const struct rank_flow_end *end)
{
    if (flows->count == flows->room) {
        flows->room = flows->room ? flows->room * 2 : 64;
        flows->ends = xreallocarray(flows->ends, flows->room, sizeof(*flows->ends));
    }
    struct rank_flow_end *kept = &flows->ends[flows->count++];

    *kept = *end;
    kept->pid = keep_text(flows, end->pid);
    kept->tid = keep_text(flows, end->tid);
}

/* Orders by direction, records before waits. */
static int direction_order(const struct rank_flow_end *a, const struct rank_flow_end *b)
{
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    return 0;
}

static int end_order(const void *left, const void *right)
{
    const struct rank_flow_end *a = left, *b = right;
    int order = direction_order(a, b);

    if (order)
        return order;
    if (a->is_wait != b->is_wait)
        return a->is_wait ? 1 : -1;
    return (a->at > b->at) - (a->at < b->at); /* a rank does one after the other */
}

size_t rank_flows_write(struct rank_flows *flows, struct trace_writer *trace)
{
    struct rank_flow_end *ends = flows->ends;
    uint64_t number = 0;
    size_t left = 0;

    if (flows->count)
        qsort(ends, flows->count, sizeof(*ends), end_order);
    for (size_t at = 0, count; at < flows->count; at += count) {
        size_t records = 0;

        for (count = 0; at + count < flows->count &&
                        direction_order(&ends[at + count], &ends[at]) == 0;
             count++)
            records += !ends[at + count].is_wait;
        if (records * 2 != count) {
            left += count;
            continue;
        }
        for (size_t i = 0; i < records; i++) {
            const struct rank_flow_end *record = &ends[at + i];
            const struct rank_flow_end *wait = &ends[at + records + i];

            trace_writer_flow(trace, &(struct trace_writer_flow){
                                         .name = "Notify",
                                         .number = ++number,
                                         .from_pid = record->pid,
                                         .from_tid = record->tid,
                                         .to_pid = wait->pid,
                                         .to_tid = wait->tid,
                                         .from = record->at,
                                         .to = wait->at,
                                     });
        }
    }
    return left;
}
