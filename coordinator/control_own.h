/* control_own.h - between control.c and arrivals.c */
#ifndef COORDINATOR_CONTROL_OWN_H
#define COORDINATOR_CONTROL_OWN_H

#include "coordinator/control.h"

void control_say(struct control *control,
                 const struct worker *worker,
                 enum message_type type,
                 const void *message);
void control_stop(struct control *control,
                  const struct worker *worker,
                  uint64_t run_id,
                  uint64_t rank,
                  const char *why);
int control_lose_part(struct control *control,
                      struct part *part,
                      const char *reason,
                      struct err *err);
void control_remove(struct control *control, struct worker *worker);

#endif
