#include "tests/inject/fake_worker.h"

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
#include <time.h>
#include <unistd.h>

#include "lib/shm/rank_barrier.h"

enum { PROCESSES_MAX = 8, LIMIT_MS = 60 * 1000, TICK_MS = 5 };

struct process {
    int channel, wake_fd;
    uint32_t pid;
    struct ring ring;
};

struct fake_worker {
    struct fake_worker_result *result;
    const struct fake_worker_plan *plan;
    uint32_t rank;
    int card; /* the only visible card; -1: all */
    int page; /* memory of the barrier; -1: none */
    struct rank_barrier *barrier;
    pid_t pid;
    bool reaped, stopped;
    int control_socket, out;
    struct process processes[PROCESSES_MAX];
    unsigned count;
};

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

const struct fake_worker_channel *
fake_worker_find_channel(const struct fake_worker_result *result,
                         uint64_t launch,
                         uint32_t channel,
                         uint32_t pass)
{
    for (unsigned i = 0; i < result->channels; i++)
        if (result->channel[i].launch == launch &&
            result->channel[i].channel == channel && result->channel[i].pass == pass)
            return &result->channel[i];
    return NULL;
}

static void
take_bytes(struct fake_worker_result *result, const uint8_t *payload, size_t size)
{
    struct record_channel_bytes head;
    struct fake_worker_channel *channel;

    if (size < sizeof(head))
        return;
    memcpy(&head, payload, sizeof(head));
    channel = (struct fake_worker_channel *)fake_worker_find_channel(
        result, head.launch, head.channel, head.pass);
    if (!channel) {
        if (result->channels == FAKE_WORKER_CHANNELS)
            return;
        channel = &result->channel[result->channels++];
        *channel = (struct fake_worker_channel){
            .launch = head.launch,
            .channel = head.channel,
            .pass = head.pass,
            .in_order = true,
        };
    }
    channel->in_order = channel->in_order && head.offset == channel->bytes &&
                        head.length == size && size >= sizeof(head) + head.bytes;
    channel->bytes += head.bytes;
    channel->lost = channel->lost || head.lost;
}

/* Counts all passes, also those that do not fit into the array. */
static void
take_pass(struct fake_worker_result *result, const uint8_t *payload, size_t size)
{
    struct record_pass pass;

    if (size != sizeof(pass))
        return;
    memcpy(&pass, payload, size);
    if (result->last_pass.launch == pass.launch &&
        result->last_pass.kind != PASS_FIRST) {
        result->between_ns += pass.start_ns - result->last_pass.end_ns;
        result->between++;
    }
    result->last_pass = pass;
    if (result->passes < FAKE_WORKER_PASSES)
        result->pass[result->passes++] = pass;
}

static void
take_health(struct fake_worker_result *result, const uint8_t *payload, size_t size)
{
    struct record_run_health health;

    if (size != sizeof(health))
        return;
    memcpy(&health, payload, size);
    result->health[health.when == HEALTH_AFTER] = health;
}

#define KEEP(array, count, room)                                                       \
    if (size == sizeof(array[0]) && count < (room))                                    \
    memcpy(&array[count++], payload, size)

static void take_record(struct fake_worker_result *result,
                        unsigned kind,
                        const uint8_t *payload,
                        size_t size)
{
    result->frames++;
    if (kind == 0 || kind >= RECORD_KIND_END) {
        result->broken = true;
        return;
    }
    result->kinds[kind]++;
    switch (kind) {
    case RECORD_RUN_CLOCK:
        result->clocks++;
        if (size == sizeof(result->clock))
            memcpy(&result->clock, payload, size);
        break;
    case RECORD_RUN_ENVIRONMENT:
        if (size == sizeof(result->environment))
            memcpy(&result->environment, payload, size);
        break;
    case RECORD_LAUNCH:
        KEEP(result->launch, result->launches, FAKE_WORKER_LAUNCHES);
        break;
    case RECORD_RANGE_LAUNCH:
        KEEP(result->inner, result->inners, FAKE_WORKER_LAUNCHES);
        break;
    case RECORD_LAUNCH_END:
        KEEP(result->end, result->ends, FAKE_WORKER_LAUNCHES);
        break;
    case RECORD_PASS:
        take_pass(result, payload, size);
        break;
    case RECORD_CHANNEL_BYTES:
        take_bytes(result, payload, size);
        break;
    case RECORD_BARRIER:
        KEEP(result->barrier, result->barriers, FAKE_WORKER_BARRIERS);
        break;
    case RECORD_LAUNCH_GROUP:
        KEEP(result->launch_group, result->launch_groups, FAKE_WORKER_LAUNCHES);
        break;
    case RECORD_COMM_GROUP:
        KEEP(result->group, result->groups, FAKE_WORKER_GROUPS);
        break;
    case RECORD_RUN_HEALTH:
        take_health(result, payload, size);
        break;
    case RECORD_STAMP:
        KEEP(result->stamp, result->stamps, FAKE_WORKER_STAMPS);
        break;
    case RECORD_MEM_EVENT:
        KEEP(result->memory, result->memories, FAKE_WORKER_MEMORY);
        break;
    case RECORD_REPORT:
        KEEP(result->report, result->reports, FAKE_WORKER_REPORTS);
        break;
    default:
        break;
    }
}

