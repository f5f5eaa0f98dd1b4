/* job_files.h - the result files of a job: their list, and one of them by its id
 *
 * The id of a file is a hash of its path below the folder of the job, and its point, so
 * no path is part of an address. */
#ifndef CLI_API_JOB_FILES_H
#define CLI_API_JOB_FILES_H

#include "cli/api/api_source.h"
#include "cli/http/http_message.h"
#include "cli/query/row_source.h"

/* Answers /api/v1/jobs/{job}/files; the argument `point` selects the files of a point.
 */
int job_files_answer(struct row_source *source,
                     const struct http_request *request,
                     struct http_response *response,
                     struct err *err);
/* Answers /api/v1/jobs/{job}/files/{file} with the bytes of the file, which come from a
 * coordinator while they are sent. */
int job_files_send(struct api_source *source,
                   const struct http_request *request,
                   struct http_response *response,
                   struct err *err);

/* Finds the file that the request names. The caller closes *folder, the folder that
 * holds the file, or -1 when a coordinator has it; and frees *path, the path below the
 * folder of the job. */
int job_files_find(struct row_source *source,
                   const struct http_request *request,
                   int *folder,
                   char **path,
                   struct err *err);

#endif
