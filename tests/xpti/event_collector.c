#include "tests/xpti/event_collector.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/capture/format/kinds.h"
#include "lib/shm/control_channel.h"
#include "lib/shm/ring.h"

enum { TICK_MS = 2 };

struct connection {
    int channel, wake;
    struct ring ring;
};

struct collector {
    struct collected *collected;
    struct connection connections[COLLECTOR_PROCESSES];
    int control, out;
    size_t out_bytes, kill_after;
    pid_t pid;
    bool ended;
};

#define APPEND(array, count, room, record)                                             \
    do {                                                                               \
        if ((count) == (room)) {                                                       \
            (room) = (room) ? 2 * (room) : 64;                                         \
            (array) = realloc((array), (room) * sizeof(*(array)));                     \
        }                                                                              \
        (array)[(count)++] = *(record);                                                \
    } while (0)

static void take_text(struct collector_process *process, const uint8_t *payload)
{
    const struct record_xpti_text *text = (const struct record_xpti_text *)payload;

    if (text->text < COLLECTOR_TEXTS && !process->texts[text->text])
        process->texts[text->text] = strndup((const char *)(text + 1), text->bytes);
}

static void take_drop(struct collector_process *process, const struct record_drop *drop)
{
    if (drop->reason == DROP_INTERRUPTED)
        process->interrupted += drop->count;
}

static void
take(struct collector_process *process, unsigned kind, const uint8_t *payload)
{
    switch (kind) {
    case RECORD_XPTI_PROCESS:
        if (process->process_records++ == 0)
            process->first = *(const struct record_xpti_process *)payload;
        break;
    case RECORD_XPTI_STREAM:
        if (process->stream_count < 16)
            process->streams[process->stream_count++] =
                *(const struct record_xpti_stream *)payload;
        break;
    case RECORD_XPTI_TEXT:
        take_text(process, payload);
        break;
    case RECORD_XPTI_OBJECT:
        APPEND(process->objects, process->object_count, process->object_room,
               (const struct record_xpti_object *)payload);
        break;
    case RECORD_XPTI_METADATA:
        APPEND(process->metadata, process->metadata_count, process->metadata_room,
               (const struct record_xpti_metadata *)payload);
        break;
    case RECORD_XPTI_EVENT:
        APPEND(process->events, process->event_count, process->event_room,
               (const struct record_xpti_event *)payload);
        break;
    case RECORD_DROP:
        take_drop(process, (const struct record_drop *)payload);
        break;
    default:
        break;
    }
}

static bool is_whole(unsigned kind, const uint8_t *payload, size_t size)
{
    const struct record_kind_row *row = record_kind_get(kind);
    uint32_t length;

    if (!row || size < row->least)
        return false;
    memcpy(&length, payload, sizeof(length));
    return row->size ? size == row->size : size == length;
}

static void drain(struct collector *collector, unsigned at)
{
    static _Alignas(8) uint8_t payload[RING_FRAME_MAX];
    struct collected *collected = collector->collected;
    struct ring *ring = &collector->connections[at].ring;
    struct ring_frame frame;
    enum ring_take taken;

    while ((taken = ring_take(ring, &frame, payload)) == RING_TAKEN) {
        if (is_whole(frame.kind, payload, frame.length))
            take(&collected->processes[at], frame.kind, payload);
        else
            collected->broken = true;
        if (collector->kill_after > 0 && !collector->ended &&
            collected->processes[at].event_count == collector->kill_after)
            kill(collector->pid, SIGKILL);
    }
    collected->broken |= taken == RING_BROKEN;
    for (uint16_t kind = 1; kind < RECORD_KIND_END; kind++)
        collected->processes[at].dropped += ring_take_drops(ring, kind);
}

static void on_hello(struct collector *collector)
{
    struct collected *collected = collector->collected;
    union control_message message;
    int fds[CONTROL_FDS_MAX], memory;
    ssize_t size = control_receive(collector->control, &message, fds);
    struct connection *connection = &collector->connections[collected->count];

    if (size <= 0 || !control_message_fits(&message, (size_t)size, CONTROL_HELLO) ||
        collected->count == COLLECTOR_PROCESSES)
        return;
    memory = ring_memory(RING_BYTES, RING_LANES_MAX);
    connection->channel = fds[0];
    connection->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (memory < 0 ||
        ring_map(&connection->ring, memory, RING_BYTES, RING_LANES_MAX) < 0)
        abort();
    collected->processes[collected->count++].pid = message.hello.pid;
    control_message_init(&message, CONTROL_CONFIG);
    message.config.ring_bytes = RING_BYTES;
    message.config.ring_lanes = RING_LANES_MAX;
    control_send(connection->channel, &message,
                 (int[]){[CONFIG_RING] = memory, [CONFIG_RING_WAKE] = connection->wake},
                 2);
    close(memory);
}

