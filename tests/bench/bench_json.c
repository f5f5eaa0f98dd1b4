/* bench_json.c - trace events written by json_write and by sprintf, the same fields */
#include <inttypes.h>
#include <stdint.h>
#include <string.h>

#include "base/clock.h"
#include "base/json_write.h"
#include "base/mem.h"
#include "tests/bench/ratio.h"

enum { EVENTS = 100000, EVENT_ROOM = 512 };

struct event {
    char name[40];
    uint64_t start_ns, length_ns;
    unsigned pid, tid;
    double ratio;
};

static struct event events[EVENTS];

static void make_events(void)
{
    uint64_t hash = 1;

    for (size_t i = 0; i < EVENTS; i++) {
        hash = hash * 6364136223846793005u + 1442695040888963407u;
        snprintf(events[i].name, sizeof(events[i].name), "MatmulAllReduce_%u",
                 (unsigned)(hash >> 54));
        events[i].start_ns = 1000000000000u + i * 1000 + (hash >> 50);
        events[i].length_ns = hash >> 44;
        events[i].pid = (unsigned)(hash >> 60);
        events[i].tid = (unsigned)(hash >> 56);
        events[i].ratio = (double)(hash >> 52) / 1000;
    }
}

static void write_event(struct json_write *json, const struct event *event)
{
    json_write_object(json);
    json_write_key(json, "name");
    json_write_text(json, event->name);
    json_write_key(json, "ph");
    json_write_text(json, "X");
    json_write_key(json, "ts");
    json_write_scaled(json, (int64_t)event->start_ns, 3);
    json_write_key(json, "dur");
    json_write_scaled(json, (int64_t)event->length_ns, 3);
    json_write_key(json, "pid");
    json_write_u64(json, event->pid);
    json_write_key(json, "tid");
    json_write_u64(json, event->tid);
    json_write_key(json, "args");
    json_write_object(json);
    json_write_key(json, "ratio");
    json_write_fixed(json, event->ratio, 3);
    json_write_key(json, "length_ns");
    json_write_u64(json, event->length_ns);
    json_write_object_end(json);
    json_write_object_end(json);
}

static double ours(void *arg)
{
    static struct text out; /* kept, so that both write into memory already touched */
    struct json_write json;
    struct err err;

    text_reset(&out);
    uint64_t start = clock_mono_ns();
    json_write_to_text(&json, &out);
    json_write_array(&json);
    for (size_t i = 0; i < EVENTS; i++)
        write_event(&json, &events[i]);
    json_write_array_end(&json);
    json_write_finish(&json, &err);
    *(size_t *)arg = out.length;
    return (double)(clock_mono_ns() - start);
}

static double by_sprintf(void *arg)
{
    static char *out;

    if (!out)
        out = xcalloc(EVENTS, EVENT_ROOM);
    uint64_t start = clock_mono_ns();
    char *at = out;
    *at++ = '[';
    for (size_t i = 0; i < EVENTS; i++) {
        const struct event *it = &events[i];

        at += sprintf(at,
                      "%s{\"name\":\"%s\",\"ph\":\"X\",\"ts\":%.3f,\"dur\":%.3f,"
                      "\"pid\":%u,\"tid\":%u,\"args\":{\"ratio\":%.3f,"
                      "\"length_ns\":%" PRIu64 "}}",
                      i ? "," : "", it->name, (double)it->start_ns / 1000,
                      (double)it->length_ns / 1000, it->pid, it->tid, it->ratio,
                      it->length_ns);
    }
    *at++ = ']';
    if ((size_t)(at - out) != *(size_t *)arg) {
        fprintf(stderr, "the two wrote different texts: %zu and %zu bytes\n",
                *(size_t *)arg, (size_t)(at - out));
        exit(1);
    }
    return (double)(clock_mono_ns() - start);
}

int main(void)
{
    size_t written = 0;

    make_events();
    ours(&written);
    by_sprintf(&written);
    double ratio = ratio_median(by_sprintf, ours, &written);
    ratio_print("trace JSON out", ratio, "sprintf of the same fields", ">= 5",
                ratio >= 5);
    return 0;
}
