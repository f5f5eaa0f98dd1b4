/* selftest_archive.h - one capture with the evidence of a self-test, without user data
 *
 * The archive has the records of the given captures and a text. Names of hosts, jobs
 * and programs, serial numbers and processes are removed. */
#ifndef PARSERS_ASSUMPTIONS_SELFTEST_ARCHIVE_H
#define PARSERS_ASSUMPTIONS_SELFTEST_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/text.h"

/* Changes a record in its buffer. Returns false to leave it out. */
typedef bool archive_edit_fn(unsigned kind, uint8_t *record, size_t size, void *arg);

/* Copies all records of the captures to `path`. `edit` runs after the removal of user
 * data; NULL is allowed. `text` may be empty. */
int selftest_archive_write(const char *path,
                           const char *const *captures,
                           size_t count,
                           const char *text,
                           archive_edit_fn *edit,
                           void *arg,
                           struct err *err);
/* Reads the text of an archive. Fails with ERR_NOT_FOUND when it has none. */
int selftest_archive_text(const char *path, struct text *text, struct err *err);

#endif
