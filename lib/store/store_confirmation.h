/* store_confirmation.h - confirmations in the store, and the suspects of each
 *
 * A confirmation is a job that runs the programs of two other jobs in turn. The rules
 * of store.h apply. */
#ifndef LIB_STORE_STORE_CONFIRMATION_H
#define LIB_STORE_STORE_CONFIRMATION_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"

struct store;

struct store_confirmation {
    uint64_t job_id;          /* of the confirmation itself */
    uint64_t confirms_job_id; /* the job with the suspects: program B */
    uint64_t base_job_id;     /* program A */
    double tolerance;         /* share */
    uint64_t until_wall_ms;   /* suspects without a cause are undecided then */
    bool judged;
};

typedef int store_confirmation_fn(const struct store_confirmation *confirmation,
                                  void *arg,
                                  struct err *err);

int store_confirmation_add(struct store *store,
                           const struct store_confirmation *confirmation,
                           struct err *err);
int store_confirmation_set_judged(struct store *store,
                                  uint64_t job_id,
                                  struct err *err);
/* Calls fn for each confirmation that is not judged, or for that of this job. */
int store_each_confirmation(struct store *store,
                            uint64_t job_id,
                            store_confirmation_fn *fn,
                            void *arg,
                            struct err *err);

enum { STORE_SUSPECT_CARDS = 3 }; /* the suspect, its neighbour, one of another host */

struct store_suspect {
    uint64_t job_id; /* of the confirmation */
    uint32_t number; /* from 1 */
    const char *point, *kernel, *metric;
    uint32_t rank;
    const char *card; /* serial, or HOST:CARD */
    /* HOST:CARD of each rank with a blank between two; "": the fleet has none */
    const char *places[STORE_SUSPECT_CARDS];
    double night_h, night_w; /* noise between nights, natural logarithms */
    uint64_t nights;         /* that show it; 0: unknown */
    bool same_program;       /* both jobs name the same program and arguments */
    /* result */
    const char *cause, *also, *reason;                                  /* "": none */
    const char *code[STORE_SUSPECT_CARDS], *drift[STORE_SUSPECT_CARDS]; /* answers */
    double code_shift[STORE_SUSPECT_CARDS]; /* natural logarithms; NaN: none */
    double drift_shift[STORE_SUSPECT_CARDS];
    /* serials or HOST:CARD that rotated placements found, or ""; a peer: of a link */
    const char *slow_card, *slow_peer;
};

typedef int
store_suspect_fn(const struct store_suspect *suspect, void *arg, struct err *err);

int store_suspect_put(struct store *store,
                      const struct store_suspect *suspect,
                      struct err *err);
/* Sorted by number. */
int store_each_suspect(struct store *store,
                       uint64_t job_id,
                       store_suspect_fn *fn,
                       void *arg,
                       struct err *err);

/* A figure of an accepted attempt, of one kernel and metric at one point. */
struct store_point_figure {
    uint32_t repeat, rank;
    const char *host, *serial;
    int32_t card;
    double value, tick_ns;
    const char *unit, *code_hash, *metric;
};

typedef int store_point_figure_fn(const struct store_point_figure *figure,
                                  void *arg,
                                  struct err *err);

/* Sorted by repeat, rank and launch. */
int store_each_point_figure(struct store *store,
                            uint64_t job_id,
                            uint64_t point,
                            const char *kernel,
                            const char *metric,
                            store_point_figure_fn *fn,
                            void *arg,
                            struct err *err);

/* The same with the computing times (compute_us) and transfers (transfer_us_rank_N) of
 * the ranks. */
int store_each_rank_figure(struct store *store,
                           uint64_t job_id,
                           uint64_t point,
                           const char *kernel,
                           store_point_figure_fn *fn,
                           void *arg,
                           struct err *err);

#endif
