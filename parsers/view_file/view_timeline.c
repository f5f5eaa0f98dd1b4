#include "parsers/view_file/view_timeline.h"

#include <stdlib.h>

#include "lib/base/mem.h"
#include "parsers/view_file/view_file.h"

enum { EVENTS_PER_STEP = 5000 };

struct view_timeline {
    enum view_timeline_state state;
    struct trace_index *index;
    struct json_read *read; /* of the current part */
    struct view_stream stream;
    size_t block; /* the next block */
    uint64_t part_done, done, total;
    struct err err; /* of a failed timeline */
};

static int read_bytes(void *arg, uint64_t at, void *bytes, size_t size, struct err *err)
{
    return view_file_read(arg, at, bytes, size, err);
}

static struct view_timeline *create(struct view_file *file)
{
    struct view_timeline *timeline = xcalloc(1, sizeof(*timeline));

    timeline->state = VIEW_TIMELINE_READING;
    timeline->index = trace_index_create(read_bytes, file);
    for (size_t i = 0; i < file->count; i++)
        if (file->blocks[i].type == BIN_TRACE)
            timeline->total += file->blocks[i].size;
    return timeline;
}

void view_timeline_drop(struct view_file *file)
{
    if (!file->timeline)
        return;
    trace_index_destroy(file->timeline->index);
    json_read_destroy(file->timeline->read);
    free(file->timeline);
    file->timeline = NULL;
}

static void fail(struct view_timeline *timeline)
{
    timeline->state = VIEW_TIMELINE_FAILED;
    trace_index_destroy(timeline->index);
    timeline->index = NULL;
    json_read_destroy(timeline->read);
    timeline->read = NULL;
}

/* Opens the next block with a trace. Returns false when there is none. */
static bool open_part(struct view_file *file, struct view_timeline *timeline)
{
    while (timeline->block < file->count) {
        const struct view_block *block = &file->blocks[timeline->block++];

        if (block->type != BIN_TRACE)
            continue;
        timeline->read = view_stream_open(&timeline->stream, file, block);
        trace_index_open_part(timeline->index, block->at, block->size);
        return true;
    }
    return false;
}

static void step(struct view_file *file, struct view_timeline *timeline)
{
    bool more;

    if (!timeline->read && !open_part(file, timeline)) {
        trace_index_finish(timeline->index);
        timeline->state = VIEW_TIMELINE_READY;
        return;
    }
    if (view_file_check(file, &timeline->err) < 0 ||
        trace_index_read(timeline->index, timeline->read, EVENTS_PER_STEP, &more,
                         &timeline->err) < 0) {
        fail(timeline);
        return;
    }
    timeline->part_done = json_read_offset(timeline->read);
    if (more)
        return;
    timeline->done += timeline->part_done;
    timeline->part_done = 0;
    json_read_destroy(timeline->read);
    timeline->read = NULL;
}

struct view_timeline_progress view_timeline_step(struct view_file *file)
{
    struct view_timeline *timeline = file->timeline;

    if (!timeline)
        timeline = file->timeline = create(file);
    if (timeline->state == VIEW_TIMELINE_READING)
        step(file, timeline);
    return (struct view_timeline_progress){
        .state = timeline->state,
        .done = timeline->done + timeline->part_done,
        .total = timeline->total,
        .problem = timeline->state == VIEW_TIMELINE_FAILED ? timeline->err.text : "",
    };
}

int view_timeline_get(const struct trace_index **index,
                      struct view_file *file,
                      struct err *err)
{
    while (view_timeline_step(file).state == VIEW_TIMELINE_READING)
        continue;
    if (file->timeline->state == VIEW_TIMELINE_FAILED) {
        *err = file->timeline->err;
        return err_wrap(err, "the timeline cannot be read");
    }
    *index = file->timeline->index;
    return 0;
}

enum view_timeline_state view_timeline_state(const struct view_file *file)
{
    return file->timeline ? file->timeline->state : VIEW_TIMELINE_UNREAD;
}

size_t view_timeline_bytes(const struct view_file *file)
{
    return file->timeline && file->timeline->state == VIEW_TIMELINE_READY
               ? trace_index_bytes(file->timeline->index)
               : 0;
}
