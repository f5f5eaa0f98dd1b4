/* sim_throughput.c - counters of a simulation: bytes to and from GM by way */
#include <stdlib.h>

#include "lib/base/mem.h"
#include "parsers/simulator/sim_draw.h"

enum { US_MAX = 60000000 };

static void put_sample(struct drawing *d, enum sim_way way, uint64_t us, uint64_t bytes)
{
    struct json_write *json = d->json;

    json_write_object(json);
    json_write_key(json, "args");
    json_write_object(json);
    json_write_key(json, "throughput(MB/s)");
    json_write_fixed(json, (double)bytes * 1e6 / 1048576.0, 6);
    json_write_object_end(json);
    draw_text(json, "name", sim_way_name(way));
    draw_text(json, "ph", "C");
    draw_text(json, "pid", "MTE Throughput");
    json_write_key(json, "tid");
    json_write_u64(json, 0);
    json_write_key(json, "ts");
    if (us == 0) /* a sample at 0 is not shown */
        json_write_scaled(json, 1, 3);
    else
        json_write_u64(json, us);
    json_write_object_end(json);
    d->trace.events++;
}

/* Bytes of each microsecond; the sums hold the ways that have a lane of their own. */
void draw_throughput(struct drawing *d)
{
    const struct simulation *s = d->simulation;
    uint64_t last = 0, *bytes;

    for (size_t i = 0; i < s->request_count; i++)
        for (size_t k = 0; k < s->requests[i].count; k++) {
            uint64_t us = simulation_ns(s, s->requests[i].rows[k].cycle) / 1000;

            last = us > last ? us : last;
        }
    if (s->request_count == 0 || last >= US_MAX)
        return;
    bytes = xcalloc((last + 2) * SIM_WAYS, sizeof(*bytes));
    for (size_t i = 0; i < s->request_count; i++)
        for (size_t k = 0; k < s->requests[i].count; k++) {
            const struct sim_request *row = &s->requests[i].rows[k];
            uint64_t *of = bytes + simulation_ns(s, row->cycle) / 1000 * SIM_WAYS;

            of[row->way] += row->bytes;
            if (row->way == SIM_GM_TO_UB || row->way == SIM_GM_TO_L1)
                of[SIM_GM_TO_TOTAL] += row->bytes;
            if (row->way == SIM_UB_TO_GM || row->way == SIM_L1_TO_GM)
                of[SIM_TOTAL_TO_GM] += row->bytes;
        }
    for (int way = 0; way < SIM_WAYS; way++)
        for (uint64_t us = 0; us <= last + 1; us++) /* the one behind the last is 0 */
            put_sample(d, (enum sim_way)way, us, bytes[us * SIM_WAYS + (uint64_t)way]);
    free(bytes);
}
