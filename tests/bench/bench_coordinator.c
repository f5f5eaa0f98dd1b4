/* bench_coordinator.c - the coordinator alone, with 1,024 cards and up to 100,000 tasks
 *
 * This program plays the workers: each sends its hello over its own connection, then
 * heartbeats, and reports each lease as done at once. Only the coordinator's process is
 * measured: the time per task when few and when many tasks wait, its memory, its share
 * of a core, the time of a reply, and the time of a restart with 100,000 tasks. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <zmq.h>

#include "lib/base/clock.h"
#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/wire/link.h"
#include "tests/bench/ratio.h"

enum {
    CARDS = 1024,
    FEW = 1000,
    MANY = 100000,
    STEP = 900, /* tasks of one measurement: most of FEW, but not the last ones */
    TIMEOUT_MS = 60000,
    HEARTBEAT_MS = 1000,
    IDLE_MS = 5000,
};

extern char **environ;

struct card {
    struct link *link;
    uint64_t runs[32]; /* a coordinator sends fewer leases at once */
    size_t run_count;
};

struct fleet {
    char folder[64], store[96], control[96], data[96], program[PATH_MAX];
    pid_t pid;
    struct link_hub *hub;
    struct link *client;
    struct card *cards;
    size_t card_count;
    uint64_t ended;        /* results that the coordinator has acknowledged */
    uint64_t allowed;      /* results that may be sent */
    uint64_t answered;     /* results that were sent */
    uint64_t heartbeat_ms; /* time of the last heartbeats */
};

static void give_up(const char *reason)
{
    fprintf(stderr, "bench_coordinator: %s\n", reason);
    exit(1);
}

static void start(struct fleet *fleet)
{
    char *argv[] = {fleet->program, "--store",     fleet->store,   "--out",
                    fleet->folder,  "--control",   fleet->control, "--data",
                    fleet->data,    "--log-level", "error",        NULL};

    if (posix_spawn(&fleet->pid, fleet->program, NULL, NULL, argv, environ) != 0)
        give_up("cannot start muster-coordinator");
}

static struct link *connect_to(struct fleet *fleet)
{
    const struct link_options options = {.endpoint = fleet->control};
    struct link *link;
    struct err err;

    if (link_client_open(&link, fleet->hub, &options, &err) < 0)
        give_up(err.text);
    return link;
}

static void send_message(struct link *link, enum message_type type, const void *message)
{
    struct err err;

    if (link_send(link, NULL, type, message, &err) < 0)
        give_up(err.text);
}

static const union any_message *request(struct fleet *fleet,
                                        enum message_type type,
                                        const void *message,
                                        uint64_t *rows)
{
    static struct incoming in;
    struct err err;

    *rows = 0;
    send_message(fleet->client, type, message);
    for (;;) {
        if (link_wait_receive(fleet->client, &in, TIMEOUT_MS, &err) < 0)
            give_up(err.text);
        if (in.kind->type == MSG_REFUSED)
            give_up(in.message.refused.text);
        if (in.kind->type != MSG_JOB_ROW && in.kind->type != MSG_WORKER_ROW)
            return &in.message;
        ++*rows;
    }
}

/* Workers */

static void send_results(struct fleet *fleet, struct card *card)
{
    while (card->run_count > 0 && fleet->answered < fleet->allowed) {
        uint64_t run_id = card->runs[0];
        const struct msg_lease_taken taken = {.run_id = run_id};
        const struct msg_rank_result result = {.run_id = run_id,
                                               .status = "done",
                                               .reason = "",
                                               .started_wall_ns = 1,
                                               .ended_wall_ns = 2,
                                               .injected = true};

        memmove(card->runs, card->runs + 1, sizeof(card->runs) - sizeof(card->runs[0]));
        card->run_count--;
        fleet->answered++;
        send_message(card->link, MSG_LEASE_TAKEN, &taken);
        send_message(card->link, MSG_RANK_RESULT, &result);
    }
}

static bool receive(struct fleet *fleet, struct card *card)
{
    struct incoming in;
    struct err err;

    if (link_receive(card->link, &in, &err) < 0)
        give_up(err.text);
    if (!in.kind)
        return false;
    if (in.kind->type == MSG_RESULT_ACK)
        fleet->ended++;
    else if (in.kind->type == MSG_LEASE && card->run_count < COUNT(card->runs))
        card->runs[card->run_count++] = in.message.lease.run_id;
    return true;
}

static void send_heartbeats(struct fleet *fleet)
{
    const struct msg_heartbeat alive = {0};

    if (clock_mono_ms() - fleet->heartbeat_ms < HEARTBEAT_MS)
        return;
    fleet->heartbeat_ms = clock_mono_ms();
    for (size_t i = 0; i < fleet->card_count; i++)
        send_message(fleet->cards[i].link, MSG_HEARTBEAT, &alive);
}

