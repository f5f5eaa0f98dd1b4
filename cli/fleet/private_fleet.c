#include "cli/fleet/private_fleet.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/fleet/fleet_child.h"
#include "lib/base/clock.h"
#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/wire/keys.h"

enum {
    TMPDIR_CHARS_MAX = 80,
    RESTARTS_MAX = 5,        /* per child; a fault that persists is reported instead */
    END_WAIT_MS = 8000,      /* for a child to end after the pipe has closed */
    SIGNAL_WAIT_MS = 2000,   /* after SIGTERM, and after SIGKILL */
    WORKERS_WAIT_MS = 10000, /* for all workers; a slow one joins the job later */
    START_WAIT_MS = 60000, /* until the store is open: a large store is checked first */
};

struct private_fleet {
    char *folder; /* temporary folder of the sockets and keys */
    char *control, *data;
    char *key, *server_key; /* of the client and the coordinator; NULL without CURVE */
    char *announced;       /* the coordinator writes its endpoints here; NULL: ipc:// */
    char *connection_file; /* read by running_coordinator.h in other terminals */
    struct fleet_child *children;
    size_t child_count;
    int parent_pipe[2]; /* never written; closes when this process ends */
    size_t restarts;
    const char *last_restarted;
};

static int program_path(char *out,
                        size_t size,
                        const struct private_fleet_options *options,
                        const char *name,
                        struct err *err)
{
    if (!options->programs)
        return file_next_to_program(out, size, name, err);
    if (snprintf(out, size, "%s/%s", options->programs, name) >= (int)size)
        return err_set(err, ERR_LIMIT, "path of the programs is too long: %s",
                       options->programs);
    return 0;
}

/* Adds and starts a child. Takes the arguments, which end with NULL. */
static int add_child(struct private_fleet *fleet,
                     const struct private_fleet_options *options,
                     const char *name,
                     char **argv,
                     struct err *err)
{
    struct fleet_child *child = &fleet->children[fleet->child_count++];

    child->name = xstrdup(name);
    child->log_path = xasprintf("%s/store/log/%s.log", options->out, name);
    child->argv = argv;
    return fleet_child_start(child, fleet->parent_pipe[0], err);
}

static char **copy_arguments(const char *const *arguments, size_t count)
{
    char **argv = xcalloc(count + 1, sizeof(*argv));

    for (size_t i = 0; i < count; i++)
        argv[i] = xstrdup(arguments[i]);
    return argv;
}

/* Makes keys for coordinator and client. The workers of the cluster get their keys from
 * the coordinator. */
static int make_keys(struct private_fleet *fleet, struct err *err)
{
    char *secret = xasprintf("%s/coordinator.key", fleet->folder);

    fleet->key = xasprintf("%s/client.key", fleet->folder);
    fleet->server_key = xasprintf("%s.pub", secret);
    fleet->announced = xasprintf("%s/endpoints", fleet->folder);
    int result = keys_generate(secret, ROLE_ADMIN, "coordinator", err);
    if (result == 0)
        result = keys_generate(fleet->key, ROLE_ADMIN, "client", err);
    free(secret);
    return result;
}

/* Appends the options of a coordinator whose workers connect over TCP. The static
 * buffers are valid until the caller copies the arguments. */
static void append_cluster_options(const struct private_fleet *fleet,
                                   const struct private_fleet_options *options,
                                   const char **arguments,
                                   size_t *count)
{
    static char secret[PATH_MAX], allow[PATH_MAX];

    snprintf(secret, sizeof(secret), "%s/coordinator.key", fleet->folder);
    snprintf(allow, sizeof(allow), "%s.pub", fleet->key);
    const char *const more[] = {"--key",      secret,           "--allow",      allow,
                                "--announce", fleet->announced, "--alloc-poll", "1s"};

    memcpy(arguments + *count, more, sizeof(more));
    *count += COUNT(more);
    if (options->address) {
        arguments[(*count)++] = "--reached-at";
        arguments[(*count)++] = options->address;
    }
}

static void set_argument(char **argv, const char *name, char *value)
{
    while (strcmp(*argv, name) != 0)
        argv++;
    free(argv[1]);
    argv[1] = value;
}

/* Reads the ports that the coordinator has chosen. They go into its arguments, because
 * after a restart its workers connect to the same ports. */
static int read_endpoints(struct private_fleet *fleet, struct err *err)
{
    char **argv = fleet->children[0].argv, *bytes, *data;
    size_t size;

    if (file_read(&bytes, &size, fleet->announced, PATH_MAX, err) < 0)
        return -1;
    data = bytes + strcspn(bytes, "\n");
    data += *data == '\n';
    free(fleet->control);
    fleet->control = xstrndup(bytes, strcspn(bytes, "\n"));
    set_argument(argv, "--control", xstrdup(fleet->control));
    set_argument(argv, "--data", xstrndup(data, strcspn(data, "\n")));
    free(bytes);
    if (text_has_prefix(fleet->control, "tcp://0.0.0.0:")) {
        char *local = xasprintf("tcp://127.0.0.1%s", strrchr(fleet->control, ':'));

        free(fleet->control);
        fleet->control = local;
    }
    return 0;
}

