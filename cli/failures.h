/* failures.h - why tasks of a job failed, on stderr: the first few of them */
#ifndef CLI_FAILURES_H
#define CLI_FAILURES_H

#include <stdint.h>

struct client;

void failures_tell(struct client *client, uint64_t job_id);

#endif
