/* iree_trace.c - the timeline of IREE profiles as a Chrome trace
 *
 * Times count from the first event. Events on the clock of a driver have processes of
 * their own: their distance to host events is unknown. */
#include <inttypes.h>
#include <stdio.h>

#include "parsers/iree/key_table.h"
#include "parsers/iree/output/iree_write.h"
#include "parsers/timeline/trace_writer.h"

enum { NAME_BYTES = 256, TRACKS_MAX = 1 << 16 };

struct track {
    char pid[128], tid[96];
};

struct drawing {
    struct trace_writer trace;
    const struct irpf_profile *profile;
    size_t number;
    struct key_table tracks;
};

static void write_args(struct json_write *json, const void *record)
{
    const struct irpf_item *item = ((const struct irpf_event *)record)->item;

    json_write_key(json, "event");
    json_write_wide_u64(json, item->event);
    json_write_key(json, "submission");
    json_write_wide_u64(json, item->submission);
    json_write_key(json, "payload_bytes");
    json_write_u64(json, item->payload);
    if (item->count[0]) {
        char grid[40];

        snprintf(grid, sizeof(grid), "%" PRIu32 "x%" PRIu32 "x%" PRIu32, item->count[0],
                 item->count[1], item->count[2]);
        json_write_key(json, "workgroups");
        json_write_text(json, grid);
    }
}

static void name_track(struct track *track,
                       const struct drawing *drawing,
                       const struct irpf_event *event)
{
    const struct irpf_item *item = event->item;
    const struct irpf_device *device =
        key_table_get(&drawing->profile->devices, item->device, 0);

    snprintf(track->pid, sizeof(track->pid), "profile %zu device %" PRIu32 " %s%s",
             drawing->number, item->device, device ? device->name : "",
             event->is_driver_clock ? " (clock of the driver)" : "");
    snprintf(track->tid, sizeof(track->tid), "queue %" PRIu32 " %s", item->queue,
             item->content == IRPF_QUEUE_EVENTS ? "waits for dependencies"
                                                : irpf_content_name(item->content));
}

/* Returns the track of an event, and announces a new one. */
static const struct track *find_track(struct drawing *drawing,
                                      const struct irpf_event *event)
{
    const struct irpf_item *item = event->item;
    struct track *track =
        key_table_put(&drawing->tracks, (uint64_t)drawing->number << 32 | item->device,
                      (uint64_t)item->queue << 8 | item->content);

    if (!track || track->pid[0])
        return track;
    name_track(track, drawing, event);
    trace_writer_track(&drawing->trace,
                       &(struct trace_writer_track){track->pid, track->tid, -1});
    return track;
}

static void draw(const struct irpf_event *event, void *arg)
{
    struct drawing *drawing = arg;
    const struct irpf_item *item = event->item;
    uint64_t origin = event->is_driver_clock ? drawing->profile->first_driver_ns
                                             : drawing->profile->first_ns;
    uint64_t end = item->content == IRPF_QUEUE_EVENTS ? item->ready_ns : event->end_ns;
    const struct track *track;
    char name[NAME_BYTES];

    if (!event->has_time || end < event->start_ns)
        return;
    track = find_track(drawing, event);
    if (!track)
        return;
    irpf_profile_name(name, sizeof(name), drawing->profile, item);
    trace_writer_slice(&drawing->trace,
                       &(struct trace_writer_slice){.pid = track->pid,
                                                    .tid = track->tid,
                                                    .name = name,
                                                    .colour = item->content,
                                                    .start = event->start_ns - origin,
                                                    .end = end - origin,
                                                    .args = write_args,
                                                    .record = event});
}

bool iree_has_times(const struct iree_dump *dump)
{
    for (size_t i = 0; i < dump->profile_count; i++)
        if (dump->profiles[i].first_ns != UINT64_MAX ||
            dump->profiles[i].first_driver_ns != UINT64_MAX)
            return true;
    return false;
}

int iree_write_trace(const struct iree_dump *dump, int fd, struct err *err)
{
    struct drawing drawing = {
        .tracks = {.row_bytes = sizeof(struct track), .most = TRACKS_MAX}};
    struct json_write json;

    json_write_to_fd(&json, fd);
    trace_writer_open(&drawing.trace, &json, false);
    for (size_t i = 0; i < dump->profile_count; i++) {
        drawing.profile = &dump->profiles[i];
        drawing.number = i;
        irpf_profile_each_event(drawing.profile, draw, &drawing);
    }
    trace_writer_close(&drawing.trace);
    key_table_clear(&drawing.tracks);
    return json_write_finish(&json, err);
}
