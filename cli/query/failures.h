/* failures.h - prints the reasons of the first failed tasks of a job to stderr */
#ifndef CLI_QUERY_FAILURES_H
#define CLI_QUERY_FAILURES_H

#include <stdint.h>

struct client;
struct row_source;

void failures_print(struct client *client, uint64_t job_id);
void failures_print_from_store(struct row_source *source, uint64_t job_id);

#endif
