/* iree_folder.h - writes all tables and the timeline of a dump into a folder
 *
 * The files are <table>.csv for each table that has rows, iree.json, and trace.json
 * where a profile has times. */
#ifndef PARSERS_IREE_OUTPUT_IREE_FOLDER_H
#define PARSERS_IREE_OUTPUT_IREE_FOLDER_H

#include "parsers/iree/iree_dump.h"

/* Called with the name of each written file, without the folder. */
typedef void iree_file_fn(const char *name, void *arg);

/* The files become visible together. The folder is created. */
int iree_folder_write(const struct iree_dump *dump,
                      const char *folder,
                      iree_file_fn *fn,
                      void *arg,
                      struct err *err);

#endif