static void turn(struct fleet *fleet)
{
    bool any = false;

    send_heartbeats(fleet);
    for (size_t i = 0; i < fleet->card_count; i++) {
        struct card *card = &fleet->cards[i];

        while (receive(fleet, card))
            any = true;
        send_results(fleet, card);
    }
    if (!any) /* wait until the coordinator has sent more */
        zmq_poll(NULL, 0, 1);
}

static void serve_until(struct fleet *fleet, uint64_t ended)
{
    uint64_t until_ms = clock_mono_ms() + TIMEOUT_MS;

    while (fleet->ended < ended) {
        if (clock_mono_ms() > until_ms)
            give_up("the tasks did not end within 60 s");
        turn(fleet);
    }
}

static void serve_for(struct fleet *fleet, uint64_t ms)
{
    for (uint64_t until_ms = clock_mono_ms() + ms; clock_mono_ms() < until_ms;)
        turn(fleet);
}

static void add_workers(struct fleet *fleet, size_t count)
{
    struct err err;

    fleet->cards = xcalloc(count, sizeof(*fleet->cards));
    for (size_t i = 0; i < count; i++) {
        const struct msg_worker_hello hello = {.protocol = MSG_PROTOCOL,
                                               .host = "bench",
                                               .version = "0",
                                               .pid = (uint64_t)getpid(),
                                               .card = i,
                                               .model = "Ascend910B2",
                                               .serial = "",
                                               .simulated = true};

        fleet->cards[i].link = connect_to(fleet);
        if (link_wait_connected(fleet->cards[i].link, TIMEOUT_MS, &err) < 0)
            give_up(err.text);
        send_message(fleet->cards[i].link, MSG_WORKER_HELLO, &hello);
        fleet->card_count++;
        turn(fleet);
    }
}

/* Fleet */

static void open_fleet(struct fleet *fleet, const char *programs, size_t cards)
{
    struct err err;

    *fleet = (struct fleet){.folder = "/tmp/muster-bench-XXXXXX"};
    if (!mkdtemp(fleet->folder))
        give_up("mkdtemp");
    snprintf(fleet->store, sizeof(fleet->store), "%s/store", fleet->folder);
    snprintf(fleet->control, sizeof(fleet->control), "ipc://%s/c", fleet->folder);
    snprintf(fleet->data, sizeof(fleet->data), "ipc://%s/d", fleet->folder);
    snprintf(fleet->program, sizeof(fleet->program), "%s/bin/muster-coordinator",
             programs);
    fleet->hub = link_hub_create();
    zmq_ctx_set(link_hub_context(fleet->hub), ZMQ_MAX_SOCKETS, 2 * CARDS);
    start(fleet);
    fleet->client = connect_to(fleet);
    if (link_wait_connected(fleet->client, TIMEOUT_MS, &err) < 0)
        give_up(err.text);
    add_workers(fleet, cards);
}

static void stop(struct fleet *fleet)
{
    kill(fleet->pid, SIGTERM);
    waitpid(fleet->pid, NULL, 0);
}

static void close_fleet(struct fleet *fleet)
{
    struct err err;

    stop(fleet);
    for (size_t i = 0; i < fleet->card_count; i++)
        link_close(fleet->cards[i].link);
    free(fleet->cards);
    link_close(fleet->client);
    link_hub_destroy(fleet->hub);
    folder_remove(fleet->folder, &err);
}

static uint64_t submit(struct fleet *fleet, unsigned tasks)
{
    char yaml[400];
    uint64_t rows;
    const struct msg_submit job = {
        .yaml = yaml, .file_name = "bench", .folder = "/tmp", .user = "bench"};

    snprintf(yaml, sizeof(yaml),
             "version: 1\nname: bench\noperator: {command: [/bin/true, \"${n}\"]}\n"
             "sweep: {matrix: {n: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}, repeat: %u}\n"
             "profile: {metrics: []}\n",
             tasks / 10);
    return request(fleet, MSG_SUBMIT, &job, &rows)->submitted.job_id;
}

/* Measurements */

struct pair {
    struct fleet few, many;
};

static double step(struct fleet *fleet)
{
    uint64_t start_ns = clock_mono_ns();

    fleet->allowed += STEP;
    serve_until(fleet, fleet->allowed);
    return (double)(clock_mono_ns() - start_ns);
}

static void wait_until_idle(struct fleet *fleet)
{
    const struct msg_list_jobs jobs = {.active_only = true};
    uint64_t rows;

    do {
        serve_for(fleet, 20);
        request(fleet, MSG_LIST_JOBS, &jobs, &rows);
    } while (rows > 0);
}

/* Submits a job of FEW tasks and measures its first STEP tasks. The others end, and the
 * report is written, outside of the measurement. */
