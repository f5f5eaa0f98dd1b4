/* job_reader.h - what the files that read a job file share */
#ifndef LIB_JOB_JOB_READER_H
#define LIB_JOB_JOB_READER_H

#include "lib/base/yaml.h"
#include "lib/job/job_internal.h"
#include "lib/job/problems.h"

struct job_reader {
    const char *prefix;        /* of all keys in problems: "overrides[0]"; NULL: none */
    struct override *override; /* which is read; NULL: the job itself */
    struct job_reader *overrides; /* a reader each; free() */
    struct job *job;
    struct problems *problems;
    /* kept for when all names of the sweep are known; NULL when not given */
    const struct yaml_node *command, *env, *cwd, *kernel;
    const struct yaml_node *section; /* of the operator */
    const struct yaml_node *kernel_file, *library, *entry, *blocks, *args, *renew;
    const struct yaml_node *sweep, *matrix, *zip, *exclude, *include, *repeat, *seed,
        *ids, *when;
    const struct yaml_node **included; /* where each point of sweep.include stands */
    const struct yaml_node *ranks, *threads, *per_host, *hosts, *cards;
};

void job_reader_complain(struct job_reader *reader,
                         const struct yaml_node *node,
                         const char *key,
                         const char *fmt,
                         ...) __attribute__((format(printf, 4, 5)));
/* About the byte `offset` of the node's text. */
void job_reader_complain_inside(struct job_reader *reader,
                                const struct yaml_node *node,
                                size_t offset,
                                const char *key,
                                const char *text);
/* Room for a key with a place in a list: "operator.command[12]". */
enum { JOB_READER_KEY_MAX = 192 };
const char *
job_reader_key(char out[JOB_READER_KEY_MAX], const char *list, size_t place);

/* False, and told, when it is another kind, or a list or map with nothing in it. */
bool job_reader_is(struct job_reader *reader,
                   const struct yaml_node *node,
                   const char *key,
                   enum yaml_kind kind);
/* A text of 1 to `most` bytes without control characters; NULL, and told, if not. The
 * copy lives as long as the job. */
const char *job_reader_text(struct job_reader *reader,
                            const struct yaml_node *node,
                            const char *key,
                            size_t most);

/* False, and told, when ${name} stands in a text that is the same for all points. */
bool job_reader_is_fixed(struct job_reader *reader,
                         const struct yaml_node *node,
                         const char *key);

/* sweep_read.c: axes and excludes, and how many points that makes */
void sweep_read_axes(struct job_reader *reader);
void sweep_read_excludes(struct job_reader *reader);
/* include_read.c: no point twice; when everything else is good */
void include_check(struct job_reader *reader);
/* gang_read.c: how many cards a task needs, and where they are */
void gang_read(struct job_reader *reader);
/* override_read.c: when each override holds; how much work that is, when all is good */
void override_read(struct job_reader *reader);
void override_check(struct job_reader *reader);
/* operator_read.c: everything in which ${name} may stand */
void operator_read(struct job_reader *reader);

#endif
