/* reference.h - writes the generated pages of docs/reference
 *
 * The pages are made from the tables that the programs use, so that they cannot differ:
 * commands.md from the descriptors of the commands, settings.md from the option tables
 * of the daemons, job-keys.md and the manual page from the keys of lib/job. The test
 * tests/lint/reference_docs.sh compares the committed pages with new ones. */
#ifndef CLI_REFERENCE_REFERENCE_H
#define CLI_REFERENCE_REFERENCE_H

#include "lib/base/err.h"

/* Writes the pages into `folder`. `schema` is the path of job.schema.json, which has
 * the descriptions and defaults of the job keys. */
int reference_write(const char *folder, const char *schema, struct err *err);

#endif
