/* main.c - asks the questions of docs/reference/unconfirmed.md and prints a line each:
 * name, verdict, words, between tabs
 *
 *   muster-probe [--simulated]   against the cards of this machine
 *   muster-probe --list          the names only
 *
 * Ends with 0 when all that could be asked was as assumed, 1 when something differs, 3
 * when there is no card, which it says. */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe/probe.h"

enum { LIMIT_S = 30, NO_CARD = 3 };

static const char *const verdicts[PROBE_VERDICTS] = {
    [PROBE_CONFIRMED] = "confirmed", [PROBE_DIFFERS] = "differs",
    [PROBE_TOLD] = "told",           [PROBE_BY_HAND] = "by-hand",
    [PROBE_NOT_HERE] = "not-here",
};

void probe_say(struct probe_words *words, const char *format, ...)
{
    size_t room = sizeof(words->text) - words->length;
    va_list args;
    int size;

    va_start(args, format);
    size = vsnprintf(words->text + words->length, room, format, args);
    va_end(args);
    if (size > 0)
        words->length += (size_t)size < room ? (size_t)size : room - 1;
}

static void print(const char *name, const char *verdict, const char *text)
{
    printf("%s\t%s\t%s\n", name, verdict, text);
    fflush(stdout);
}

/* In the child. What the libraries print themselves goes to stderr. */
static void answer(const struct probe_check *check, int out)
{
    struct probe_words words = {0};
    char verdict;

    dup2(STDERR_FILENO, STDOUT_FILENO);
    alarm(LIMIT_S);
    verdict = (char)check->run(&words);
    if (write(out, &verdict, 1) != 1 || write(out, words.text, words.length) < 0)
        _exit(1);
    _exit(0);
}

static enum probe_verdict ask(const struct probe_check *check)
{
    char heard[1 + sizeof(((struct probe_words *)0)->text) + 1] = {PROBE_DIFFERS};
    size_t length = 0;
    int ends[2], status = 0;
    pid_t pid;

    if (pipe(ends) < 0 || (pid = fork()) < 0) {
        print(check->name, verdicts[PROBE_NOT_HERE], strerror(errno));
        return PROBE_NOT_HERE;
    }
    if (pid == 0)
        answer(check, ends[1]);
    close(ends[1]);
    while (length < sizeof(heard) - 1) {
        ssize_t got = read(ends[0], heard + length, sizeof(heard) - 1 - length);

        if (got <= 0)
            break;
        length += (size_t)got;
    }
    close(ends[0]);
    waitpid(pid, &status, 0);
    if (length == 0) {
        snprintf(heard + 1, sizeof(heard) - 1,
                 WTERMSIG(status) == SIGALRM ? "no answer within %d s"
                                             : "the check ended by signal %d",
                 WTERMSIG(status) == SIGALRM ? LIMIT_S : WTERMSIG(status));
        heard[0] = PROBE_DIFFERS;
    }
    print(check->name, verdicts[(int)heard[0]], heard + 1);
    return (enum probe_verdict)heard[0];
}

static int list(void)
{
    for (const struct probe_check *check = probe_checks; check->name; check++)
        puts(check->name);
    return 0;
}

/* Cards are counted in a child: what a library leaves behind is nobody's. */
static int look_for_cards(bool simulated)
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
    if (look_for_cards(simulated) == 0) {
        print("cards", verdicts[PROBE_NOT_HERE], "no card");
        return NO_CARD;
    }
    for (const struct probe_check *check = probe_checks; check->name; check++)
        differ += ask(check) == PROBE_DIFFERS;
    return differ > 0;
}
