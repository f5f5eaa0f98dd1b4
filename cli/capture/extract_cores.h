/* extract_cores.h - timeline.bin and pcSampling.bin of the vendor's tool
 *
 * The files have units of 2 MiB with a header. Unit k of a channel has its bytes from k
 * x 2 MiB on. All channels have units, so that the offset of each is known. Unwritten
 * space takes no room on disk. */
#ifndef CLI_CAPTURE_EXTRACT_CORES_H
#define CLI_CAPTURE_EXTRACT_CORES_H

#include <stdint.h>

struct err;
struct record_channel_bytes;

/* Writes bytes of a core's channel to the file of their launch in `folder`. */
int extract_core_bytes(const char *folder,
                       const struct record_channel_bytes *head,
                       const uint8_t *bytes,
                       struct err *err);

#endif
