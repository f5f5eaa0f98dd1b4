#include "cli/fleet/private_fleet.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/fleet/child_log.h"
#include "lib/base/clock.h"
#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/spawn.h"
#include "lib/base/text.h"
#include "lib/wire/keys.h"

enum {
    TMPDIR_LETTERS = 80,
    PARENT_FD = 3,    /* where a child finds the pipe that tells it of our end */
    RESTARTS_MAX = 5, /* of one child; more is a fault that starting again won't mend */
    KIND_WAIT_MS = 8000,   /* to end by itself */
    HARD_WAIT_MS = 2000,   /* after SIGTERM */
    START_WAIT_MS = 60000, /* until the store is open: a large one is checked first */
};

struct child {
    char *name; /* "coordinator", "worker-0" */
    char *log_path;
    off_t log_from; /* what stood in it before */
    char **argv;
    pid_t pid; /* 0: not running */
    size_t restarts;
};

struct private_fleet {
    char *folder; /* of the sockets */
    char *control, *data;
    char *key, *server_key; /* of ours, and its; NULL without CURVE */
    char *announced;        /* where it writes what it opened; NULL: not at all */
    char *reach;            /* where other terminals read how they get to it (live.h) */
    struct child *children;
    size_t child_count;
    int alive[2]; /* nothing is ever written: it closes when we are gone */
    size_t restarts;
    const char *last_restarted;
};

static int program_path(char *out,
                        size_t size,
                        const struct private_fleet_options *wish,
                        const char *name,
                        struct err *err)
{
    if (!wish->programs)
        return file_next_to_program(out, size, name, err);
    if (snprintf(out, size, "%s/%s", wish->programs, name) >= (int)size)
        return err_set(err, ERR_LIMIT, "%s: path too long", wish->programs);
    return 0;
}

static int spawn_error(struct err *err, int number, const char *path)
{
    errno = number;
    return err_errno(err, "starting %s", path);
}

static int start(struct private_fleet *fleet, struct child *child, struct err *err)
{
    posix_spawn_file_actions_t actions;
    int log = child_log_open(child->log_path, &child->log_from, err);

    if (log < 0)
        return -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, log, 1);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    posix_spawn_file_actions_adddup2(&actions, fleet->alive[0], PARENT_FD);
    int number = spawn_in_group(&child->pid, child->argv, &actions);
    posix_spawn_file_actions_destroy(&actions);
    close(log);
    return number ? spawn_error(err, number, child->argv[0]) : 0;
}

/* Takes the arguments over; they end with NULL. */
static int add_child(struct private_fleet *fleet,
                     const struct private_fleet_options *wish,
                     const char *name,
                     char **argv,
                     struct err *err)
{
    struct child *child = &fleet->children[fleet->child_count++];

    child->name = xstrdup(name);
    child->log_path = xasprintf("%s/store/log/%s.log", wish->out, name);
    child->argv = argv;
    return start(fleet, child, err);
}

static char **arguments(const char *const *words, size_t count)
{
    char **argv = xcalloc(count + 1, sizeof(*argv));

    for (size_t i = 0; i < count; i++)
        argv[i] = xstrdup(words[i]);
    return argv;
}

/* Keys for the two of us; its workers bring those that it gave them. */
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

/* The texts live in the fleet, or here until they are copied. */
static void add_away_words(const struct private_fleet *fleet,
                           const struct private_fleet_options *wish,
                           const char **words,
                           size_t *count)
{
    static char secret[PATH_MAX], allow[PATH_MAX];

    snprintf(secret, sizeof(secret), "%s/coordinator.key", fleet->folder);
    snprintf(allow, sizeof(allow), "%s.pub", fleet->key);
    const char *const more[] = {"--key",      secret,           "--allow",      allow,
                                "--announce", fleet->announced, "--alloc-poll", "1s"};

    memcpy(words + *count, more, sizeof(more));
    *count += COUNT(more);
    if (wish->address) {
        words[(*count)++] = "--reached-at";
        words[(*count)++] = wish->address;
    }
}

static void set_argument(char **argv, const char *name, char *value)
{
    while (strcmp(*argv, name) != 0)
        argv++;
    free(argv[1]);
    argv[1] = value;
}

