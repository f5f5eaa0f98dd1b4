#include "cli/fleet/stored_verdict.h"

#include <stdio.h>

#include "cli/fleet/writing_coordinator.h"

int stored_verdict_send(const struct msg_gate_verdict *verdict,
                        const char *out_folder,
                        struct err *err)
{
    struct client_options where = {0};
    struct writing_coordinator coordinator;
    const union any_message *reply;

    if (writing_coordinator_open(&coordinator, &where, out_folder, err) < 0) {
        fprintf(stderr, "muster: the verdict is not among the events: %s\n", err->text);
        return 0;
    }
    int result = client_request(coordinator.client, MSG_GATE_VERDICT, verdict, MSG_OK,
                                &reply, err);
    writing_coordinator_close(&coordinator);
    return result;
}
