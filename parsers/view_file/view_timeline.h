/* view_timeline.h - the timeline of an open file, read in steps */
#ifndef PARSERS_VIEW_FILE_VIEW_TIMELINE_H
#define PARSERS_VIEW_FILE_VIEW_TIMELINE_H

#include "parsers/trace_index/trace_index.h"

struct view_file;
struct view_timeline;

enum view_timeline_state {
    VIEW_TIMELINE_UNREAD,
    VIEW_TIMELINE_READING,
    VIEW_TIMELINE_READY, /* also for a file without a trace: the index is empty */
    VIEW_TIMELINE_FAILED,
};

struct view_timeline_progress {
    enum view_timeline_state state;
    uint64_t done, total; /* bytes of the trace */
    const char *problem;  /* of a failed timeline, otherwise "" */
};

/* Reads 5000 events; the last step sorts all of them. */
struct view_timeline_progress view_timeline_step(struct view_file *file);
/* Reads what remains. *index is borrowed until view_timeline_drop(). */
int view_timeline_get(const struct trace_index **index,
                      struct view_file *file,
                      struct err *err);
enum view_timeline_state view_timeline_state(const struct view_file *file);
size_t view_timeline_bytes(const struct view_file *file);
/* Frees the index; the next request reads the trace again. */
void view_timeline_drop(struct view_file *file);

#endif