static void drain(struct fake_worker *worker)
{
    static uint8_t payload[RING_FRAME_MAX];
    struct ring_frame frame;
    const int killing = worker->plan->kill_after_passes;

    for (unsigned i = 0; i < worker->count; i++) {
        enum ring_take taken;

        while ((taken = ring_take(&worker->processes[i].ring, &frame, payload)) ==
               RING_TAKEN)
            take_record(worker->result, frame.kind, payload, frame.length);
        if (taken == RING_BROKEN)
            worker->result->broken = true;
    }
    if (killing > 0 && worker->result->passes >= (unsigned)killing && !worker->reaped)
        kill(worker->pid, SIGKILL);
}

/* For a communicator, all ranks must get the same answer, so it depends on the number
 * of the operation. */
static bool is_wanted(const struct fake_worker *worker,
                      const struct control_prepare *asked)
{
    if (asked->about == CONTROL_RANGE_NAME || asked->about == CONTROL_LATER_SEGMENT)
        return worker->plan->profile > 0;
    return asked->group ? asked->sequence <= worker->plan->profile
                        : worker->result->prepares <= worker->plan->profile;
}

static void plan_for(const struct fake_worker *worker,
                     const struct control_prepare *asked,
                     union control_message *answer)
{
    const struct fake_worker_plan *plan = worker->plan;
    struct control_decision *decision = &answer->decision;

    control_message_init(answer, CONTROL_DECISION);
    decision->launch = asked->launch;
    decision->answer = is_wanted(worker, asked) ? CONTROL_PROFILE : CONTROL_PASS;
    if (plan->kernel && strcmp(plan->kernel, asked->kernel) != 0)
        decision->answer = CONTROL_PASS_KERNEL;
    decision->barrier_ms = plan->barrier_ms;
    decision->warmups = plan->warmups;
    decision->once = asked->launch_kind == LAUNCH_POINT_TO_POINT ? 1 : plan->only_pass;
    decision->pass_count = plan->passes;
    decision->has_l2 = decision->l2_alone = plan->l2_alone;
    decision->plain = plan->plain;
    decision->l2_events[4] = 0x9c;
    snprintf(decision->metrics, sizeof(decision->metrics), "Default");
    for (uint32_t i = 0; i < plan->passes; i++) {
        decision->pass[i].event_count = 8;
        for (uint16_t k = 0; k < 8; k++) {
            decision->pass[i].aic[k] = (uint16_t)(100 * (i + 1) + k);
            decision->pass[i].aiv[k] = (uint16_t)(200 * (i + 1) + k);
        }
    }
}

static void on_hello(struct fake_worker *worker)
{
    union control_message message;
    int fds[CONTROL_FDS_MAX], memory, given[3];
    ssize_t size = control_receive(worker->control_socket, &message, fds);
    struct process *process = &worker->processes[worker->count];

    if (size <= 0 || !control_message_fits(&message, (size_t)size, CONTROL_HELLO) ||
        worker->count == PROCESSES_MAX)
        return;
    worker->result->hellos++;
    memory = ring_memory(RING_BYTES, 1);
    process->channel = fds[0];
    process->pid = message.hello.pid;
    process->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (memory < 0 || ring_map(&process->ring, memory, RING_BYTES, 1) < 0)
        abort();
    worker->count++;
    control_message_init(&message, CONTROL_CONFIG);
    message.config.ring_bytes = RING_BYTES;
    message.config.ring_lanes = 1;
    message.config.flags = worker->plan->flags;
    message.config.rank = worker->rank;
    message.config.world = worker->plan->world;
    given[CONFIG_RING] = memory;
    given[CONFIG_RING_WAKE] = process->wake_fd;
    given[CONFIG_BARRIER] = worker->page;
    control_send(process->channel, &message, given, worker->page < 0 ? 2 : 3);
    close(memory);
    if (worker->plan->closes_channel) {
        close(process->channel);
        process->channel = -1;
    }
}

