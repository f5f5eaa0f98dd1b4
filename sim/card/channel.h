/* channel.h - the profiling channels of all cards and the poll queue of the process
 *
 * A stopped channel can be read until it is empty; then a read returns
 * PROF_STOPPED_ALREADY. Records that do not fit the buffer are dropped, and prof_stop
 * then returns PROF_DATA_LOST. */
#ifndef SIM_CARD_CHANNEL_H
#define SIM_CARD_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CHANNELS 160

/* Copies the configuration that the channel was started with, padded with zeros.
 * *session is the number of starts of the channel. Returns false when it is closed. */
bool channel_config(uint32_t card,
                    uint32_t id,
                    void *config,
                    size_t size,
                    uint64_t *session);
void channel_write(uint32_t card, uint32_t id, const void *record, size_t size);
/* Makes prof_stop return PROF_DATA_LOST. */
void channel_note_loss(uint32_t card, uint32_t id);

#endif
