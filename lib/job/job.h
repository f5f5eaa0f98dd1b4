/* job.h - a checked job file, its points and its tasks
 *
 * This module uses no sockets, store or clock. A job does not change after job_parse().
 * Several threads may read it, each with its own struct job_points.
 *
 * A point is one combination of the values of the sweep that no exclude matches. Points
 * are numbered from 0 in the order of expansion: the first name of the matrix changes
 * slowest, then the zip entries; the cards change fastest. A task is one point and one
 * repeat. Points are computed on request, so memory does not grow with their number. */
#ifndef LIB_JOB_JOB_H
#define LIB_JOB_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/job/problem/problems.h"

enum {
    JOB_FILE_MAX = 1 << 20, /* bytes */
    JOB_AXES_MAX = 64,
    JOB_POINTS_MAX = 10000000,
    JOB_TASKS_MAX = 10000000,
    JOB_REPEAT_MAX = 10000,
    JOB_NAME_MAX = 64,
    JOB_SESSIONS_MAX = 1000,
    JOB_PLACED_POINTS_MAX = 100000, /* with cards.at: each point is checked */
    JOB_AFTER_MAX = 64,
    JOB_OVERRIDES_MAX = 64,
    JOB_RANGES_MAX = 16,            /* in profile.launch.range */
    JOB_WORDS_MAX = 1024,           /* in the command */
    JOB_WORD_BYTES_MAX = 8192,      /* of one word, before ${name} is replaced */
    JOB_FILLED_BYTES_MAX = 1 << 18, /* all words of a point, with their values */
};

enum {
    JOB_RUNNER_FILE = 2,    /* index of the file in the command of a runner */
    JOB_RUNNER_WORDS = 5,   /* words before the arguments of the operator */
    JOB_RENEW = 1000,       /* default of operator.renew */
    JOB_CARDS_MAX = 1024,   /* in a gang */
    JOB_PRIORITY_MAX = 100, /* the highest; its tasks start first */
};

/* Balanced: as interleaved, but the points of a repeat run forwards or backwards, in
 * the order of lib/verdict/cause/pair_order.h. */
enum job_order { JOB_INTERLEAVED, JOB_SEQUENTIAL, JOB_RANDOM, JOB_BALANCED };
/* Values of the variable `part`, which operator.overlap adds to the sweep: the operator
 * itself, its two halves alone, and one half after the other. */
enum job_part {
    JOB_PART_FUSED,
    JOB_PART_COMPUTE,
    JOB_PART_COMMUNICATION,
    JOB_PART_SERIAL,
    JOB_PART_COUNT,
};
/* Work of a rank when there are more of them: less, or the same. */
enum job_scaling { JOB_SCALING_UNKNOWN = -1, JOB_SCALING_STRONG, JOB_SCALING_WEAK };
/* Recorder of the measured data: inject on an NPU, the program itself, the subscriber
 * of its trace events, or the vendor's instruction simulator. */
enum job_tool {
    JOB_TOOL_NPU,
    JOB_TOOL_IREE,
    JOB_TOOL_XPTI,
    JOB_TOOL_FRAMEWORK,
    JOB_TOOL_SIMULATOR,
};
enum job_replay { JOB_REPLAY_KERNEL, JOB_REPLAY_APPLICATION, JOB_REPLAY_RANGE };

/* Required closeness of the cards of a task. */
enum job_together { JOB_ANYWHERE, JOB_ON_ONE_SWITCH, JOB_ON_ONE_HOST };
/* Resource that a running task does not share. A card is never shared. */
enum job_exclusive { JOB_EXCLUSIVE_CARD, JOB_EXCLUSIVE_HOST };

/* Reasons for another attempt, as bits. */
enum job_retry_on {
    JOB_RETRY_WORKER_LOST = 1,
    JOB_RETRY_TIMEOUT = 2,
    JOB_RETRY_FAILED = 4, /* any other failure, including those below */
    JOB_RETRY_EXIT_CODE = 8,
    JOB_RETRY_SIGNAL = 16,
    JOB_RETRY_RANK_MISSING = 32, /* all ranks ran, but some rank has no measurement */
    JOB_RETRY_NOT_INJECTED = 64,
    JOB_RETRY_NOTHING_PROFILED = 128,
    JOB_RETRY_TOO_FEW_LAUNCHES = 256,
};

