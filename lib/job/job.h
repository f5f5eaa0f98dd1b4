/* job.h - a job file, checked, and the points and tasks that it stands for
 *
 * Pure: no sockets, no store, no clock. A job never changes after job_parse() and may
 * be read by several threads, each with a struct job_points of its own.
 *
 * A point is one choice of all values of the sweep that no exclude names; its index
 * counts from 0 in the order of expansion: the first name of the matrix changes
 * slowest, then the zip entries, the cards change fastest. A task is a point and a
 * repeat. Nothing is kept per point: a million of them cost what one costs. */
#ifndef LIB_JOB_JOB_H
#define LIB_JOB_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/job/problems.h"

enum {
    JOB_FILE_MAX = 1 << 20, /* bytes */
    JOB_AXES_MAX = 64,
    JOB_POINTS_MAX = 10000000,
    JOB_TASKS_MAX = 10000000,
    JOB_REPEAT_MAX = 10000,
    JOB_NAME_MAX = 64,
    JOB_AFTER_MAX = 64,
    JOB_OVERRIDES_MAX = 64,
    JOB_WORDS_MAX = 1024,           /* of the command */
    JOB_WORD_BYTES_MAX = 8192,      /* as written */
    JOB_FILLED_BYTES_MAX = 1 << 18, /* all of a point, with its values put in */
};

enum {
    JOB_RUNNER_FILE = 2,    /* place of the file among a runner's words */
    JOB_RUNNER_WORDS = 5,   /* in front of the operator's own */
    JOB_RENEW = 1000,       /* unless the file says otherwise */
    JOB_CARDS_MAX = 1024,   /* of a gang */
    JOB_PRIORITY_MAX = 100, /* the best one */
};

enum job_order { JOB_INTERLEAVED, JOB_SEQUENTIAL, JOB_RANDOM };
enum job_replay { JOB_REPLAY_KERNEL, JOB_REPLAY_APPLICATION, JOB_REPLAY_RANGE };

/* How near to each other the cards of a task are. */
enum job_together { JOB_ANYWHERE, JOB_ON_ONE_SWITCH, JOB_ON_ONE_HOST };
/* What a task has to itself while it runs. A card is never shared. */
enum job_exclusive { JOB_EXCLUSIVE_CARD, JOB_EXCLUSIVE_HOST };

/* What may be tried again, as bits. */
enum job_retry_on {
    JOB_RETRY_WORKER_LOST = 1,
    JOB_RETRY_TIMEOUT = 2,
    JOB_RETRY_FAILED = 4, /* whatever else there is, those below too */
    JOB_RETRY_EXIT_CODE = 8,
    JOB_RETRY_SIGNAL = 16,
    JOB_RETRY_RANK_MISSING = 32, /* all ran, but not all was measured on all ranks */
    JOB_RETRY_NOT_INJECTED = 64,
};

struct job_list {
    const char **items; /* NULL-terminated */
    size_t count;
};

struct job;

/* What the file says apart from the sweep. Texts live as long as the job. */
struct job_settings {
    const char *name;
    uint64_t priority; /* higher goes first */
    uint64_t ranks;    /* cards that a task needs, all at once */
    bool threads;      /* one process drives them all; else one process a card */
    bool runner;       /* no program but a kernel file or a library; words below */
    uint64_t renew;    /* of these: points that one process serves; 0: one each */
    uint64_t repeat;
    int order; /* enum job_order */
    uint64_t seed;
    struct job_list metrics;
    unsigned metric_bits; /* enum metric_bits of lib/capture/counter_schedule.h */
    int replay;           /* enum job_replay */
    uint64_t barrier_ms;  /* how long a rank waits for the others */
    uint64_t warmup;
    uint64_t launch_count, launch_skip;
    const char *launch_range; /* pattern of marked ranges: only there; "": anywhere */
    bool kill;         /* the program is ended once these launches are measured */
    double distribute; /* how near the times of like ranks are; 0: each measures all */
    bool stubs;        /* the program finds the guest under the libraries' names */
    const char *soc;   /* pattern, "*" is any */
    struct job_list hosts; /* patterns; none: any host */
    uint64_t per_host;     /* cards of a task on each host; 0: as it comes */
    uint64_t host_cap;     /* cards of the job on one host at once; 0: no limit */
    int together;          /* enum job_together */
    int exclusive;         /* enum job_exclusive */
    uint64_t time_ms;      /* 0: none */
    uint64_t retries;
    unsigned retry_on;           /* enum job_retry_on */
    const char *compare_against; /* "" when nothing is compared */
    const char *compare_metric;
    double compare_tolerance; /* 0.02 is 2% */
    struct job_list after;    /* jobs that must have ended well before it begins */
};

