/* file_rows.h - the result files of a job, as rows and pieces of client messages
 *
 * The files of a job are those that the store names, and the files of the whole job,
 * such as report.html, which lie in its folder. */
#ifndef LIB_QUERY_FILE_ROWS_H
#define LIB_QUERY_FILE_ROWS_H

#include "lib/query/store_rows.h"

/* Calls fn with a MSG_FILE_ROW for each file of the page. `out` is the folder of all
 * results. */
int file_rows(struct store *store,
              const char *out,
              const struct msg_list_files *request,
              row_fn *fn,
              void *arg,
              struct err *err);

/* Reads a piece into `bytes`, which has room for MSG_FILES_PIECE; piece->data leads
 * into it. Returns ERR_INPUT for a path that leaves the folder of the job. */
int file_rows_piece(struct msg_file_piece *piece,
                    char *bytes,
                    struct store *store,
                    const char *out,
                    const struct msg_read_file *request,
                    struct err *err);

#endif
