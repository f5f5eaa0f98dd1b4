#include "parsers/simulator/sim_throughput.h"

#include <stdlib.h>

#include "lib/base/mem.h"

enum { US_MAX = 60000000 }; /* a longer simulation gets no counters: one minute */

static void
put_sample(struct sim_draw *d, enum sim_path path, uint64_t us, uint64_t bytes)
{
    struct json_write *json = d->json;

    json_write_object(json);
    json_write_key(json, "args");
    json_write_object(json);
    json_write_key(json, "throughput(MB/s)");
    json_write_fixed(json, (double)bytes * 1e6 / 1048576.0, 6);
    json_write_object_end(json);
    sim_draw_text(json, "name", sim_path_name(path));
    sim_draw_text(json, "ph", "C");
    sim_draw_text(json, "pid", "MTE Throughput");
    json_write_key(json, "tid");
    json_write_u64(json, 0);
    json_write_key(json, "ts");
    if (us == 0) /* the viewer drops a sample at time 0 */
        json_write_scaled(json, 1, 3);
    else
        json_write_u64(json, us);
    json_write_object_end(json);
    d->trace.events++;
}

/* Draws the bytes of each microsecond. The two totals add up the ways that have a track
 * of their own. */
void sim_throughput_draw(struct sim_draw *d)
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
    bytes = xcalloc((last + 2) * SIM_PATHS, sizeof(*bytes));
    for (size_t i = 0; i < s->request_count; i++)
        for (size_t k = 0; k < s->requests[i].count; k++) {
            const struct sim_request *row = &s->requests[i].rows[k];
            uint64_t *of = bytes + simulation_ns(s, row->cycle) / 1000 * SIM_PATHS;

            of[row->path] += row->bytes;
            if (row->path == SIM_GM_TO_UB || row->path == SIM_GM_TO_L1)
                of[SIM_GM_TO_TOTAL] += row->bytes;
            if (row->path == SIM_UB_TO_GM || row->path == SIM_L1_TO_GM)
                of[SIM_TOTAL_TO_GM] += row->bytes;
        }
    for (int path = 0; path < SIM_PATHS; path++)
        for (uint64_t us = 0; us <= last + 1; us++) /* a final 0 ends the curve */
            put_sample(d, (enum sim_path)path, us,
                       bytes[us * SIM_PATHS + (uint64_t)path]);
    free(bytes);
}
