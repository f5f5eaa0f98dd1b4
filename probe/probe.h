/* probe.h - questions that only a card can answer, each asked in a process of its own
 *
 * inject is written against documents; where they say nothing, or nobody has tried, a
 * row in docs/reference/unconfirmed.md states an assumption; a check tests it. A check
 * may crash or hang: whoever runs it has a limit. */
#ifndef PROBE_PROBE_H
#define PROBE_PROBE_H

#include <stddef.h>

enum probe_verdict {
    PROBE_CONFIRMED, /* as assumed */
    PROBE_DIFFERS,   /* not as assumed: the words say what is to be changed */
    PROBE_TOLD,      /* a fact that was not known; the words are the fact */
    PROBE_BY_HAND,   /* the words say what to run and what to look at */
    PROBE_NOT_HERE,  /* this installation lacks what the question is about */
    PROBE_VERDICTS
};

struct probe_words {
    char text[1024];
    size_t length;
};

void probe_say(struct probe_words *words, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

struct probe_check {
    const char *name; /* as in docs/reference/unconfirmed.md */
    enum probe_verdict (*run)(struct probe_words *words);
};

/* Ended by a row without a name. */
extern const struct probe_check probe_checks[];

/* The libraries of this installation; NULL when one is not there. */
enum probe_library {
    LIBRARY_ACL,
    LIBRARY_RUNTIME,
    LIBRARY_HCCL,
    LIBRARY_HCOMM,
    LIBRARY_PROF,
    LIBRARY_DRIVER,
    LIBRARY_BOARD,
    LIBRARY_DUMP,
    LIBRARY_COUNT
};

void *probe_open(enum probe_library library);
const char *probe_library_file(enum probe_library library);
/* A function of it, or NULL. */
void *probe_find(enum probe_library library, const char *name);
/* Cards that the runtime offers; -1: there is no runtime. */
int probe_cards(void);
int probe_is_simulated(void);

#endif