static int add_coordinator(struct private_fleet *fleet,
                           const struct private_fleet_options *options,
                           struct err *err)
{
    char program[PATH_MAX], store[PATH_MAX], fd[16];

    if (program_path(program, sizeof(program), options, "muster-coordinator", err) < 0)
        return -1;
    snprintf(store, sizeof(store), "%s/store", options->out);
    snprintf(fd, sizeof(fd), "%d", FLEET_CHILD_PARENT_FD);
    const char *const arguments[] = {
        program,     "--store",         store,        "--out",     options->out,
        "--control", fleet->control,    "--data",     fleet->data, "--parent-fd",
        fd,          "--parent-folder", fleet->folder};
    const char *all[COUNT(arguments) + 10];
    size_t count = COUNT(arguments);

    memcpy(all, arguments, sizeof(arguments));
    if (options->cluster)
        append_cluster_options(fleet, options, all, &count);
    return add_child(fleet, options, "coordinator", copy_arguments(all, count), err);
}

static int add_worker(struct private_fleet *fleet,
                      const struct private_fleet_options *options,
                      size_t card,
                      struct err *err)
{
    char program[PATH_MAX], spool[PATH_MAX], name[32], number[24], fd[16];

    if (program_path(program, sizeof(program), options, "muster-worker", err) < 0)
        return -1;
    snprintf(name, sizeof(name), "worker-%zu", card);
    snprintf(number, sizeof(number), "%zu", card);
    snprintf(spool, sizeof(spool), "%s/store/spool/%zu", options->out, card);
    snprintf(fd, sizeof(fd), "%d", FLEET_CHILD_PARENT_FD);
    const char *arguments[16] = {
        program, "--control", fleet->control, "--data",      fleet->data, "--card",
        number,  "--spool",   spool,          "--parent-fd", fd};
    size_t count = 11;

    if (options->model) {
        arguments[count++] = "--model";
        arguments[count++] = options->model;
    }
    if (options->simulated)
        arguments[count++] = "--simulated";
    return add_child(fleet, options, name, copy_arguments(arguments, count), err);
}

/* Creates the temporary folder in TMPDIR, or in /tmp when TMPDIR is too long: the path
 * of a socket has at most 107 characters. */
static int make_folder(struct private_fleet *fleet,
                       const struct private_fleet_options *options,
                       struct err *err)
{
    const char *place = getenv("TMPDIR");

    if (!place || place[0] != '/' || strlen(place) > TMPDIR_CHARS_MAX)
        place = "/tmp";
    char *folder = xasprintf("%s/muster-XXXXXX", place);
    if (!mkdtemp(folder)) {
        free(folder);
        return err_errno(err, "creating a folder below %s", place);
    }
    fleet->folder = folder;
    if (options->cluster) {
        fleet->control = xstrdup("tcp://0.0.0.0:*");
        fleet->data = xstrdup("tcp://0.0.0.0:*");
        return make_keys(fleet, err);
    }
    fleet->control = xasprintf("ipc://%s/control", folder);
    fleet->data = xasprintf("ipc://%s/data", folder);
    return 0;
}

static void wait_2_ms(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

/* Waits until the coordinator listens or has ended. The workers start only after that:
 * when another run has locked the store, its workers must not be disturbed. */
static int await_coordinator(struct private_fleet *fleet, struct err *err)
{
    struct fleet_child *coordinator = &fleet->children[0];
    const char *socket =
        fleet->announced ? fleet->announced : fleet->control + strlen("ipc://");
    uint64_t until = clock_mono_ms() + START_WAIT_MS;
    int status;

    while (!file_exists(socket)) {
        if (waitpid(coordinator->pid, &status, WNOHANG) == coordinator->pid) {
            coordinator->pid = 0;
            return fleet_child_error(coordinator, status, err);
        }
        if (clock_mono_ms() > until)
            return err_set(err, ERR_TIMEOUT,
                           "the coordinator does not listen after 60s; see its log %s",
                           coordinator->log_path);
        wait_2_ms();
    }
    return 0;
}

static int
write_connection_file(struct private_fleet *fleet, const char *out, struct err *err)
{
    char *text = xasprintf("%s\n%s\n%s\n", fleet->control, fleet->key ? fleet->key : "",
                           fleet->server_key ? fleet->server_key : "");

    fleet->connection_file = xasprintf("%s/" PRIVATE_FLEET_CONNECTION_FILE, out);
    int result = file_write(fleet->connection_file, text, strlen(text), err);
    free(text);
    return result;
}

int private_fleet_start(struct private_fleet **out,
                        const struct private_fleet_options *options,
                        struct err *err)
{
    struct private_fleet *fleet = xcalloc(1, sizeof(*fleet));
    char *logs = xasprintf("%s/store/log", options->out);

    fleet->parent_pipe[0] = fleet->parent_pipe[1] = -1;
    fleet->children = xcalloc(options->card_count + 1, sizeof(*fleet->children));
    if (folder_create(logs, err) < 0 || make_folder(fleet, options, err) < 0)
        goto fail;
    if (pipe2(fleet->parent_pipe, O_CLOEXEC) < 0) {
        err_errno(err, "creating a pipe for the fleet");
        goto fail;
    }
    if (add_coordinator(fleet, options, err) < 0 || await_coordinator(fleet, err) < 0)
        goto fail;
    if (fleet->announced && read_endpoints(fleet, err) < 0)
        goto fail;
    if (write_connection_file(fleet, options->out, err) < 0)
        goto fail;
    for (size_t card = 0; card < options->card_count && !options->cluster; card++)
        if (add_worker(fleet, options, card, err) < 0)
            goto fail;
    free(logs);
    *out = fleet;
    return 0;

fail:
    free(logs);
    private_fleet_stop(&fleet);
    return -1;
}

static void count_worker(const void *row, void *arg)
{
    size_t *connected = arg;

    (void)row;
    (*connected)++;
}

/* Returns true when a signal is pending that ends the run. */
static bool is_interrupted(void)
{
    sigset_t pending;

    sigpending(&pending);
    return sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM) ||
           sigismember(&pending, SIGHUP);
}

