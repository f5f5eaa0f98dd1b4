/* clients_own.h - between clients.c and clients_lists.c */
#ifndef COORDINATOR_CLIENTS_OWN_H
#define COORDINATOR_CLIENTS_OWN_H

#include "coordinator/clients.h"

void clients_say(struct clients *clients,
                 const struct peer *peer,
                 enum message_type type,
                 const void *message);
/* 0 when the client was refused, for what is not the store's failure. */
int clients_refuse(struct clients *clients,
                   const struct peer *peer,
                   const struct err *err);

/* -1: the store has no such job, or failed. */
int clients_find_job(struct clients *clients, uint64_t job_id, struct err *err);
/* How far a job is that is over. */
int clients_stored_progress(struct clients *clients,
                            const struct peer *peer,
                            uint64_t job_id,
                            struct err *err);

/* The answers in rows, each with its end. */
int clients_list_jobs(struct clients *clients,
                      const struct incoming *in,
                      struct err *err);
int clients_list_tasks(struct clients *clients,
                       const struct incoming *in,
                       struct err *err);
int clients_list_results(struct clients *clients,
                         const struct incoming *in,
                         struct err *err);
int clients_list_events(struct clients *clients,
                        const struct incoming *in,
                        struct err *err);
int clients_list_workers(struct clients *clients,
                         const struct incoming *in,
                         struct err *err);
int clients_list_allocs(struct clients *clients,
                        const struct incoming *in,
                        struct err *err);

#endif
