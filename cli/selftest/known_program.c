#include "cli/selftest/known_program.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"

extern char **environ;

int known_program_spawn(FILE *into, const char *const *argv, struct err *err)
{
    posix_spawn_file_actions_t actions;
    int status, result;
    pid_t pid;

    posix_spawn_file_actions_init(&actions);
    if (into) {
        posix_spawn_file_actions_adddup2(&actions, fileno(into), STDOUT_FILENO);
    } else {
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY,
                                         0);
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY,
                                         0);
    }
    result = posix_spawn(&pid, argv[0], &actions, NULL, (char *const *)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (result != 0) {
        errno = result;
        return err_errno(err, "starting %s", argv[0]);
    }
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return err_errno(err, "waiting for %s", argv[0]);
    return status;
}

void known_program_describe(char out[KNOWN_PROGRAM_END_BYTES], int wait_status)
{
    bool exited = WIFEXITED(wait_status);

    snprintf(out, KNOWN_PROGRAM_END_BYTES, "%s %d", exited ? "exit code" : "signal",
             exited ? WEXITSTATUS(wait_status) : WTERMSIG(wait_status));
}

static void own_path(char path[PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);

    path[length > 0 ? length : 0] = '\0';
}

/* Writes the job file. The command is a text in quotes, as YAML and JSON have it. */
static int
write_job(const struct known_program *program, const char *path, struct err *err)
{
    struct text job = {0};
    int result;

    text_printf(&job, "version: 1\nname: %s\noperator:\n", program->check);
    text_add(&job, "  command: [/bin/sh, -c, \"exec ");
    for (const char *at = program->command; *at; at++)
        text_printf(&job, *at == '"' || *at == '\\' ? "\\%c" : "%c", *at);
    text_printf(&job, "\"]\n  ranks: %u\n", program->ranks);
    text_add(&job, "profile: {metrics: [Default], warmup: 1}\nlimits: {time: 5m}\n");
    result = file_write(path, text_get(&job), job.length, err);
    text_clear(&job);
    return result;
}

/* Returns the wait status of `muster run`, or -1. */
static int run_job(const struct known_program *program,
                   const char *job,
                   const char *out,
                   struct err *err)
{
    char self[PATH_MAX], cards[16];
    const char *argv[] = {self, "run", "--quiet", "--out", out,
                          job,  NULL,  NULL,      NULL,    NULL};

    own_path(self);
    if (program->hardware) {
        snprintf(cards, sizeof(cards), "%u", program->ranks);
        argv[6] = "--hardware";
        argv[7] = "--cards";
        argv[8] = cards;
    }
    return known_program_spawn(NULL, argv, err);
}

static int export_capture(const char *out, const char *capture, struct err *err)
{
    char self[PATH_MAX], *store = xasprintf("%s/store/captures/1.db", out);
    const char *const argv[] = {self, "capture", "export", store, capture, NULL};
    int status;

    own_path(self);
    status = known_program_spawn(NULL, argv, err);
    if (status != 0)
        unlink(capture);
    free(store);
    return status < 0 ? -1 : 0;
}

static void add_row(const struct known_program *program, int status, struct text *lines)
{
    char seen[128], end[KNOWN_PROGRAM_END_BYTES];
    bool good = WIFEXITED(status) && WEXITSTATUS(status) == 0;

    known_program_describe(end, status);
    snprintf(seen, sizeof(seen), "muster run ended with %s%s", end,
             good ? "" : "; measure the program with 'muster run' to see the reason");
    check_rows_add_line(
        lines,
        &(struct check_row){
            program->check, good ? "confirmed" : "differs", seen,
            "the results of the program are right while its kernels are replayed",
            "the task fails with the exit code of the program"});
}

int known_program_measure(const struct known_program *program,
                          const char *folder,
                          const char *capture,
                          struct text *lines,
                          struct err *err)
{
    char *job, *out;
    int status = -1;

    if (!program->command) {
        check_rows_add_line(
            lines, &(struct check_row){program->check, "by-hand",
                                       "name a program that checks its own results: "
                                       "--program or --group-program",
                                       "", ""});
        return 0;
    }
    job = xasprintf("%s/%s.yaml", folder, program->check);
    out = xasprintf("%s/%s", folder, program->check);
    if (write_job(program, job, err) == 0)
        status = run_job(program, job, out, err);
    if (status >= 0) {
        add_row(program, status, lines);
        status = export_capture(out, capture, err);
    }
    free(job);
    free(out);
    return status < 0 ? -1 : 0;
}
