/* job_files.h - a job file, and the files that it includes, as one tree
 *
 *     include: [common.yaml, cards/910b.yaml]
 *
 * What they say holds where the file itself says nothing: maps are put together name by
 * name, everything else is as the later one has it: the second file before the first,
 * the file itself before all. An included file may include others; paths start in the
 * folder of the file that they stand in. Read by who hands the job in, with what he may
 * read: a coordinator only sees the whole. */
#ifndef LIB_JOB_JOB_FILES_H
#define LIB_JOB_JOB_FILES_H

#include "lib/base/yaml.h"
#include "lib/job/problems.h"

/* *whole (free() it): a text that says the same without including anything. err tells
 * when the file itself cannot be read; else there are problems. */
int job_files_read(const struct yaml_node **root,
                   char **whole,
                   const char *path,
                   struct arena *arena,
                   struct problems *problems,
                   struct err *err);
/* What yaml_parse() of a file told, "FILE:LINE:COLUMN: text", as a problem of its own;
 * `file` "": the job file. */
void job_files_add_syntax(struct problems *problems,
                          const char *file,
                          const char *text);

#endif
