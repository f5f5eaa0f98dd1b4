/* failures.h - why tasks of a job failed, on stderr: the first few of them */
#ifndef CLI_QUERY_FAILURES_H
#define CLI_QUERY_FAILURES_H

#include <stdint.h>

struct client;
struct row_source;

void failures_tell(struct client *client, uint64_t job_id);
void failures_tell_from(struct row_source *source, uint64_t job_id);

#endif
