#include "cli/verdicts/command_runs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/arena.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/base/spawn.h"

/* One command: the process that runs, and the output of the process before it. */
struct run {
    char *key; /* NULL: the place is free */
    uint64_t version, started_ms, used;
    pid_t pid; /* 0: none runs */
    int out, errors;
    bool has_output;
    struct command_output output;
    struct arena *arena; /* of the rows */
};

struct command_runs {
    struct run runs[COMMAND_RUNS_KEPT];
    uint64_t uses;
};

struct command_runs *command_runs_create(void)
{
    return xcalloc(1, sizeof(struct command_runs));
}

static void clear_output(struct run *run)
{
    text_clear(&run->output.text);
    text_clear(&run->output.errors);
    free(run->output.rows);
    arena_destroy(run->arena);
    run->arena = NULL;
    run->output = (struct command_output){.rows = NULL};
    run->has_output = false;
}

static void close_files(struct run *run)
{
    close(run->out);
    close(run->errors);
    run->pid = 0;
}

static void clear_run(struct run *run)
{
    if (run->pid) {
        kill(-run->pid, SIGKILL);
        while (waitpid(run->pid, NULL, 0) < 0 && errno == EINTR)
            continue;
        close_files(run);
    }
    clear_output(run);
    free(run->key);
    *run = (struct run){.key = NULL};
}

void command_runs_destroy(struct command_runs *runs)
{
    if (!runs)
        return;
    for (size_t i = 0; i < COMMAND_RUNS_KEPT; i++)
        if (runs->runs[i].key)
            clear_run(&runs->runs[i]);
    free(runs);
}

/* Reads what the process wrote. Returns false when this is too much. */
static bool read_output(struct text *out, int fd)
{
    struct stat status;
    size_t size;

    if (fstat(fd, &status) < 0 || status.st_size > COMMAND_RUNS_BYTES)
        return false;
    size = (size_t)status.st_size;
    ssize_t got = pread(fd, text_reserve(out, size), size, 0);
    out->length = got > 0 ? (size_t)got : 0;
    out->bytes[out->length] = '\0';
    return (size_t)got == size;
}

/* Reads each line as an object. Leaves no row when a line is something else. */
static void read_rows(struct run *run)
{
    struct command_output *output = &run->output;
    const char *at = output->text.bytes, *end = at + output->text.length;
    size_t room = 0;
    struct err ignored;

    run->arena = arena_create(64 * 1024);
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        struct command_row row = {.line = at,
                                  .size = (size_t)((stop ? stop : end) - at)};

        if (json_tree_parse(&row.node, "row", row.line, row.size, JSON_TREE_LIMITS,
                            run->arena, &ignored) < 0 ||
            !json_tree_is(row.node, JSON_OBJECT)) {
            output->count = 0;
            return;
        }
        if (output->count == room) {
            room = room ? 2 * room : 64;
            output->rows = xreallocarray(output->rows, room, sizeof(*output->rows));
        }
        output->rows[output->count++] = row;
        at = stop ? stop + 1 : end;
    }
}

static void finish(struct run *run, int status)
{
    clear_output(run);
    bool is_whole = read_output(&run->output.text, run->out);
    is_whole = read_output(&run->output.errors, run->errors) && is_whole;
    run->output.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (!is_whole) {
        run->output.exit_code = -1;
        text_printf(&run->output.errors,
                    "the command printed more than %d MiB; run it in a terminal\n",
                    (int)(COMMAND_RUNS_BYTES >> 20));
    }
    if (!WIFEXITED(status))
        text_printf(&run->output.errors,
                    "the command was ended by signal %d; it may "
                    "run for %d s\n",
                    WTERMSIG(status), COMMAND_RUNS_MS / 1000);
    read_rows(run);
    run->has_output = true;
    close_files(run);
}

void command_runs_sweep(struct command_runs *runs)
{
    uint64_t now_ms = clock_mono_ms();

    for (size_t i = 0; i < COMMAND_RUNS_KEPT; i++) {
        struct run *run = &runs->runs[i];
        int status;

        if (!run->pid)
            continue;
        if (waitpid(run->pid, &status, WNOHANG) == run->pid)
            finish(run, status);
        else if (now_ms - run->started_ms > COMMAND_RUNS_MS)
            kill(-run->pid, SIGKILL);
    }
}

static int start(struct run *run, char *const *argv, struct err *err)
{
    posix_spawn_file_actions_t actions;
    int problem;

    run->out = memfd_create("stdout", MFD_CLOEXEC);
    run->errors = memfd_create("stderr", MFD_CLOEXEC);
    if (run->out < 0 || run->errors < 0) {
        err_errno(err, "creating a file for the output of %s", argv[0]);
        close_files(run);
        return -1;
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, run->out, 1);
    posix_spawn_file_actions_adddup2(&actions, run->errors, 2);
    problem = spawn_in_group(&run->pid, argv, &actions);
    posix_spawn_file_actions_destroy(&actions);
    if (problem) {
        close_files(run);
        errno = problem;
        return err_errno(err, "starting %s", argv[0]);
    }
    run->started_ms = clock_mono_ms();
    return 0;
}

static char *key_of(char *const *argv)
{
    struct text key = {0};

    for (; *argv; argv++) {
        text_add(&key, *argv);
        text_add_char(&key, '\n');
    }
    return text_take(&key);
}

/* Returns the place of the key, or a place for it, or NULL while all places run. */
static struct run *find_run(struct command_runs *runs, char *key)
{
    struct run *place = NULL;

    for (size_t i = 0; i < COMMAND_RUNS_KEPT; i++) {
        struct run *run = &runs->runs[i];

        if (run->key && strcmp(run->key, key) == 0) {
            free(key);
            return run;
        }
        if (!run->pid && (!place || run->used < place->used))
            place = run;
    }
    if (!place) {
        free(key);
        return NULL;
    }
    clear_run(place);
    place->key = key;
    return place;
}

static size_t count_running(const struct command_runs *runs)
{
    size_t count = 0;

    for (size_t i = 0; i < COMMAND_RUNS_KEPT; i++)
        count += runs->runs[i].pid != 0;
    return count;
}

int command_runs_get(const struct command_output **output,
                     struct command_runs *runs,
                     char *const *argv,
                     uint64_t version,
                     struct err *err)
{
    struct run *run;
    bool is_old;

    *output = NULL;
    command_runs_sweep(runs);
    run = find_run(runs, key_of(argv));
    if (!run)
        return 0; /* the next request finds a place */
    run->used = ++runs->uses;
    is_old = run->version != version &&
             clock_mono_ms() - run->started_ms >= COMMAND_RUNS_AGAIN_MS;
    if (!run->pid && (!run->has_output || is_old) &&
        count_running(runs) < COMMAND_RUNS_AT_ONCE) {
        run->version = version;
        if (start(run, argv, err) < 0)
            return -1;
    }
    if (run->has_output)
        *output = &run->output;
    return 0;
}