int private_fleet_await_workers(struct private_fleet *fleet,
                                struct client *client,
                                struct err *err)
{
    const struct msg_list_workers list = {0};
    uint64_t until = clock_mono_ms() + WORKERS_WAIT_MS;

    for (;; wait_2_ms()) {
        size_t connected = 0;

        if (client_each(client, MSG_LIST_WORKERS, &list, MSG_WORKER_ROW, count_worker,
                        &connected, err) < 0)
            return -1;
        if (connected + 1 >= fleet->child_count || is_interrupted() ||
            clock_mono_ms() > until)
            return 0;
        if (private_fleet_reap(fleet, err) < 0)
            return -1;
    }
}

struct client_options private_fleet_client(const struct private_fleet *fleet)
{
    return (struct client_options){
        .endpoint = fleet->control, .key = fleet->key, .server_key = fleet->server_key};
}

size_t private_fleet_restarts(const struct private_fleet *fleet, const char **last)
{
    *last = fleet->last_restarted;
    return fleet->restarts;
}

int private_fleet_reap(struct private_fleet *fleet, struct err *err)
{
    for (size_t i = 0; i < fleet->child_count; i++) {
        struct fleet_child *child = &fleet->children[i];
        int status;

        if (child->pid == 0 || waitpid(child->pid, &status, WNOHANG) != child->pid)
            continue;
        child->pid = 0;
        if (++child->restarts > RESTARTS_MAX ||
            (WIFEXITED(status) && child->restarts > 1))
            return fleet_child_error(child, status, err);
        fleet->restarts++;
        fleet->last_restarted = child->name;
        if (fleet_child_start(child, fleet->parent_pipe[0], err) < 0)
            return -1;
    }
    return 0;
}

/* Returns true when all children have ended within the time. */
static bool wait_all(struct private_fleet *fleet, uint64_t ms)
{
    uint64_t until = clock_mono_ms() + ms;

    for (size_t i = 0; i < fleet->child_count; i++) {
        struct fleet_child *child = &fleet->children[i];

        while (child->pid && waitpid(child->pid, NULL, WNOHANG) == 0) {
            if (clock_mono_ms() >= until)
                return false;
            wait_2_ms();
        }
        child->pid = 0;
    }
    return true;
}

static void signal_all(struct private_fleet *fleet, int signum)
{
    for (size_t i = 0; i < fleet->child_count; i++)
        if (fleet->children[i].pid > 0)
            kill(fleet->children[i].pid, signum);
}

void private_fleet_stop(struct private_fleet **fleet)
{
    struct private_fleet *stopped = *fleet;
    struct err ignored;

    if (!stopped)
        return;
    if (stopped->parent_pipe[1] >= 0)
        close(stopped->parent_pipe[1]);
    if (!wait_all(stopped, END_WAIT_MS)) {
        signal_all(stopped, SIGTERM);
        if (!wait_all(stopped, SIGNAL_WAIT_MS)) {
            signal_all(stopped, SIGKILL);
            wait_all(stopped, SIGNAL_WAIT_MS);
        }
    }
    if (stopped->parent_pipe[0] >= 0)
        close(stopped->parent_pipe[0]);
    if (stopped->connection_file)
        unlink(stopped->connection_file);
    if (stopped->folder)
        folder_remove(stopped->folder,
                      &ignored); /* sockets; the next boot clears /tmp */
    for (size_t i = 0; i < stopped->child_count; i++)
        fleet_child_clear(&stopped->children[i]);
    free(stopped->children);
    free(stopped->folder);
    free(stopped->control);
    free(stopped->data);
    free(stopped->key);
    free(stopped->server_key);
    free(stopped->announced);
    free(stopped->connection_file);
    free(stopped);
    *fleet = NULL;
}