/* The ports that it found free; the client then goes to where it is. So does, when it
 * is started again, the coordinator: its workers look for it there. */
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
                           const struct private_fleet_options *wish,
                           struct err *err)
{
    char program[PATH_MAX], store[PATH_MAX], fd[16];

    if (program_path(program, sizeof(program), wish, "muster-coordinator", err) < 0)
        return -1;
    snprintf(store, sizeof(store), "%s/store", wish->out);
    snprintf(fd, sizeof(fd), "%d", PARENT_FD);
    const char *const words[] = {
        program,     "--store",         store,        "--out",     wish->out,
        "--control", fleet->control,    "--data",     fleet->data, "--parent-fd",
        fd,          "--parent-folder", fleet->folder};
    const char *all[COUNT(words) + 10];
    size_t count = COUNT(words);

    memcpy(all, words, sizeof(words));
    if (wish->away)
        add_away_words(fleet, wish, all, &count);
    return add_child(fleet, wish, "coordinator", arguments(all, count), err);
}

static int add_worker(struct private_fleet *fleet,
                      const struct private_fleet_options *wish,
                      size_t card,
                      struct err *err)
{
    char program[PATH_MAX], spool[PATH_MAX], name[32], number[24], fd[16];

    if (program_path(program, sizeof(program), wish, "muster-worker", err) < 0)
        return -1;
    snprintf(name, sizeof(name), "worker-%zu", card);
    snprintf(number, sizeof(number), "%zu", card);
    snprintf(spool, sizeof(spool), "%s/store/spool/%zu", wish->out, card);
    snprintf(fd, sizeof(fd), "%d", PARENT_FD);
    const char *const words[] = {
        program, "--control",  fleet->control, "--data",  fleet->data, "--card",
        number,  "--model",    wish->model,    "--spool", spool,       "--parent-fd",
        fd,      "--simulated"};
    size_t count = COUNT(words) - (wish->simulated ? 0 : 1);
    return add_child(fleet, wish, name, arguments(words, count), err);
}

/* In TMPDIR, unless that is so long that a socket's path (107 letters) has no room. */
static int make_folder(struct private_fleet *fleet,
                       const struct private_fleet_options *wish,
                       struct err *err)
{
    const char *place = getenv("TMPDIR");

    if (!place || place[0] != '/' || strlen(place) > TMPDIR_LETTERS)
        place = "/tmp";
    char *folder = xasprintf("%s/muster-XXXXXX", place);
    if (!mkdtemp(folder)) {
        free(folder);
        return err_errno(err, "creating a folder below %s", place);
    }
    fleet->folder = folder;
    if (wish->away) {
        fleet->control = xstrdup("tcp://0.0.0.0:*");
        fleet->data = xstrdup("tcp://0.0.0.0:*");
        return make_keys(fleet, err);
    }
    fleet->control = xasprintf("ipc://%s/control", folder);
    fleet->data = xasprintf("ipc://%s/data", folder);
    return 0;
}

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

static void ending_words(char out[64], int status)
{
    if (WIFSIGNALED(status))
        snprintf(out, 64, "signal %d", WTERMSIG(status));
    else
        snprintf(out, 64, "exit code %d", WEXITSTATUS(status));
}

/* What it said is told; where it said nothing, how it ended. */
static int tell_end(const struct child *child, int status, struct err *err)
{
    enum err_code code = !WIFEXITED(status)         ? ERR_INTERNAL
                         : WEXITSTATUS(status) == 2 ? ERR_INPUT
                         : WEXITSTATUS(status) == 3 ? ERR_DENIED
                                                    : ERR_INTERNAL;
    char words[64], error[400];

    if (child_log_last_error(error, sizeof(error), child->log_path, child->log_from))
        return err_set(err, code, "%s: %s", child->name, error);
    ending_words(words, status);
    return err_set(err, code, "%s ended with %s; its log is %s", child->name, words,
                   child->log_path);
}

/* Until it listens, or has ended. Before that there are no workers: those of a run in
 * the same folder, which has the store, must not be disturbed. */
