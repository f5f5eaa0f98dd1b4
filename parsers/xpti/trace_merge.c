#include "parsers/xpti/trace_merge.h"

#include <inttypes.h>
#include <stdio.h>

#include "lib/base/file.h"
#include "lib/base/text.h"
#include "parsers/source/source_blocks.h"
#include "parsers/xpti/event_spans.h"
#include "parsers/xpti/span_trace.h"
#include "parsers/xpti/trace_records.h"

enum { EVENTS_MAX = 4 * 1000 * 1000 }; /* all ranks are in memory: about 1 GB */

#define NAME "merged/xpti.json"

static void put_line(struct trace_merge *merge, const char *key, const char *text)
{
    json_write_object(merge->lines);
    json_write_key(merge->lines, key);
    json_write_text(merge->lines, text);
    json_write_object_end(merge->lines);
    json_write_line(merge->lines);
}

/* Reads ranks until there are too many events. Returns the number of ranks with events,
 * or -1. */
static int
read_ranks(struct trace_merge *merge, struct trace_records *records, struct err *err)
{
    int traced = 0;

    for (uint32_t rank = 0; rank < merge->ranks && records->events <= EVENTS_MAX;
         rank++) {
        const size_t before = records->events;

        if (source_each_block(merge->capture, merge->run_id, rank, trace_records_add,
                              records, err) < 0)
            return -1;
        traced += records->events > before;
    }
    return traced;
}

static int
write_file(struct trace_merge *merge, const struct text *bytes, struct err *err)
{
    struct text path = {0};
    struct file_new *file = NULL;
    int result;

    text_printf(&path, "%s/merged", merge->folder);
    result = folder_create(text_get(&path), err);
    text_reset(&path);
    text_printf(&path, "%s/" NAME, merge->folder);
    if (result == 0)
        result = file_new_create(&file, text_get(&path), err);
    if (result == 0 &&
        fd_write_all(file_new_fd(file), text_get(bytes), bytes->length) < 0)
        result = err_errno(err, "writing %s", text_get(&path));
    if (result == 0)
        result = file_new_commit_all(&file, 1, err);
    if (result == 0)
        put_line(merge, "output", NAME);
    else if (file)
        file_new_abandon(&file);
    text_clear(&path);
    return result;
}

static int
write_merged(struct trace_merge *merge, struct trace_records *records, struct err *err)
{
    struct event_spans spans;
    struct text bytes = {0};
    char text[160];
    int result;

    if (records->events > EVENTS_MAX) {
        snprintf(text, sizeof(text),
                 "the ranks have more than %d trace events, which are not merged; "
                 "select fewer with profile.streams and profile.filter",
                 EVENTS_MAX);
        put_line(merge, "error", text);
        merge->bad++;
        return 0;
    }
    trace_records_finish(records);
    event_spans_join(&spans, records);
    span_trace_write(&spans, records, &bytes);
    result = write_file(merge, &bytes, err);
    event_spans_clear(&spans);
    text_clear(&bytes);
    return result;
}

int trace_merge_write(struct trace_merge *merge, struct err *err)
{
    struct trace_records records = {0};
    int result = 0, traced = read_ranks(merge, &records, err);

    if (traced < 0)
        result = -1;
    else if (traced > 1)
        result = write_merged(merge, &records, err);
    trace_records_clear(&records);
    return result;
}
