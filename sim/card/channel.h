/* channel.h - the profiling channels of all cards, and the one poll queue of the
 * process
 *
 * A stopped channel can still be read until it is empty; then it answers that it is
 * stopped. What does not fit the buffer is dropped and told by prof_stop. */
#ifndef SIM_CARD_CHANNEL_H
#define SIM_CARD_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CHANNELS 160

/* Copies the configuration that the channel was started with, zeros behind it. False
 * when the channel is not open. The session counts the starts of the channel. */
bool channel_config(uint32_t card,
                    uint32_t id,
                    void *config,
                    size_t size,
                    uint64_t *session);
void channel_write(uint32_t card, uint32_t id, const void *record, size_t size);
void channel_note_loss(uint32_t card, uint32_t id);

#endif
