#include "parsers/timeline/slice.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/decimal.h"
#include "lib/marks/mark_names.h"
#include "parsers/code/code_map.h"

enum { PC_DIGITS = 8 }; /* at least, of an address */

uint64_t slice_ns(const struct timeline_view *view, uint64_t ticks)
{
    unsigned __int128 ns = ticks - view->clock.origin_ticks;

    ns = (ns * 1000000 + view->clock.ticks_khz / 2) / view->clock.ticks_khz +
         view->clock.origin_ns;
    return ns > INT64_MAX ? INT64_MAX : (uint64_t)ns;
}

const char *slice_label(const struct timeline_view *view,
                        const char *pid,
                        char out[SLICE_NAME_BYTES])
{
    if (!view->label[0])
        return pid;
    snprintf(out, SLICE_NAME_BYTES, "%s%s", view->label, pid);
    return out;
}

/* A slice and the view in which it is written. */
struct viewed_slice {
    const struct timeline_view *view;
    const struct slice *slice;
};

static void write_args(struct json_write *json, const void *record)
{
    const struct viewed_slice *viewed = record;
    struct slice_args out = {json, !viewed->view->label[0]};

    viewed->slice->args(&out, viewed->slice->record);
}

static void write_slice(struct trace_writer *trace,
                        const struct timeline_view *view,
                        const struct slice *slice)
{
    const struct viewed_slice viewed = {view, slice};
    char pid[SLICE_NAME_BYTES];

    trace_writer_slice(trace, &(struct trace_writer_slice){
                                  .pid = slice_label(view, slice->pid, pid),
                                  .tid = slice->tid,
                                  .name = slice->name,
                                  .colour = slice->colour,
                                  .start = slice_ns(view, slice->start_ticks),
                                  .end = slice_ns(view, slice->end_ticks),
                                  .args = slice->args ? write_args : NULL,
                                  .record = &viewed,
                              });
}

void slice_add(struct trace_writer *trace,
               const struct timeline_view *view,
               const struct slice *slice)
{
    if (slice->start_ticks >= view->clock.origin_ticks &&
        slice->end_ticks > slice->start_ticks)
        write_slice(trace, view, slice);
}

void slice_add_instant(struct trace_writer *trace,
                       const struct timeline_view *view,
                       const struct slice *slice)
{
    if (slice->start_ticks >= view->clock.origin_ticks)
        write_slice(trace, view, slice);
}

void slice_add_track(struct trace_writer *trace,
                     const struct timeline_view *view,
                     const char *pid,
                     const char *tid,
                     int sort)
{
    char label[SLICE_NAME_BYTES];

    trace_writer_track(
        trace, &(struct trace_writer_track){slice_label(view, pid, label), tid, sort});
}

const char *slice_pid(enum slice_process process)
{
    static const char *const pids[] = {
        [SLICE_AI_CORE] = "AI CORE", [SLICE_AI_CPU] = "AI CPU",
        [SLICE_HCCL] = "HCCL",       [SLICE_HCCL_TASK] = "HCCL TASK",
        [SLICE_BLOCK] = "BLOCK",
    };

    return pids[process];
}

void slice_process(struct trace_writer *trace,
                   const struct timeline_view *view,
                   enum slice_process process)
{
    enum { PROCESSES = SLICE_BLOCK + 1 };
    char label[SLICE_NAME_BYTES];
    const char *pid = slice_label(view, slice_pid(process), label);

    if (view->label[0])
        trace_writer_process(trace, pid, pid, (int)(view->place * PROCESSES + process));
}

void slice_arg_text(struct slice_args *out, const char *key, const char *value)
{
    json_write_key(out->json, key);
    json_write_text(out->json, value);
}

void slice_arg_u64(struct slice_args *out, const char *key, uint64_t value)
{
    const uint64_t exact_max = (uint64_t)1 << 53; /* of a double */
    char digits[DECIMAL_INT_ROOM];

    json_write_key(out->json, key);
    if (out->numbers_as_text || value > exact_max)
        json_write_bytes(out->json, digits, decimal_put_u64(digits, value));
    else
        json_write_u64(out->json, value);
}

void slice_arg_hex(struct slice_args *out, const char *key, uint64_t value)
{
    char digits[DECIMAL_INT_ROOM];

    json_write_key(out->json, key);
    json_write_bytes(out->json, digits, decimal_put_hex(digits, value));
}

void slice_arg_pc(struct slice_args *out, uint64_t pc)
{
    char digits[DECIMAL_INT_ROOM], text[DECIMAL_INT_ROOM + PC_DIGITS] = "0x00000000";
    size_t length = decimal_put_hex(digits, pc) - 2;

    memcpy(text + 2 + (length < PC_DIGITS ? PC_DIGITS - length : 0), digits + 2,
           length);
    json_write_key(out->json, "pc_addr");
    json_write_bytes(out->json, text, 2 + (length < PC_DIGITS ? PC_DIGITS : length));
}

void slice_arg_fixed(struct slice_args *out, const char *key, double value)
{
    char digits[DECIMAL_FIXED_ROOM];

    json_write_key(out->json, key);
    if (!out->numbers_as_text)
        json_write_fixed(out->json, value, 6);
    else
        json_write_bytes(out->json, digits,
                         isfinite(value) ? decimal_put_fixed(digits, value, 6) : 0);
}

/* Returns NULL for a fused operator, which always shows the numbers of its marks. */
static const struct mark_names *marks_of(const struct findings *findings)
{
    return findings->launch->info.is_mc2 ? NULL : findings->launch->marks;
}

const char *slice_mark_name(const struct findings *findings, uint32_t id)
{
    const struct mark_names *marks = marks_of(findings);

    return marks ? mark_names_find(marks, id) : NULL;
}

bool slice_hides_blocks(const struct findings *findings)
{
    const struct mark_names *marks = marks_of(findings);

    return marks && marks->hides_blocks;
}

/* Writes a line per frame, the innermost first. */
void slice_arg_code(struct slice_args *out,
                    const struct findings *findings,
                    uint64_t address)
{
    enum { FRAMES_MAX = 16 }; /* deeper inlining is cut off */
    struct code_map *map = findings->detail.code;
    struct code_frame frames[FRAMES_MAX];
    struct text stack = {0};
    size_t count;

    if (!map)
        return;
    count = code_map_find(map, address, frames, FRAMES_MAX);
    for (size_t i = 0; i < count && i < FRAMES_MAX; i++)
        if (frames[i].file)
            text_printf(&stack, "%s%s:%" PRIu32, stack.length ? "\n" : "",
                        frames[i].file, frames[i].line);
    if (stack.length)
        slice_arg_text(out, "code", text_get(&stack));
    text_clear(&stack);
}
