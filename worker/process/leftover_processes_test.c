#include "worker/process/leftover_processes.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/unit.h"

/* Starts a child with this word in its environment and waits until its exec is over:
 * the environment of a process reads as empty during exec. */
static pid_t start(const char *word)
{
    const char *const env[] = {"A=B", word, "C=D", NULL};
    int ends[2];
    char ready;

    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(ends[1], STDOUT_FILENO);
        execle("/bin/sh", "sh", "-c", "echo; kill -STOP $$", NULL, env);
        _exit(1);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &ready, 1), 1);
    close(ends[0]);
    return pid;
}

static void only_processes_with_the_mark_are_killed(void **ctx)
{
    int status;
    char word[64], longer[72];

    (void)ctx;
    snprintf(word, sizeof(word), "MUSTER_TEST_LEFTOVER=%d-1", (int)getpid());
    snprintf(longer, sizeof(longer), "%s1", word);
    pid_t marked = start(word), other = start(longer);
    leftover_processes_kill_marked(word);
    assert_int_equal(waitpid(marked, &status, 0), marked);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(waitpid(other, &status, WNOHANG), 0);
    leftover_processes_kill();
    assert_int_equal(kill(other, 0), -1);
}

/* Starts a process that replaces itself by exec() again and again. */
static pid_t start_restless(const char *word)
{
    static const char again[] = "exec /bin/sh -c \"$0\" \"$0\"";
    const char *const env[] = {word, NULL};
    int ends[2];
    char ready;

    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(ends[1], STDOUT_FILENO);
        execle("/bin/sh", "sh", "-c", "echo; exec /bin/sh -c \"$0\" \"$0\"", again,
               NULL, env);
        _exit(1);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &ready, 1), 1);
    close(ends[0]);
    return pid;
}

static bool has_ended(pid_t pid)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    int status;

    for (int i = 0; i < 2000; i++) {
        if (waitpid(pid, &status, WNOHANG) == pid)
            return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
        nanosleep(&moment, NULL);
    }
    return false;
}

static void processes_in_exec_are_killed(void **ctx)
{
    enum { PROCESSES = 8, TIMES = 10 };
    char word[64];

    (void)ctx;
    snprintf(word, sizeof(word), "MUSTER_TEST_RESTLESS=%d", (int)getpid());
    for (int time = 0; time < TIMES; time++) {
        pid_t pids[PROCESSES];
        bool ended = true;

        for (int i = 0; i < PROCESSES; i++)
            pids[i] = start_restless(word);
        leftover_processes_kill_marked(word);
        for (int i = 0; i < PROCESSES; i++)
            ended = has_ended(pids[i]) && ended;
        leftover_processes_kill();
        assert_true(ended);
    }
}

static void orphans_are_killed_with_their_children(void **ctx)
{
    int ends[2], status;
    char byte;

    (void)ctx;
    leftover_processes_adopt();
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        execl("/bin/sh", "sh", "-c",
              "setsid sh -c 'setsid sleep 1000 & setsid sleep 1000 & wait' & exit 0",
              NULL);
        _exit(1);
    }
    close(ends[1]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    leftover_processes_kill();
    assert_int_equal(read(ends[0], &byte, 1),
                     0); /* end of file: all holders of the pipe have ended */
    close(ends[0]);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_processes_with_the_mark_are_killed),
        cmocka_unit_test(processes_in_exec_are_killed),
        cmocka_unit_test(orphans_are_killed_with_their_children),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
