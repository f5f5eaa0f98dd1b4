/* train_trace.c - writes trace_view.json: events of the host, tasks of the device */
#include <inttypes.h>

#include "sim/training/train_files.h"

enum lane { PYTHON = 1, CANN, HARDWARE, COMMUNICATION };
enum { THREAD = 1000 };

static void put_time(FILE *out, const char *key, uint64_t ns, const char *quote)
{
    fprintf(out, ", \"%s\": %s%" PRIu64 ".%03u%s", key, quote, ns / 1000,
            (unsigned)(ns % 1000), quote);
}

static void put_event(FILE *out,
                      enum lane lane,
                      uint32_t thread,
                      const char *name,
                      const char *more,
                      uint64_t start,
                      uint64_t end)
{
    fprintf(out,
            ",\n{\"ph\": \"X\", \"pid\": %d, \"tid\": %" PRIu32 ", \"name\": \"%s\"%s",
            lane, thread, name, more);
    put_time(out, "ts", start, "\"");
    put_time(out, "dur", end - start, "");
    fputs("}", out);
}

static void put_lanes(FILE *out)
{
    static const char *const names[] = {[PYTHON] = "Python",
                                        [CANN] = "CANN",
                                        [HARDWARE] = "Ascend Hardware",
                                        [COMMUNICATION] = "Communication"};

    for (enum lane lane = PYTHON; lane <= COMMUNICATION; lane++)
        fprintf(out,
                "%s{\"ph\": \"M\", \"pid\": %d, \"tid\": 0, \"name\": "
                "\"process_name\", \"args\": {\"name\": \"%s\"}}",
                lane == PYTHON ? "[" : ",\n", lane, names[lane]);
}

/* An arrow from the launch to the task. */
static void put_flow(FILE *out, const struct train_task *task, size_t number)
{
    fprintf(out,
            ",\n{\"ph\": \"s\", \"pid\": %d, \"tid\": %d, \"id\": \"%zu\", \"name\": "
            "\"HostToDevice\", \"cat\": \"HostToDevice\"",
            CANN, THREAD, number);
    put_time(out, "ts", task->launched, "\"");
    fprintf(out,
            "},\n{\"ph\": \"f\", \"bp\": \"e\", \"pid\": %d, \"tid\": %" PRIu32
            ", \"id\": \"%zu\", \"name\": \"HostToDevice\", \"cat\": \"HostToDevice\"",
            HARDWARE, task->stream, number);
    put_time(out, "ts", task->start, "\"");
    fputs("}", out);
}

static void put_task(FILE *out, const struct train_task *task, size_t number)
{
    char name[160];

    if (task->collective != UINT32_MAX) {
        snprintf(name, sizeof(name), "%s_" TRAIN_GROUP_TAIL "_%" PRIu32 "_1",
                 task->name, task->collective);
        put_event(out, COMMUNICATION, 0, name, "", task->start, task->end);
        return;
    }
    put_event(out, HARDWARE, task->stream, task->name, "", task->start, task->end);
    put_flow(out, task, number);
}

void train_trace_write(FILE *out, const struct train_rank *rank)
{
    put_lanes(out);
    for (size_t i = 0; i < rank->event_count; i++) {
        const struct train_host_event *event = &rank->events[i];

        put_event(out, event->is_framework ? PYTHON : CANN, THREAD, event->name,
                  event->is_framework ? ", \"cat\": \"cpu_op\"" : "", event->start,
                  event->end);
    }
    for (uint32_t step = 0; step < rank->step_count; step++) {
        char name[32];

        snprintf(name, sizeof(name), "ProfilerStep#%" PRIu32, step + TRAIN_FIRST_STEP);
        put_event(out, PYTHON, THREAD, name, ", \"cat\": \"cpu_op\"",
                  rank->steps[step].start, rank->steps[step].end);
    }
    for (size_t i = 0; i < rank->task_count; i++)
        put_task(out, &rank->tasks[i], i);
    fputs("]\n", out);
}
