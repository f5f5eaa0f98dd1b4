/* list_requests.h - rows for whoever asks: of the store, and of who is here now */
#ifndef COORDINATOR_CLIENTS_LIST_REQUESTS_H
#define COORDINATOR_CLIENTS_LIST_REQUESTS_H

#include "coordinator/clients/client_requests.h"

/* -1: the store has no such job, or failed. */
int clients_find_job(struct client_requests *clients, uint64_t job_id, struct err *err);
/* How far a job is that is over. */
int clients_stored_progress(struct client_requests *clients,
                            const struct peer *peer,
                            uint64_t job_id,
                            struct err *err);

/* The answers in rows, each with its end. */
int clients_list_jobs(struct client_requests *clients,
                      const struct incoming *in,
                      struct err *err);
int clients_list_tasks(struct client_requests *clients,
                       const struct incoming *in,
                       struct err *err);
int clients_list_results(struct client_requests *clients,
                         const struct incoming *in,
                         struct err *err);
int clients_list_events(struct client_requests *clients,
                        const struct incoming *in,
                        struct err *err);
int clients_list_workers(struct client_requests *clients,
                         const struct incoming *in,
                         struct err *err);
int clients_list_allocs(struct client_requests *clients,
                        const struct incoming *in,
                        struct err *err);

#endif
