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

struct guest_process {
    int channel, bell;
    uint32_t pid;
    struct ring ring;
};

struct fake_worker {
    struct fake_worker_story *story;
    const struct fake_worker_plan *plan;
    uint32_t rank;
    int card; /* the only one it sees; -1: all */
    int page; /* where the ranks meet; -1: nowhere */
    struct rank_barrier *meeting;
    pid_t pid;
    bool reaped, stopped;
    int rendezvous, out;
    struct guest_process processes[PROCESSES_MAX];
    unsigned count;
};

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

const struct fake_worker_channel *
fake_worker_find_channel(const struct fake_worker_story *story,
                         uint64_t launch,
                         uint32_t channel,
                         uint32_t pass)
{
    for (unsigned i = 0; i < story->channels; i++)
        if (story->channel[i].launch == launch &&
            story->channel[i].channel == channel && story->channel[i].pass == pass)
            return &story->channel[i];
    return NULL;
}

static void
take_bytes(struct fake_worker_story *story, const uint8_t *payload, size_t size)
{
    struct record_channel_bytes head;
    struct fake_worker_channel *channel;

    if (size < sizeof(head))
        return;
    memcpy(&head, payload, sizeof(head));
    channel = (struct fake_worker_channel *)fake_worker_find_channel(
        story, head.launch, head.channel, head.pass);
    if (!channel) {
        if (story->channels == FAKE_WORKER_CHANNELS)
            return;
        channel = &story->channel[story->channels++];
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

/* All of them, also those that there is no room for. */
static void
take_pass(struct fake_worker_story *story, const uint8_t *payload, size_t size)
{
    struct record_pass pass;

    if (size != sizeof(pass))
        return;
    memcpy(&pass, payload, size);
    if (story->last_pass.launch == pass.launch && story->last_pass.kind != PASS_FIRST) {
        story->between_ns += pass.start_ns - story->last_pass.end_ns;
        story->between++;
    }
    story->last_pass = pass;
    if (story->passes < FAKE_WORKER_PASSES)
        story->pass[story->passes++] = pass;
}

static void
take_health(struct fake_worker_story *story, const uint8_t *payload, size_t size)
{
    struct record_run_health health;

    if (size != sizeof(health))
        return;
    memcpy(&health, payload, size);
    story->health[health.when == HEALTH_AFTER] = health;
}

#define KEEP(array, count, room)                                                       \
    if (size == sizeof(array[0]) && count < (room))                                    \
    memcpy(&array[count++], payload, size)

static void take_record(struct fake_worker_story *story,
                        unsigned kind,
                        const uint8_t *payload,
                        size_t size)
{
    story->frames++;
    if (kind == 0 || kind >= RECORD_KIND_END) {
        story->broken = true;
        return;
    }
    story->kinds[kind]++;
    switch (kind) {
    case RECORD_RUN_CLOCK:
        story->clocks++;
        if (size == sizeof(story->clock))
            memcpy(&story->clock, payload, size);
        break;
    case RECORD_LAUNCH:
        KEEP(story->launch, story->launches, FAKE_WORKER_LAUNCHES);
        break;
    case RECORD_LAUNCH_END:
        KEEP(story->end, story->ends, FAKE_WORKER_LAUNCHES);
        break;
    case RECORD_PASS:
        take_pass(story, payload, size);
        break;
    case RECORD_CHANNEL_BYTES:
        take_bytes(story, payload, size);
        break;
    case RECORD_BARRIER:
        KEEP(story->barrier, story->barriers, FAKE_WORKER_BARRIERS);
        break;
    case RECORD_LAUNCH_GROUP:
        KEEP(story->launch_group, story->launch_groups, FAKE_WORKER_LAUNCHES);
        break;
    case RECORD_COMM_GROUP:
        KEEP(story->group, story->groups, FAKE_WORKER_GROUPS);
        break;
    case RECORD_RUN_HEALTH:
        take_health(story, payload, size);
        break;
    case RECORD_STAMP:
        KEEP(story->stamp, story->stamps, FAKE_WORKER_STAMPS);
        break;
    case RECORD_MEM_EVENT:
        KEEP(story->memory, story->memories, FAKE_WORKER_MEMORY);
        break;
    case RECORD_REPORT:
        KEEP(story->report, story->reports, FAKE_WORKER_REPORTS);
        break;
    default:
        break;
    }
}

static void drain(struct fake_worker *host)
{
    static uint8_t payload[RING_FRAME_MAX];
    struct ring_frame frame;
    const int killing = host->plan->kill_after_passes;

    for (unsigned i = 0; i < host->count; i++) {
        enum ring_take taken;

        while ((taken = ring_take(&host->processes[i].ring, &frame, payload)) ==
               RING_TAKEN)
            take_record(host->story, frame.kind, payload, frame.length);
        if (taken == RING_BROKEN)
            host->story->broken = true;
    }
    if (killing > 0 && host->story->passes >= (unsigned)killing && !host->reaped)
        kill(host->pid, SIGKILL);
}

/* Of a group all hosts have to say the same: by the number of the operation. */
static bool is_wanted(const struct fake_worker *host,
                      const struct control_prepare *asked)
{
    return asked->group ? asked->sequence <= host->plan->profile
                        : host->story->prepares <= host->plan->profile;
}

static void plan_for(const struct fake_worker *host,
                     const struct control_prepare *asked,
                     union control_message *answer)
{
    const struct fake_worker_plan *plan = host->plan;
    struct control_decision *decision = &answer->decision;

    control_message_init(answer, CONTROL_DECISION);
    decision->launch = asked->launch;
    decision->answer = is_wanted(host, asked) ? CONTROL_PROFILE : CONTROL_PASS;
    if (plan->kernel && strcmp(plan->kernel, asked->kernel) != 0)
        decision->answer = CONTROL_PASS_KERNEL;
    decision->barrier_ms = plan->barrier_ms;
    decision->warmups = plan->warmups;
    decision->once = plan->once;
    decision->pass_count = plan->passes;
    decision->has_l2 = decision->l2_alone = plan->l2_alone;
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

static void on_hello(struct fake_worker *host)
{
    union control_message message;
    int fds[CONTROL_FDS_MAX], memory, given[3];
    ssize_t size = control_receive(host->rendezvous, &message, fds);
    struct guest_process *process = &host->processes[host->count];

    if (size <= 0 || !control_message_fits(&message, (size_t)size, CONTROL_HELLO) ||
        host->count == PROCESSES_MAX)
        return;
    host->story->hellos++;
    memory = ring_memory(RING_BYTES);
    process->channel = fds[0];
    process->pid = message.hello.pid;
    process->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (memory < 0 || ring_map(&process->ring, memory, RING_BYTES) < 0)
        abort();
    host->count++;
    control_message_init(&message, CONTROL_CONFIG);
    message.config.ring_bytes = RING_BYTES;
    message.config.flags = host->plan->flags;
    message.config.rank = host->rank;
    message.config.world = host->plan->world;
    given[CONFIG_RING] = memory;
    given[CONFIG_RING_WAKE] = process->bell;
    given[CONFIG_BARRIER] = host->page;
    control_send(process->channel, &message, given, host->page < 0 ? 2 : 3);
    close(memory);
    if (host->plan->hangs_up) {
        close(process->channel);
        process->channel = -1;
    }
}

static void on_channel(struct fake_worker *host, struct guest_process *process)
{
    union control_message asked, answer;
    int fds[CONTROL_FDS_MAX];
    ssize_t size = control_receive(process->channel, &asked, fds);

    if (size == 0) {
        close(process->channel);
        process->channel = -1;
        if (!host->plan->nobody_looks)
            barrier_mark_process_ended(host->meeting, process->pid);
    }
    if (size <= 0 || !control_message_fits(&asked, (size_t)size, CONTROL_PREPARE))
        return;
    host->story->prepares++;
    memcpy(host->story->ranges, asked.prepare.ranges, sizeof(host->story->ranges));
    plan_for(host, &asked.prepare, &answer);
    control_send(fds[0], &answer, NULL, 0);
    close(fds[0]);
}

static void on_out(struct fake_worker *host)
{
    struct fake_worker_story *story = host->story;
    char rest[4096];
    size_t room = sizeof(story->out) - 1 - story->out_bytes;
    ssize_t size = read(host->out, room ? story->out + story->out_bytes : rest,
                        room ? room : sizeof(rest));

    if (size > 0 && room)
        story->out_bytes += (size_t)size;
    if (size <= 0) {
        close(host->out);
        host->out = -1;
    }
}

static bool anything_open(const struct fake_worker *host)
{
    for (unsigned i = 0; i < host->count; i++)
        if (host->processes[i].channel >= 0)
            return true;
    return host->out >= 0 || !host->reaped;
}

static size_t watch(const struct fake_worker *host, struct pollfd *ready)
{
    ready[0] = (struct pollfd){.fd = host->rendezvous, .events = POLLIN};
    ready[1] = (struct pollfd){.fd = host->out, .events = POLLIN};
    for (unsigned i = 0; i < host->count; i++)
        ready[2 + i] =
            (struct pollfd){.fd = host->processes[i].channel, .events = POLLIN};
    return 2 + host->count;
}

static void look_after(struct fake_worker *host)
{
    int status;

    if (host->reaped || waitpid(host->pid, &status, WNOHANG | WUNTRACED) != host->pid)
        return;
    host->stopped = WIFSTOPPED(status);
    host->reaped = !host->stopped;
    if (host->reaped)
        host->story->status = status;
}

static void serve(struct fake_worker *host, const struct pollfd *ready, size_t watched)
{
    if (ready[1].revents)
        on_out(host);
    for (size_t i = 0; i + 2 < watched; i++)
        if (ready[2 + i].revents)
            on_channel(host, &host->processes[i]);
    if (ready[0].revents & POLLIN)
        on_hello(host);
    drain(host);
    look_after(host);
}

static void turn(struct fake_worker *hosts, uint32_t count)
{
    struct pollfd ready[FAKE_WORKER_RANKS * (PROCESSES_MAX + 2)];
    size_t watched[FAKE_WORKER_RANKS], used = 0;

    for (uint32_t i = 0; i < count; i++) {
        watched[i] = watch(&hosts[i], ready + used);
        used += watched[i];
    }
    poll(ready, used, TICK_MS);
    for (uint32_t i = 0, at = 0; i < count; at += (uint32_t)watched[i++])
        serve(&hosts[i], ready + at, watched[i]);
}

static void become(const char *const *argv,
                   const char *guest,
                   const char *home,
                   const struct fake_worker_plan *plan,
                   int card,
                   int theirs,
                   int out)
{
    char text[4096];
    struct stat is;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (const char *const *line = plan->env; line && *line; line++)
        putenv((char *)*line);
    if (card >= 0) { /* as a worker does: a rank sees its own card, and no other */
        snprintf(text, sizeof(text), "%d", card);
        setenv("ASCEND_RT_VISIBLE_DEVICES", text, 1);
    }
    setenv("ASCEND_HOME_PATH", home, 1);
    snprintf(text, sizeof(text), "%s%s%s/lib64", plan->stubs ? plan->stubs : "",
             plan->stubs ? ":" : "", home);
    setenv("LD_LIBRARY_PATH", text, 1);
    if (!plan->not_attached) {
        fstat(theirs, &is);
        snprintf(text, sizeof(text), "%d:%llu", theirs, (unsigned long long)is.st_ino);
        if (!plan->cleared)
            setenv(CONTROL_ENV, text, 1);
        setenv("LD_PRELOAD", guest, 1);
        setenv("ASAN_OPTIONS", "verify_asan_link_order=0:detect_leaks=0", 1);
        fcntl(theirs, F_SETFD, 0);
    }
    dup2(out, STDOUT_FILENO);
    execv(argv[0], (char *const *)argv);
    _exit(127);
}

static void start(struct fake_worker *host,
                  const char *const *argv,
                  const char *guest,
                  const char *home)
{
    int ends[2], out[2];

    memset(host->story, 0, sizeof(*host->story));
    if (control_pair(ends) < 0 || pipe2(out, O_CLOEXEC) < 0)
        abort();
    host->pid = fork();
    if (host->pid == 0)
        become(argv, guest, home, host->plan, host->card, ends[1], out[1]);
    close(ends[1]);
    close(out[1]);
    host->rendezvous = ends[0];
    host->out = out[0];
}

static void stop(struct fake_worker *host)
{
    drain(host);
    for (unsigned i = 0; i < host->count; i++) {
        close(host->processes[i].bell);
        ring_unmap(&host->processes[i].ring);
    }
    close(host->rendezvous);
}

static void go_on(struct fake_worker *host, int signal)
{
    host->stopped = false;
    kill(host->pid, signal);
}

/* Those that stopped themselves go on when the others have told what became of their
 * launch; or are ended, when nobody else is left. */
static bool all_ended(struct fake_worker *hosts, uint32_t count)
{
    bool running = false, told = true, stopped = false;

    for (uint32_t i = 0; i < count; i++) {
        stopped = stopped || hosts[i].stopped;
        running = running || (!hosts[i].stopped && anything_open(&hosts[i]));
        told = told && (hosts[i].stopped || hosts[i].story->ends > 0);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (hosts[i].stopped && hosts[i].plan->continues && (told || !running))
            go_on(&hosts[i], SIGCONT);
        else if (hosts[i].stopped && !running)
            go_on(&hosts[i], SIGKILL);
    }
    return !running && !stopped;
}

void fake_worker_run_ranks(struct fake_worker_story *stories,
                           uint32_t ranks,
                           const char *const *const *argvs,
                           const char *guest,
                           const char *home,
                           const struct fake_worker_plan *plan)
{
    int64_t deadline = now_ms() + LIMIT_MS;
    int page = plan->world ? barrier_memory(1, plan->world, plan->world) : -1;
    struct rank_barrier meeting = {.wake_fd = -1};
    struct fake_worker hosts[FAKE_WORKER_RANKS];

    if (ranks > FAKE_WORKER_RANKS || (page >= 0 && barrier_map(&meeting, page, -1) < 0))
        abort();
    for (uint32_t i = 0; i < ranks; i++) {
        hosts[i] = (struct fake_worker){
            .story = &stories[i],
            .plan = plan,
            .rank = i,
            .card = ranks > 1 ? (int)i : -1,
            .page = page,
            .meeting = &meeting,
        };
        start(&hosts[i], argvs[i], guest, home);
    }
    while (!all_ended(hosts, ranks)) {
        turn(hosts, ranks);
        for (uint32_t i = 0; i < ranks; i++)
            if (now_ms() > deadline && !hosts[i].reaped)
                kill(hosts[i].pid, SIGKILL);
    }
    for (uint32_t i = 0; i < ranks; i++)
        stop(&hosts[i]);
    barrier_unmap(&meeting);
    if (page >= 0)
        close(page);
}

void fake_worker_run(struct fake_worker_story *story,
                     const char *const *argv,
                     const char *guest,
                     const char *home,
                     const struct fake_worker_plan *plan)
{
    fake_worker_run_ranks(story, 1, &argv, guest, home, plan);
}
