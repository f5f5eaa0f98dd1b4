/* probe.h - checks of assumptions about a real card, each in a process of its own
 *
 * inject is written from documents. Where they are silent or untested, a row in
 * docs/reference/unconfirmed.md states the assumption. A check tests it. A check may
 * crash or hang; main.c therefore runs it in a child process with a time limit. */
#ifndef PROBE_PROBE_H
#define PROBE_PROBE_H

#include <stddef.h>

enum probe_verdict {
    PROBE_CONFIRMED, /* as assumed */
    PROBE_DIFFERS,   /* not as assumed; the report describes the difference */
    PROBE_FACT,      /* nothing was assumed; the report is the fact */
    PROBE_BY_HAND,   /* the report has instructions for a person */
    PROBE_NOT_HERE,  /* this installation lacks the function or device */
    PROBE_VERDICTS
};

struct probe_report {
    char text[1024];
    size_t length;
};

const char *probe_verdict_name(enum probe_verdict verdict);
void probe_report_add(struct probe_report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

struct probe_check {
    const char *name; /* as in docs/reference/unconfirmed.md */
    enum probe_verdict (*run)(struct probe_report *report);
    const char *assumed, *otherwise; /* also as there */
};

/* The last row has no name. */
extern const struct probe_check probe_checks[];

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

/* Returns NULL when this installation lacks the library. */
void *probe_open(enum probe_library library);
const char *probe_library_file(enum probe_library library);
/* Returns a function of a library, or NULL. */
void *probe_find(enum probe_library library, const char *name);
/* Returns the number of cards, or -1 without a runtime. */
int probe_cards(void);
int probe_is_simulated(void);

#endif