static void read_out(struct collector *collector)
{
    char *at = collector->collected->out + collector->out_bytes;
    size_t room = COLLECTOR_OUT - 1 - collector->out_bytes;
    ssize_t size = read(collector->out, at, room);

    if (size > 0)
        collector->out_bytes += (size_t)size;
    else if (size == 0 || errno != EINTR) {
        close(collector->out);
        collector->out = -1;
    }
}

static void serve(struct collector *collector)
{
    struct pollfd ready[] = {
        {.fd = collector->control, .events = POLLIN},
        {.fd = collector->out, .events = POLLIN},
    };

    poll(ready, 2, TICK_MS);
    if (ready[0].revents & POLLIN)
        on_hello(collector);
    if (ready[1].revents)
        read_out(collector);
    for (unsigned i = 0; i < collector->collected->count; i++)
        drain(collector, i);
    if (!collector->ended && waitpid(collector->pid, &collector->collected->status,
                                     WNOHANG) == collector->pid)
        collector->ended = true;
}

static void
exec_program(const char *const *argv, const char *const *env, int operator_end, int out)
{
    struct stat is;
    char text[64];

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (; *env; env++)
        putenv((char *)*env);
    fstat(operator_end, &is);
    snprintf(text, sizeof(text), "%d:%llu", operator_end,
             (unsigned long long)is.st_ino);
    setenv(CONTROL_ENV, text, 1);
    fcntl(operator_end, F_SETFD, 0);
    dup2(out, STDOUT_FILENO);
    execv(argv[0], (char *const *)argv);
    _exit(127);
}

void collector_run(struct collected *collected,
                   const char *const *argv,
                   const char *const *env,
                   size_t kill_after)
{
    struct collector collector = {.collected = collected, .kill_after = kill_after};
    int ends[2], out[2];

    memset(collected, 0, sizeof(*collected));
    if (control_pair(ends) < 0 || pipe2(out, O_CLOEXEC) < 0)
        abort();
    collector.control = ends[0];
    collector.out = out[0];
    collector.pid = fork();
    if (collector.pid == 0)
        exec_program(argv, env, ends[1], out[1]);
    close(ends[1]);
    close(out[1]);
    while (!collector.ended || collector.out >= 0)
        serve(&collector);
    for (unsigned i = 0; i < collected->count; i++) {
        drain(&collector, i);
        close(collector.connections[i].channel);
        close(collector.connections[i].wake);
        ring_unmap(&collector.connections[i].ring);
    }
    close(collector.control);
}

void collector_clear(struct collected *collected)
{
    for (unsigned i = 0; i < collected->count; i++) {
        struct collector_process *process = &collected->processes[i];

        for (size_t k = 0; k < COLLECTOR_TEXTS; k++)
            free(process->texts[k]);
        free(process->objects);
        free(process->events);
        free(process->metadata);
    }
    memset(collected, 0, sizeof(*collected));
}

size_t collector_count(const struct collector_process *process, uint16_t type)
{
    size_t count = 0;

    for (size_t i = 0; i < process->event_count; i++)
        count += process->events[i].type == type;
    return count;
}

const char *collector_text(const struct collector_process *process, uint32_t number)
{
    return number < COLLECTOR_TEXTS && process->texts[number] ? process->texts[number]
                                                              : "";
}

const struct record_xpti_object *
collector_object(const struct collector_process *process, uint64_t number)
{
    for (size_t i = 0; i < process->object_count; i++)
        if (process->objects[i].object == number)
            return &process->objects[i];
    return NULL;
}

const char *collector_name(const struct collector_process *process, uint64_t object)
{
    const struct record_xpti_object *found = collector_object(process, object);

    return found ? collector_text(process, found->name) : "";
}
