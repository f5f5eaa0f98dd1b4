/* evidence.h - the records of a run that the checks of assumptions read */
#ifndef PARSERS_ASSUMPTIONS_EVIDENCE_H
#define PARSERS_ASSUMPTIONS_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/capture/capture_reader.h"
#include "lib/capture/format/records.h"
#include "parsers/source/source.h"

/* All records of a kind, aligned, in the order of the capture. */
struct evidence_list {
    void *records;
    size_t count, size; /* size of one record */
};

struct evidence {
    bool is_present;
    uint64_t run_id;
    struct capture_counts counts; /* of the whole capture */
    struct evidence_list launches, ends, passes, clocks, health, environments, barriers;
    uint64_t dropped;      /* sum of the drop records */
    struct source *source; /* rank 0; NULL when it cannot be read */
};

/* Reads the first run with one rank (`group` false) or with several. A capture without
 * such a run gives is_present false. */
int evidence_read(struct evidence *evidence,
                  const char *capture,
                  bool group,
                  struct err *err);
void evidence_clear(struct evidence *evidence);

#define EVIDENCE_EACH(type, record, list)                                              \
    for (const struct type *record = (list)->records;                                  \
         record && record < (const struct type *)(list)->records + (list)->count;      \
         record++)

#endif