static double step_of_few(void *arg)
{
    struct pair *pair = arg;

    submit(&pair->few, FEW);
    send_heartbeats(&pair->many);
    double took = step(&pair->few);
    pair->few.allowed += FEW - STEP;
    serve_until(&pair->few, pair->few.allowed);
    wait_until_idle(&pair->few);
    send_heartbeats(&pair->many);
    return took;
}

static double step_of_many(void *arg)
{
    struct pair *pair = arg;
    double took = step(&pair->many);

    send_heartbeats(&pair->few);
    return took;
}

static double memory_mib(const struct fleet *fleet)
{
    char path[64], line[256];
    double kib = 0;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%d/status", (int)fleet->pid);
    file = fopen(path, "r");
    while (file && fgets(line, sizeof(line), file))
        sscanf(line, "VmHWM: %lf", &kib);
    if (file)
        fclose(file);
    return kib / 1024;
}

static double cpu_s(const struct fleet *fleet)
{
    char path[64], words[1024] = "";
    unsigned long user = 0, system = 0;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)fleet->pid);
    file = fopen(path, "r");
    if (file && fgets(words, sizeof(words), file) && strrchr(words, ')'))
        sscanf(strrchr(words, ')') + 2,
               "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system);
    if (file)
        fclose(file);
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

static double list_ms(struct fleet *fleet)
{
    const struct msg_list_jobs jobs = {0};
    const struct msg_list_workers workers = {0};
    double worst = 0;
    uint64_t rows;

    for (int i = 0; i < RATIO_PAIRS; i++) {
        uint64_t start_ns = clock_mono_ns();

        request(fleet, MSG_LIST_JOBS, &jobs, &rows);
        request(fleet, MSG_LIST_WORKERS, &workers, &rows);
        if (rows != CARDS)
            give_up("muster list does not show all cards");
        double took = (double)(clock_mono_ns() - start_ns) / 1e6;
        worst = took > worst ? took : worst;
        send_heartbeats(fleet);
    }
    return worst;
}

/* Returns the time from the start of a coordinator until its first reply, in seconds.
 * By then it has loaded all waiting tasks. */
static double reload_s(struct fleet *fleet)
{
    const struct msg_list_jobs jobs = {.active_only = true};
    uint64_t start_ns, rows;
    struct err err;

    stop(fleet);
    link_close(fleet->client);
    start_ns = clock_mono_ns();
    start(fleet);
    fleet->client = connect_to(fleet);
    while (link_wait_connected(fleet->client, TIMEOUT_MS, &err) < 0)
        give_up(err.text);
    request(fleet, MSG_LIST_JOBS, &jobs, &rows);
    if (rows != 1)
        give_up("the restarted coordinator has lost the job");
    return (double)(clock_mono_ns() - start_ns) / 1e9;
}

static void measure_many(struct fleet *fleet)
{
    double before_s = cpu_s(fleet), list = list_ms(fleet);

    ratio_print("coordinator, muster list", list / 100,
                "100 ms, with 1,024 cards and 100,000 tasks", "<= 1", list <= 100);
    before_s = cpu_s(fleet);
    serve_for(fleet, IDLE_MS);
    double share = (cpu_s(fleet) - before_s) / (IDLE_MS / 1000.0);
    ratio_print("coordinator, share of a core", share, "one core, 1,024 idle cards",
                "<= 1", share <= 1);
}

int main(int argc, char **argv)
{
    static struct pair pair;
    char programs[PATH_MAX];
    double ratio;

    (void)argc;
    signal(SIGPIPE, SIG_IGN);
    snprintf(programs, sizeof(programs), "%s", argv[0]); /* BUILD/bench/NAME */
    for (int levels = 0; levels < 2 && strrchr(programs, '/'); levels++)
        *strrchr(programs, '/') = '\0';
    fd_allow_many();
    open_fleet(&pair.many, programs, CARDS);
    submit(&pair.many, MANY);
    measure_many(&pair.many);
    open_fleet(&pair.few, programs, CARDS);
    step_of_few(&pair);
    step_of_many(&pair);
    ratio = ratio_median(step_of_few, step_of_many, &pair);
    ratio_print("coordinator, 100,000 tasks", ratio, "tasks a second when 1,000 wait",
                ">= 0.9", ratio >= 0.9);
    ratio = memory_mib(&pair.many) / 256;
    ratio_print("coordinator, memory", ratio,
                "256 MiB, with 1,024 cards and 100,000 tasks", "<= 1", ratio <= 1);
    ratio = reload_s(&pair.many);
    ratio_print("coordinator, restart", ratio, "1 s, 100,000 tasks", "<= 1",
                ratio <= 1);
    close_fleet(&pair.few);
    close_fleet(&pair.many);
    return 0;
}
