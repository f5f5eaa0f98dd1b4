/* idb_text.h - a ring record as a line of text, as IREE's own tool prints it */
#ifndef PARSERS_IREE_IDB_TEXT_H
#define PARSERS_IREE_IDB_TEXT_H

#include <stddef.h>

#include "parsers/iree/idb_metadata.h"
#include "parsers/iree/idb_ring.h"

/* Adds "(doubtful)" and "(workgroup lost)", which the tool does not have, where they
 * apply. What a terminal may not print becomes '?'. */
void idb_record_text(char *out,
                     size_t size,
                     const struct idb_record *record,
                     const struct idb_metadata *metadata);

#endif
