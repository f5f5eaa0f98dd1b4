#include "lib/query/suspect_rows.h"

#include <math.h>

#include "lib/store/store_confirmation.h"

struct rows {
    row_fn *fn;
    void *arg;
};

static double percent(double shift)
{
    return 100 * expm1(shift);
}

static int suspect_row(const struct store_suspect *suspect, void *arg, struct err *err)
{
    const struct rows *rows = arg;
    const struct msg_suspect_row row = {
        .number = suspect->number,
        .cause = suspect->cause,
        .also = suspect->also,
        .reason = suspect->reason,
        .point = suspect->point,
        .kernel = suspect->kernel,
        .metric = suspect->metric,
        .rank = suspect->rank,
        .card = suspect->card,
        .place = suspect->places[0],
        .neighbour_place = suspect->places[1],
        .other_place = suspect->places[2],
        .code = suspect->code[0],
        .code_percent = percent(suspect->code_shift[0]),
        .neighbour_code = suspect->code[1],
        .neighbour_code_percent = percent(suspect->code_shift[1]),
        .other_code = suspect->code[2],
        .other_code_percent = percent(suspect->code_shift[2]),
        .drift = suspect->drift[0],
        .drift_percent = percent(suspect->drift_shift[0]),
        .neighbour_drift = suspect->drift[1],
        .neighbour_drift_percent = percent(suspect->drift_shift[1]),
        .other_drift = suspect->drift[2],
        .other_drift_percent = percent(suspect->drift_shift[2]),
        .slow_card = suspect->slow_card,
        .slow_peer = suspect->slow_peer,
    };

    (void)err;
    rows->fn(MSG_SUSPECT_ROW, &row, rows->arg);
    return 0;
}

int suspect_rows(struct store *store,
                 uint64_t job_id,
                 row_fn *fn,
                 void *arg,
                 struct err *err)
{
    struct rows rows = {fn, arg};

    return store_each_suspect(store, job_id, suspect_row, &rows, err);
}
