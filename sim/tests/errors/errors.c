/* errors.c - runs one case per error code that can be reached, each in its own process
 *
 * Prints one line per code; exits with 1 when a case returned another code. */
#include "sim/tests/errors/errors.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/tests/device.h"

#define SECONDS_MAX 20

static const struct error_list *const lists[] = {
    &errors_start,    &errors_memory,   &errors_streams,
    &errors_captures, &errors_launches, &errors_groups,
};

static aclrtBinHandle binary;

void must(int error, const char *what)
{
    if (!error)
        return;
    fprintf(stderr, "before the point: %s\n", what);
    _exit(2);
}

aclrtFuncHandle probe_function(const char *name)
{
    aclrtFuncHandle function = device_kernel(&binary, name);

    must(!function, name);
    return function;
}

void *probe_binary(void)
{
    return binary;
}

/* Runs the case in the child process; does not return. */
static void reach(const struct error_case *wanted, int answer_fd)
{
    int met;

    alarm(SECONDS_MAX);
    if (wanted->environment)
        putenv((char *)wanted->environment);
    met = wanted->reach();
    _exit(write(answer_fd, &met, sizeof(met)) == sizeof(met) ? 0 : 3);
}

/* Returns false and prints a line when the case returned another code. */
static int try(const struct error_case *wanted)
{
    int answer[2], met = -1, status = 0;
    pid_t child;

    if (pipe(answer) < 0)
        return 0;
    fflush(stdout);
    child = fork();
    if (child == 0)
        reach(wanted, answer[1]);
    close(answer[1]);
    if (read(answer[0], &met, sizeof(met)) != sizeof(met))
        met = -1;
    close(answer[0]);
    waitpid(child, &status, 0);
    if (met == wanted->code) {
        printf("%d %s: %s\n", met, wanted->name, wanted->cause);
        return 1;
    }
    printf("not %d %s but %d (status %x): %s\n", wanted->code, wanted->name, met,
           (unsigned)status, wanted->cause);
    return 0;
}

int main(void)
{
    int wrong = 0;

    for (size_t i = 0; i < COUNT(lists); i++)
        for (size_t k = 0; k < lists[i]->count; k++)
            wrong += !try(&lists[i]->cases[k]);
    return wrong > 0;
}
