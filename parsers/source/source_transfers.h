/* source_transfers.h - the memory records of an instrumented launch */
#ifndef PARSERS_SOURCE_SOURCE_TRANSFERS_H
#define PARSERS_SOURCE_SOURCE_TRANSFERS_H

#include "parsers/source/source.h"
#include "parsers/transfers/transfer_reader.h"

/* Finds MemoryChart.bin in a folder. Adds a note when it is empty, too large or cannot
 * be opened. */
void source_find_chart(struct source_launch *launch, const char *folder);

/* Sends all records of a launch to the reader. Fails when its file cannot be read. */
int source_read_transfers(const struct source_launch *launch,
                          struct transfer_reader *reader,
                          struct err *err);

#endif
