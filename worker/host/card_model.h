/* card_model.h - asks the driver for the model of a card, such as Ascend910B1 */
#ifndef WORKER_HOST_CARD_MODEL_H
#define WORKER_HOST_CARD_MODEL_H

#include <stdint.h>

#include "lib/base/err.h"

enum { CARD_MODEL_BYTES = 64 };

/* Asks the libraries in `folder`, or with NULL those in the usual folders of the
 * driver: first libascend_hal.so, then libdcmi.so. `card` is the driver's number. Fails
 * with ERR_NOT_FOUND when no library answers. */
int card_model_find(char model[CARD_MODEL_BYTES],
                    const char *folder,
                    uint32_t card,
                    struct err *err);

#endif
