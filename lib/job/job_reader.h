/* job_reader.h - state and checks that all readers of job file sections share */
#ifndef LIB_JOB_JOB_READER_H
#define LIB_JOB_JOB_READER_H

#include "lib/base/yaml.h"
#include "lib/job/job_internal.h"
#include "lib/job/problem/problems.h"

struct job_reader {
    const char *prefix; /* in front of each key in problems: "overrides[0]"; or NULL */
    struct override *override;    /* the one that is read; NULL: the job itself */
    struct job_reader *overrides; /* one per override; freed by job_read.c */
    struct job *job;
    struct problems *problems;
    /* nodes that are read after all variables of the sweep; NULL: not in the file */
    const struct yaml_node *command, *env, *cwd, *kernel, *dump, *collect, *elf;
    const struct yaml_node *cores;   /* of the simulator */
    const struct yaml_node *section; /* the section `operator` */
    const struct yaml_node *profile; /* the section */
    const struct yaml_node *kernel_file, *library, *entry, *blocks, *args, *renew;
    const struct yaml_node *sweep, *matrix, *zip, *exclude, *include, *repeat, *ids,
        *when;
    const struct yaml_node **included; /* node of each point of sweep.include */
    const struct yaml_node *ranks, *threads, *per_host, *hosts, *cards, *at;
    const struct yaml_node *version_path, *container, *environment;
    const struct yaml_node *tolerances;
    const struct yaml_node *overlap[3]; /* commands, in the order of enum job_part */
    const struct yaml_node *rotate, *gate_rotate, *pairs;
    const char *rotate_key; /* "cards.rotate", or "gate.rotate" in its place */
};

/* Adds a problem at the node. */
void job_reader_complain(struct job_reader *reader,
                         const struct yaml_node *node,
                         const char *key,
                         const char *fmt,
                         ...) __attribute__((format(printf, 4, 5)));
/* Adds a problem at the byte `offset` of the text of the node. */
void job_reader_complain_inside(struct job_reader *reader,
                                const struct yaml_node *node,
                                size_t offset,
                                const char *key,
                                const char *text);
/* Adds the problem "unknown KIND 'WORD'" with the nearest word of `known`, or with all
 * of them when none is near. `known` ends with NULL. */
void job_reader_complain_of_word(struct job_reader *reader,
                                 const struct yaml_node *node,
                                 const char *key,
                                 const char *kind,
                                 const char *const *known);
/* Bytes for a key with an index: "operator.command[12]". */
enum { JOB_READER_KEY_MAX = 192 };
const char *
job_reader_key(char out[JOB_READER_KEY_MAX], const char *list, size_t place);

/* Returns false and adds a problem when the node has another kind, or is an empty list
 * or map. */
bool job_reader_is(struct job_reader *reader,
                   const struct yaml_node *node,
                   const char *key,
                   enum yaml_kind kind);
/* Returns a copy of a text of 1 to `most` bytes without control characters, which the
 * job owns. Returns NULL and adds a problem for any other node. */
const char *job_reader_text(struct job_reader *reader,
                            const struct yaml_node *node,
                            const char *key,
                            size_t most);

/* Returns false and adds a problem when the text contains ${name}. Use it for keys that
 * have the same value for all points. */
bool job_reader_is_fixed(struct job_reader *reader,
                         const struct yaml_node *node,
                         const char *key);

/* Returns false and adds a problem when one of the patterns divided by | is empty. */
bool job_reader_is_patterns(struct job_reader *reader,
                            const struct yaml_node *node,
                            const char *key);

/* sweep_read.c: reads axes and excludes, and checks the number of points */
void sweep_read_axes(struct job_reader *reader);
void sweep_read_excludes(struct job_reader *reader);
/* include_read.c: reports points that appear twice. Call it when there is no problem.
 */
void include_check(struct job_reader *reader);
/* gang_read.c: reads the number of cards of a task and the rules for their hosts */
void gang_read(struct job_reader *reader);
/* parts_read.c: reports a part of operator.overlap that is missing, and other keys that
 * it excludes */
void parts_check(struct job_reader *reader);
/* rotation_read.c: checks cards.rotate and cards.pairs against other keys, after
 * gang_read() */
void rotation_check(struct job_reader *reader);
/* override_read.c: reads the conditions, and limits the work to evaluate them. Call
 * override_check() when no problem was found. */
void override_read(struct job_reader *reader);
void override_check(struct job_reader *reader);
/* combinations.c: reports keys that have no effect or no result beside other keys */
void combinations_check(struct job_reader *reader, const struct yaml_node *root);
/* places_read.c: checks cards.at at each point. Call it when there is no problem. */
void places_check(struct job_reader *reader);
/* arguments_check.c: checks the arguments of a kernel file. Call it when there is no
 * problem. */
void arguments_check(struct job_reader *reader);
/* gate_read.c: reads gate.tolerances */
void gate_read_tolerances(struct job_reader *reader);
/* operator_read.c: reads all texts that may contain ${name} */
void operator_read(struct job_reader *reader);
/* Checks profile.tool against the other keys. Call it after operator_read() and
 * gang_read(). */
void tool_read(struct job_reader *reader);

#endif