/* Outcomes that make a gate fail, as bits in the order of the words of gate.fail. */
enum job_gate_fail {
    JOB_FAIL_REGRESSED = 1,
    JOB_FAIL_NOT_MEASURED = 2,
    JOB_FAIL_IMPROVED = 4,
    JOB_FAIL_UNDECIDED = 8,
};
/* Causes of a regression that make a gate fail, in the order of gate.causes. */
enum job_gate_cause {
    JOB_CAUSE_CODE = 1,
    JOB_CAUSE_CARD = 2,
    JOB_CAUSE_HOST = 4,
    JOB_CAUSE_LINK = 8,
    JOB_CAUSE_ENVIRONMENT = 16,
    JOB_CAUSE_UNKNOWN = 32,
    JOB_CAUSE_ALL = 63,
};
enum { JOB_TOLERANCES_MAX = 64 };

struct job_list {
    const char **items; /* NULL-terminated */
    size_t count;
};

struct job;

/* An entry of gate.tolerances. */
struct job_tolerance {
    const char *metric; /* pattern; "*": all */
    double tolerance;   /* share; negative: not set */
    int better;         /* enum job_better */
};
enum job_better { JOB_BETTER_USUAL, JOB_BETTER_MORE, JOB_BETTER_LESS };

/* gate.confirm: fresh runs of the old and the new program, in turn. */
struct job_confirm {
    bool wanted;       /* a suspect counts only after fresh runs */
    uint64_t pairs;    /* runs of each program on each card */
    uint64_t sessions; /* parts of the balanced order */
    uint64_t cards;    /* 1: the suspect; 2: its neighbour too; 3: another host too */
    uint64_t suspects; /* the largest changes; the others stay open */
    uint64_t time_ms;  /* later runs are cancelled: undecided */
};
enum {
    /* six pairs have a probability of 1/64, above the limit of 1 % */
    JOB_CONFIRM_PAIRS_LEAST = 7,
    JOB_CONFIRM_PAIRS_MOST = 100,
    JOB_CONFIRM_SESSIONS_MOST = 20,
    JOB_CONFIRM_CARDS_MOST = 3,
    JOB_CONFIRM_SUSPECTS_MOST = 32,
};

/* The section `gate`: when the job fails after a comparison. */
struct job_gate {
    bool given; /* false: the job has no gate, and the other members are the defaults */
    unsigned fail;      /* enum job_gate_fail */
    unsigned causes;    /* enum job_gate_cause */
    const char *anchor; /* second base, for slow changes; "": none */
    const char *canary; /* pattern of points whose kernels never change; "": none */
    struct job_confirm confirm;
    double alpha;                           /* highest probability of one cell */
    double discoveries;                     /* highest share of false regressions */
    double undecided;                       /* highest share of inconclusive cells */
    const struct job_tolerance *tolerances; /* a later entry replaces an earlier one */
    size_t tolerance_count;
};

