/* job_search.h - finds the job that an argument names: a number, a key or a name
 *
 * A name can belong to several jobs. Commands that only read take the newest of them
 * and say so on standard error; commands that change a job accept a name of one job
 * only. */
#ifndef CLI_QUERY_JOB_SEARCH_H
#define CLI_QUERY_JOB_SEARCH_H

#include <stdint.h>

#include "cli/query/client.h"

struct store;

enum job_choice { JOB_CHOICE_NEWEST, JOB_CHOICE_ONLY };

int job_search_client(struct client *client,
                      const char *job_arg,
                      enum job_choice choice,
                      uint64_t *job_id,
                      struct err *err);
int job_search_store(struct store *store,
                     const char *job_arg,
                     enum job_choice choice,
                     uint64_t *job_id,
                     struct err *err);

#endif