static void on_channel(struct fake_worker *worker, struct process *process)
{
    union control_message asked, answer;
    int fds[CONTROL_FDS_MAX];
    ssize_t size = control_receive(process->channel, &asked, fds);

    if (size == 0) {
        close(process->channel);
        process->channel = -1;
        if (!worker->plan->ends_unreported)
            barrier_mark_process_ended(worker->barrier, process->pid);
    }
    if (size <= 0 || !control_message_fits(&asked, (size_t)size, CONTROL_PREPARE))
        return;
    if (asked.prepare.about != CONTROL_RANGE_NAME) {
        worker->result->prepares++;
        memcpy(worker->result->ranges, asked.prepare.ranges,
               sizeof(worker->result->ranges));
    }
    plan_for(worker, &asked.prepare, &answer);
    control_send(fds[0], &answer, NULL, 0);
    close(fds[0]);
}

static void on_out(struct fake_worker *worker)
{
    struct fake_worker_result *result = worker->result;
    char rest[4096];
    size_t room = sizeof(result->out) - 1 - result->out_bytes;
    ssize_t size = read(worker->out, room ? result->out + result->out_bytes : rest,
                        room ? room : sizeof(rest));

    if (size > 0 && room)
        result->out_bytes += (size_t)size;
    if (size <= 0) {
        close(worker->out);
        worker->out = -1;
    }
}

static bool has_open_channel(const struct fake_worker *worker)
{
    for (unsigned i = 0; i < worker->count; i++)
        if (worker->processes[i].channel >= 0)
            return true;
    return worker->out >= 0 || !worker->reaped;
}

static size_t watch(const struct fake_worker *worker, struct pollfd *ready)
{
    ready[0] = (struct pollfd){.fd = worker->control_socket, .events = POLLIN};
    ready[1] = (struct pollfd){.fd = worker->out, .events = POLLIN};
    for (unsigned i = 0; i < worker->count; i++)
        ready[2 + i] =
            (struct pollfd){.fd = worker->processes[i].channel, .events = POLLIN};
    return 2 + worker->count;
}

static void reap(struct fake_worker *worker)
{
    int status;

    if (worker->reaped ||
        waitpid(worker->pid, &status, WNOHANG | WUNTRACED) != worker->pid)
        return;
    worker->stopped = WIFSTOPPED(status);
    worker->reaped = !worker->stopped;
    if (worker->reaped)
        worker->result->status = status;
}

static void
serve(struct fake_worker *worker, const struct pollfd *ready, size_t watched)
{
    if (ready[1].revents)
        on_out(worker);
    for (size_t i = 0; i + 2 < watched; i++)
        if (ready[2 + i].revents)
            on_channel(worker, &worker->processes[i]);
    if (ready[0].revents & POLLIN)
        on_hello(worker);
    drain(worker);
    reap(worker);
}

static void serve_all(struct fake_worker *workers, uint32_t count)
{
    struct pollfd ready[FAKE_WORKER_RANKS * (PROCESSES_MAX + 2)];
    size_t watched[FAKE_WORKER_RANKS], used = 0;

    for (uint32_t i = 0; i < count; i++) {
        watched[i] = watch(&workers[i], ready + used);
        used += watched[i];
    }
    poll(ready, used, TICK_MS);
    for (uint32_t i = 0, at = 0; i < count; at += (uint32_t)watched[i++])
        serve(&workers[i], ready + at, watched[i]);
}