/* The job, or -1 and at least one problem, sorted. `text` may go afterwards. */
int job_parse(struct job **out, const char *text, size_t size, struct problems *);
/* Reads the file first, and what it includes (files.h); err tells when that fails, else
 * it says how many problems. */
int job_parse_file(struct job **out,
                   const char *path,
                   struct problems *problems,
                   struct err *err);
/* The same; *whole (free() it) is the text to hand in: it includes nothing any more. */
int job_read_file(struct job **out,
                  char **whole,
                  const char *path,
                  struct problems *problems,
                  struct err *err);
void job_destroy(struct job *job); /* NULL is welcome */

const struct job_settings *job_settings(const struct job *job);
/* The names of the sweep, in the order of the file; "card" comes last. */
size_t job_variable_count(const struct job *job);
const char *job_variable_name(const struct job *job, size_t variable);

uint64_t job_point_count(const struct job *job);
uint64_t job_task_count(const struct job *job);

/* Good until the next call with the same struct job_points. */
struct job_point {
    uint64_t index;
    const char *const *values; /* as many as there are names */
    const char *text;          /* `m=1024 dtype=fp16`; "" when nothing is swept */
    int64_t card;              /* -1: any */
    /* With the values put in, as all below. Of a runner: "muster-runner", "kernel" or
     * "library", the file, the entry or "", blocks, and the operator's own. */
    struct job_list command;
    struct job_list env;                 /* NAME=value */
    const char *cwd;                     /* "" when not given */
    const char *kernel;                  /* pattern; "" is any */
    const struct job_settings *settings; /* of the job, with what the point overrides */
};

struct job_points;

struct job_points *job_points_create(const struct job *job);
void job_points_destroy(struct job_points *points); /* NULL is welcome */
/* One after the other, from the first; false behind the last. */
bool job_points_next(struct job_points *points, struct job_point *point);
/* Any of them, quickly; index < job_point_count(). Next goes on behind it. */
void job_points_at(struct job_points *points, uint64_t index, struct job_point *point);

const char *job_replay_word(int replay); /* as the file has it */
/* The bit of enum job_retry_on that limits.on calls so; 0: there is none. */
unsigned job_retry_class(const char *word);

struct job_task {
    uint64_t point;
    uint64_t repeat;
};

/* The n-th task in the order in which they are to run; n < job_task_count(). */
struct job_task job_task_at(const struct job *job, uint64_t n);

struct job_forecast {
    uint64_t points;
    uint64_t tasks;
    uint64_t passes;   /* counter passes of a launch, by the chip that is asked for */
    uint64_t launches; /* of kernels under the profiler, all tasks: at least these */
    uint64_t limit_ms; /* what all tasks may take one after the other; 0: no limit */
    char chip[24];     /* which chip the passes were counted for */
};

int job_forecast(const struct job *job, struct job_forecast *out, struct err *err);

/* The keys that the file may have: `section` is "" or such as "profile.launch". False
 * behind the last. `later`: known, and refused by this version. */
struct job_key {
    const char *section;
    const char *name;
    bool required;
    bool later;
    bool point; /* may be otherwise for some points: stands in overrides, too */
    bool whole; /* a whole number from `least` to `most` */
    uint64_t least, most;
    const char *const *words; /* of a choice, ended by NULL; else NULL */
};
bool job_key_at(size_t i, struct job_key *key);

#endif