static int await_coordinator(struct private_fleet *fleet, struct err *err)
{
    struct child *coordinator = &fleet->children[0];
    const char *socket =
        fleet->announced ? fleet->announced : fleet->control + strlen("ipc://");
    uint64_t until = clock_mono_ms() + START_WAIT_MS;
    int status;

    while (!file_exists(socket)) {
        if (waitpid(coordinator->pid, &status, WNOHANG) == coordinator->pid) {
            coordinator->pid = 0;
            return tell_end(coordinator, status, err);
        }
        if (clock_mono_ms() > until)
            return err_set(err, ERR_TIMEOUT,
                           "the coordinator does not come up; its log is %s",
                           coordinator->log_path);
        nap();
    }
    return 0;
}

static int tell_reach(struct private_fleet *fleet, const char *out, struct err *err)
{
    char *text = xasprintf("%s\n%s\n%s\n", fleet->control, fleet->key ? fleet->key : "",
                           fleet->server_key ? fleet->server_key : "");

    fleet->reach = xasprintf("%s/" PRIVATE_FLEET_REACH, out);
    int result = file_write(fleet->reach, text, strlen(text), err);
    free(text);
    return result;
}

int private_fleet_start(struct private_fleet **out,
                        const struct private_fleet_options *wish,
                        struct err *err)
{
    struct private_fleet *fleet = xcalloc(1, sizeof(*fleet));
    char *logs = xasprintf("%s/store/log", wish->out);

    fleet->alive[0] = fleet->alive[1] = -1;
    fleet->children = xcalloc(wish->card_count + 1, sizeof(*fleet->children));
    if (folder_create(logs, err) < 0 || make_folder(fleet, wish, err) < 0)
        goto fail;
    if (pipe2(fleet->alive, O_CLOEXEC) < 0) {
        err_errno(err, "creating a pipe");
        goto fail;
    }
    if (add_coordinator(fleet, wish, err) < 0 || await_coordinator(fleet, err) < 0)
        goto fail;
    if (fleet->announced && read_endpoints(fleet, err) < 0)
        goto fail;
    if (tell_reach(fleet, wish->out, err) < 0)
        goto fail;
    for (size_t card = 0; card < wish->card_count && !wish->away; card++)
        if (add_worker(fleet, wish, card, err) < 0)
            goto fail;
    free(logs);
    *out = fleet;
    return 0;

fail:
    free(logs);
    private_fleet_stop(&fleet);
    return -1;
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
        struct child *child = &fleet->children[i];
        int status;

        if (child->pid == 0 || waitpid(child->pid, &status, WNOHANG) != child->pid)
            continue;
        child->pid = 0;
        if (++child->restarts > RESTARTS_MAX ||
            (WIFEXITED(status) && child->restarts > 1))
            return tell_end(child, status, err);
        fleet->restarts++;
        fleet->last_restarted = child->name;
        if (start(fleet, child, err) < 0)
            return -1;
    }
    return 0;
}

/* True when all have ended before the time is over. */
static bool wait_all(struct private_fleet *fleet, uint64_t ms)
{
    uint64_t until = clock_mono_ms() + ms;

    for (size_t i = 0; i < fleet->child_count; i++) {
        struct child *child = &fleet->children[i];

        while (child->pid && waitpid(child->pid, NULL, WNOHANG) == 0) {
            if (clock_mono_ms() >= until)
                return false;
            nap();
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

static void free_child(struct child *child)
{
    for (char **word = child->argv; word && *word; word++)
        free(*word);
    free(child->argv);
    free(child->log_path);
    free(child->name);
}

void private_fleet_stop(struct private_fleet **fleet)
{
    struct private_fleet *it = *fleet;
    struct err ignored;

    if (!it)
        return;
    if (it->alive[1] >= 0)
        close(it->alive[1]);
    if (!wait_all(it, KIND_WAIT_MS)) {
        signal_all(it, SIGTERM);
        if (!wait_all(it, HARD_WAIT_MS)) {
            signal_all(it, SIGKILL);
            wait_all(it, HARD_WAIT_MS);
        }
    }
    if (it->alive[0] >= 0)
        close(it->alive[0]);
    if (it->reach)
        unlink(it->reach);
    if (it->folder)
        folder_remove(it->folder, &ignored); /* sockets; the next boot clears /tmp */
    for (size_t i = 0; i < it->child_count; i++)
        free_child(&it->children[i]);
    free(it->children);
    free(it->folder);
    free(it->control);
    free(it->data);
    free(it->key);
    free(it->server_key);
    free(it->announced);
    free(it->reach);
    free(it);
    *fleet = NULL;
}