/* All settings except the sweep. The job owns the texts. */
struct job_settings {
    const char *name;
    uint64_t priority; /* a higher number starts first */
    /* Cards that a task needs at the same time; of a job: the most that a point needs
     */
    uint64_t ranks;
    bool threads;   /* one process drives all cards; else one process per card */
    bool runner;    /* muster-runner calls a kernel file or a library */
    uint64_t renew; /* points per runner process; 0: one process per point */
    uint64_t repeat;
    int order; /* enum job_order */
    uint64_t seed;
    uint64_t sessions; /* of the balanced order */
    int scaling;       /* enum job_scaling */
    struct job_list metrics;
    unsigned metric_bits;   /* enum metric_bits of lib/capture/counter_schedule.h */
    int tool;               /* enum job_tool */
    const char *streams;    /* of XPTI: patterns, one per line; "": the usual ones */
    const char *filter;     /* of XPTI: patterns of names to record; "": all */
    const char *simulation; /* of the simulator: its metrics, divided by commas */
    const char *cores;      /* of the simulator: list such as "0,2-3"; "": all */
    int replay;             /* enum job_replay */
    uint64_t barrier_ms;    /* time limit for the wait of a rank at a barrier */
    uint64_t warmup;
    uint64_t launch_count; /* that must be measured; 0: all that are found */
    uint64_t launch_skip;
    /* patterns of the marked ranges to measure in, one per line; "": everywhere */
    const char *launch_range;
    bool kill;         /* end the program after the selected launches */
    double distribute; /* allowed time difference of ranks that share passes; 0: off */
    const char *custom_input; /* JSON with names of marks, or "" */
    bool stubs;      /* the program loads inject by the names of the vendor libraries */
    const char *soc; /* pattern of the chip name; "*" matches all */
    struct job_list hosts; /* patterns of host names; empty: all hosts */
    uint64_t per_host;     /* cards of a task on each host; 0: no rule */
    uint64_t host_cap;     /* cards of the job on one host at once; 0: no limit */
    int together;          /* enum job_together */
    int exclusive;         /* enum job_exclusive */
    bool placed;           /* each point names the cards of its ranks */
    uint64_t time_ms;      /* of a task; 0: no limit */
    uint64_t retries;
    unsigned retry_on;           /* enum job_retry_on */
    const char *compare_against; /* "": no comparison */
    const char *compare_metric;
    double compare_tolerance; /* 0.02 is 2% */
    struct job_gate gate;
    struct job_list after; /* jobs that must succeed before this one starts */
};

/* Returns -1 and at least one problem, sorted, on failure. The job does not keep
 * `text`. */
int job_parse(struct job **out, const char *text, size_t size, struct problems *);
/* Reads the file and its includes (job_files.h). On failure err has the reason why the
 * file cannot be read, or the number of problems. */
int job_parse_file(struct job **out,
                   const char *path,
                   struct problems *problems,
                   struct err *err);
/* As job_parse_file(). Sets *whole to the text to submit, with all includes inserted;
 * the caller frees it. */
int job_read_file(struct job **out,
                  char **whole,
                  const char *path,
                  struct problems *problems,
                  struct err *err);
void job_destroy(struct job *job); /* NULL is allowed */

const struct job_settings *job_settings(const struct job *job);
/* Variables of the sweep in the order of the file; "card" is the last. */
size_t job_variable_count(const struct job *job);
const char *job_variable_name(const struct job *job, size_t variable);
/* Variables of the same axis change together. */
size_t job_variable_axis(const struct job *job, size_t variable);
/* Returns whether settings differ between points. */
bool job_has_overrides(const struct job *job);
/* Returns whether a text or condition of the job file contains the variable. The points
 * that differ only in another variable measure the same. */
bool job_variable_is_used(const struct job *job, size_t variable);
/* Number of entries of sweep.exclude, and whether one removes a point that those before
 * it do not remove. */
size_t job_exclude_count(const struct job *job);
bool job_exclude_is_used(const struct job *job, size_t exclude);
size_t job_override_count(const struct job *job);

uint64_t job_point_count(const struct job *job);
uint64_t job_task_count(const struct job *job);
/* Returns the variable with the number of ranks of each point; SIZE_MAX: all are equal.
 */
size_t job_ranks_variable(const struct job *job);
/* Returns the variable `part` of operator.overlap; SIZE_MAX: the job does not have the
 * key. The values are in the order of enum job_part. */
size_t job_part_variable(const struct job *job);
/* Returns by how many cards the ranks of a point are rotated: rank r runs on the card
 * that rank (r + shift) has without a rotation. */
size_t job_point_shift(const struct job *job, uint64_t point);
/* Return whether the job rotates its ranks (cards.rotate, or gate.rotate from 2 on),
 * and whether it has the key cards.pairs. */
bool job_has_rotation(const struct job *job);
bool job_has_pairs(const struct job *job);
uint64_t job_point_ranks(const struct job *job, uint64_t point);

