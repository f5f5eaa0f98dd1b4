/* main.c - runs the checks of docs/reference/unconfirmed.md and prints one line for
 * each: name, verdict, report, the assumption and what follows when it is wrong,
 * separated by tabs
 *
 *   muster-probe [--simulated]   checks the cards of this machine
 *   muster-probe --list          prints the rows of that page
 *
 * Exits with 0 when no check differs from the assumption, with 1 when one differs, and
 * with 3 when the machine has no card. */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe/probe.h"

enum { LIMIT_S = 30, NO_CARD = 3 };

static void
print(const struct probe_check *check, enum probe_verdict verdict, const char *text)
{
    printf("%s\t%s\t%s\t%s\t%s\n", check->name, probe_verdict_name(verdict), text,
           check->assumed, check->otherwise);
    fflush(stdout);
}

/* Runs in the child process. The libraries print to stderr. */
static void run_check(const struct probe_check *check, int out)
{
    struct probe_report report = {0};
    char verdict;

    dup2(STDERR_FILENO, STDOUT_FILENO);
    alarm(LIMIT_S);
    verdict = (char)check->run(&report);
    if (write(out, &verdict, 1) != 1 || write(out, report.text, report.length) < 0)
        _exit(1);
    _exit(0);
}

static enum probe_verdict run_in_child(const struct probe_check *check)
{
    char output[1 + sizeof(((struct probe_report *)0)->text) + 1] = {PROBE_DIFFERS};
    size_t length = 0;
    int ends[2], status = 0;
    pid_t pid;

    if (pipe(ends) < 0 || (pid = fork()) < 0) {
        print(check, PROBE_NOT_HERE, strerror(errno));
        return PROBE_NOT_HERE;
    }
    if (pid == 0)
        run_check(check, ends[1]);
    close(ends[1]);
    while (length < sizeof(output) - 1) {
        ssize_t got = read(ends[0], output + length, sizeof(output) - 1 - length);

        if (got <= 0)
            break;
        length += (size_t)got;
    }
    close(ends[0]);
    waitpid(pid, &status, 0);
    if (length == 0) {
        snprintf(output + 1, sizeof(output) - 1,
                 WTERMSIG(status) == SIGALRM ? "no result within %d s"
                                             : "the check ended by signal %d",
                 WTERMSIG(status) == SIGALRM ? LIMIT_S : WTERMSIG(status));
        output[0] = PROBE_DIFFERS;
    }
    print(check, (enum probe_verdict)output[0], output + 1);
    return (enum probe_verdict)output[0];
}

static int list(void)
{
    for (const struct probe_check *check = probe_checks; check->name; check++)
        printf("| %s | %s | %s |\n", check->name, check->assumed, check->otherwise);
    return 0;
}

/* Counts the cards in a child process, so that the libraries leave nothing in this one.
 */
static int count_cards(bool simulated)
{
    pid_t pid = fork();
    int status = 0;

    if (pid == 0) {
        int cards = probe_cards();

        _exit(cards <= 0 || (probe_is_simulated() && !simulated) ? 0
              : cards < 100                                      ? cards
                                                                 : 100);
    }
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

int main(int argc, char **argv)
{
    bool simulated = argc == 2 && strcmp(argv[1], "--simulated") == 0;
    int differ = 0;

    if (argc == 2 && strcmp(argv[1], "--list") == 0)
        return list();
    if (argc > 1 && !simulated) {
        fputs("usage: muster-probe [--simulated | --list]\n", stderr);
        return 2;
    }
    if (count_cards(simulated) == 0) {
        printf("cards\t%s\tno card\t\t\n", probe_verdict_name(PROBE_NOT_HERE));
        return NO_CARD;
    }
    for (const struct probe_check *check = probe_checks; check->name; check++)
        differ += run_in_child(check) == PROBE_DIFFERS;
    return differ > 0;
}