static void exec_program(const char *const *argv,
                         const char *inject,
                         const char *home,
                         const struct fake_worker_plan *plan,
                         int card,
                         int operator_end,
                         int out)
{
    char text[4096];
    struct stat is;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (const char *const *line = plan->env; line && *line; line++)
        putenv((char *)*line);
    if (card >= 0) { /* like a worker: a rank sees only its own card */
        snprintf(text, sizeof(text), "%d", card);
        setenv("ASCEND_RT_VISIBLE_DEVICES", text, 1);
    }
    setenv("ASCEND_HOME_PATH", home, 1);
    snprintf(text, sizeof(text), "%s%s%s/lib64", plan->stubs ? plan->stubs : "",
             plan->stubs ? ":" : "", home);
    setenv("LD_LIBRARY_PATH", text, 1);
    if (!plan->not_attached) {
        fstat(operator_end, &is);
        snprintf(text, sizeof(text), "%d:%llu", operator_end,
                 (unsigned long long)is.st_ino);
        if (!plan->cleared)
            setenv(CONTROL_ENV, text, 1);
        setenv("LD_PRELOAD", inject, 1);
        setenv("ASAN_OPTIONS", "verify_asan_link_order=0:detect_leaks=0", 1);
        fcntl(operator_end, F_SETFD, 0);
    }
    dup2(out, STDOUT_FILENO);
    execv(argv[0], (char *const *)argv);
    _exit(127);
}

static void start(struct fake_worker *worker,
                  const char *const *argv,
                  const char *inject,
                  const char *home)
{
    int ends[2], out[2];

    memset(worker->result, 0, sizeof(*worker->result));
    if (control_pair(ends) < 0 || pipe2(out, O_CLOEXEC) < 0)
        abort();
    worker->pid = fork();
    if (worker->pid == 0)
        exec_program(argv, inject, home, worker->plan, worker->card, ends[1], out[1]);
    close(ends[1]);
    close(out[1]);
    worker->control_socket = ends[0];
    worker->out = out[0];
}

static void stop(struct fake_worker *worker)
{
    drain(worker);
    for (unsigned i = 0; i < worker->count; i++) {
        close(worker->processes[i].wake_fd);
        ring_unmap(&worker->processes[i].ring);
    }
    close(worker->control_socket);
}

static void send_signal(struct fake_worker *worker, int signal)
{
    worker->stopped = false;
    kill(worker->pid, signal);
}

/* Continues stopped processes after the other ranks ended their launch. Kills them when
 * no other process runs. Returns true when all processes ended. */
static bool all_ended(struct fake_worker *workers, uint32_t count)
{
    bool running = false, reported = true, stopped = false;

    for (uint32_t i = 0; i < count; i++) {
        stopped = stopped || workers[i].stopped;
        running = running || (!workers[i].stopped && has_open_channel(&workers[i]));
        reported = reported && (workers[i].stopped || workers[i].result->ends > 0);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (workers[i].stopped && workers[i].plan->continues && (reported || !running))
            send_signal(&workers[i], SIGCONT);
        else if (workers[i].stopped && !running)
            send_signal(&workers[i], SIGKILL);
    }
    return !running && !stopped;
}

void fake_worker_run_ranks(struct fake_worker_result *results,
                           uint32_t ranks,
                           const char *const *const *argvs,
                           const char *inject,
                           const char *home,
                           const struct fake_worker_plan *plan)
{
    int64_t deadline = now_ms() + LIMIT_MS;
    int page = plan->world ? barrier_memory(1, plan->world, plan->world) : -1;
    struct rank_barrier barrier = {.wake_fd = -1};
    struct fake_worker workers[FAKE_WORKER_RANKS];

    if (ranks > FAKE_WORKER_RANKS || (page >= 0 && barrier_map(&barrier, page, -1) < 0))
        abort();
    for (uint32_t i = 0; i < ranks; i++) {
        workers[i] = (struct fake_worker){
            .result = &results[i],
            .plan = plan,
            .rank = i,
            .card = ranks > 1 ? (int)i : -1,
            .page = page,
            .barrier = &barrier,
        };
        start(&workers[i], argvs[i], inject, home);
    }
    while (!all_ended(workers, ranks)) {
        serve_all(workers, ranks);
        for (uint32_t i = 0; i < ranks; i++)
            if (now_ms() > deadline && !workers[i].reaped)
                kill(workers[i].pid, SIGKILL);
    }
    for (uint32_t i = 0; i < ranks; i++)
        stop(&workers[i]);
    barrier_unmap(&barrier);
    if (page >= 0)
        close(page);
}

void fake_worker_run(struct fake_worker_result *result,
                     const char *const *argv,
                     const char *inject,
                     const char *home,
                     const struct fake_worker_plan *plan)
{
    fake_worker_run_ranks(result, 1, &argv, inject, home, plan);
}