/* Valid until the next call with the same struct job_points. */
struct job_point {
    uint64_t index;
    const char *const *values; /* one per variable */
    const char *text;          /* `m=1024 dtype=fp16`; "" without a sweep */
    int64_t card;              /* -1: any */
    /* In this and the next members up to `elf` ${name} is replaced. Words of a runner:
     * "muster-runner", "kernel" or "library", the file, the entry or "", the number of
     * blocks, and the arguments of the operator. */
    struct job_list command;
    struct job_list env;    /* NAME=value */
    size_t program;         /* word of the command: the program after its container */
    const char *path;       /* folder of the program or file; "": not set */
    struct job_list places; /* HOST:CARD of each rank; empty: any */
    const char *cwd;        /* "": not set */
    const char *kernel;     /* pattern of the kernel name; "" matches all */
    const char *dump;       /* pattern of the files to collect; "": not set */
    const char *elf;        /* of the simulator: file of the kernel; "": not set */
    const struct job_settings *settings; /* of the job, with the overrides applied */
    uint64_t tolerances; /* bits: entries of gate.tolerances that apply to the point */
};

struct job_points;

struct job_points *job_points_create(const struct job *job);
void job_points_destroy(struct job_points *points); /* NULL is allowed */
/* Fills in the next point, from the first one on. Returns false after the last. */
bool job_points_next(struct job_points *points, struct job_point *point);
/* Fills in the point `index`, in bounded time; index < job_point_count().
 * job_points_next() continues after it. */
void job_points_at(struct job_points *points, uint64_t index, struct job_point *point);
/* Returns whether the override applies to the point that was filled in last. */
bool job_points_is_overridden(const struct job_points *points, size_t override);

/* Reads HOST:CARD. Returns false for any other text. `host` has room for `size` bytes.
 */
bool job_place_parse(const char *place, char *host, size_t size, uint32_t *card);

const char *job_replay_word(int replay); /* the word in the job file */
/* Returns true when the worker collects files that the program wrote. */
bool job_collects_files(int tool);
/* Returns the key of `profile` with the pattern of these files. */
const char *job_files_key(int tool);
const char *job_tool_word(int tool);
/* Returns false when the program only runs: nothing is captured and parsed. */
bool job_is_measured(const struct job_settings *settings);
/* Returns the bit of enum job_retry_on for a word of limits.on, or 0. */
unsigned job_retry_class(const char *word);

struct job_task {
    uint64_t point;
    uint64_t repeat;
};

/* Returns the n-th task in the order of execution; n < job_task_count(). */
struct job_task job_task_at(const struct job *job, uint64_t n);

struct job_forecast {
    uint64_t points;
    uint64_t tasks;
    uint64_t passes;    /* of a launch on `chip` */
    bool has_dumps;     /* the files of the program are collected */
    bool is_traced;     /* its trace events are recorded */
    bool is_simulation; /* the program runs in the vendor's simulator */
    uint64_t launches;  /* lower bound of the profiled kernel launches of all tasks */
    uint64_t limit_ms;  /* sum of the time limits of all tasks; 0: no limit */
    char chip[24];      /* chip that `passes` was computed for */
};

/* `model` is that of the cards; NULL or an unknown one: the first that the job permits.
 */
int job_forecast(const struct job *job,
                 const char *model,
                 struct job_forecast *out,
                 struct err *err);
/* Returns -1 when the job requests a metric that cards of this model do not have. Does
 * nothing for an unknown model. */
int job_check_model(const struct job *job, const char *model, struct err *err);

/* Returns -1 when the job needs the vendor's instruction simulator, and this host has
 * none for the model. Does nothing when the job sets ASCEND_HOME_PATH. */
int job_check_vendor_simulator(const struct job *job,
                               const char *model,
                               struct err *err);

/* A key of a job file. `section` is "" or a path such as "profile.launch". */
struct job_key {
    const char *section;
    const char *name;
    bool required;
    bool later; /* of a later version; this version rejects it */
    bool point; /* also allowed in overrides */
    bool whole; /* the value is a whole number from `least` to `most` */
    uint64_t least, most;
    const char *const *words; /* allowed words, NULL-terminated; NULL: any value */
};
/* Returns false when i is not less than the number of keys. */
bool job_key_at(size_t i, struct job_key *key);

#endif
