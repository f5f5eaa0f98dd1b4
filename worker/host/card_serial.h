/* card_serial.h - asks the driver for the serial number of a card */
#ifndef WORKER_HOST_CARD_SERIAL_H
#define WORKER_HOST_CARD_SERIAL_H

#include <stdbool.h>
#include <stdint.h>

enum { CARD_SERIAL_BYTES = 64 };

/* Asks libdcmi.so as card_model_find() does. The driver has one serial number for each
 * board; when a board has several chips, the number of the chip follows: SERIAL/1.
 * Returns false, with an empty text, when the driver does not have one. */
bool card_serial_find(char serial[CARD_SERIAL_BYTES],
                      const char *folder,
                      uint32_t card);

#endif
