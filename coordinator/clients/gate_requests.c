#include "coordinator/clients/gate_requests.h"

#include <inttypes.h>

#include "coordinator/baselines/baselines.h"
#include "coordinator/baselines/gate_findings.h"
#include "coordinator/clients/client_reply.h"
#include "coordinator/ledger/ledger.h"
#include "coordinator/net/listener.h"
#include "lib/base/log.h"
#include "lib/store/store.h"

static int send_job_file(const struct store_job *job, void *arg, struct err *err)
{
    (void)err;
    client_reply_send(arg, MSG_JOB_FILE,
                      &(struct msg_job_file){.job_id = job->job_id, .yaml = job->yaml});
    return 0;
}

int gate_requests_job_file(struct store *store,
                           const struct incoming *in,
                           struct client_reply *reply,
                           struct err *err)
{
    if (store_job_read(store, in->message.read_job_file.job_id, send_job_file, reply,
                       err) < 0)
        return client_reply_refuse_or_fail(reply, err);
    return 0;
}

/* A frozen baseline stays as it is. */
static int add_night(struct ledger *ledger,
                     struct store *store,
                     const struct msg_gate_verdict *verdict,
                     struct err *err)
{
    if (baselines_add_night(ledger, store, verdict, err) == 0)
        return gate_findings_apply(ledger, store, verdict, err);
    return err->code == ERR_CONFLICT ? 0 : -1;
}

int gate_requests_verdict(struct ledger *ledger,
                          struct store *store,
                          const struct incoming *in,
                          struct client_reply *reply,
                          struct err *err)
{
    const struct msg_gate_verdict *verdict = &in->message.gate_verdict;

    if (ledger_gate_verdict(ledger, verdict, err) < 0)
        return -1;
    if (*verdict->baseline && add_night(ledger, store, verdict, err) < 0)
        return client_reply_refuse_or_fail(reply, err);
    log_info("gate decided: job_id=%" PRIu64 " code=%" PRIu64 " against=%s",
             verdict->job_id, verdict->code, verdict->against);
    client_reply_ok(reply, "stored");
    return 0;
}
