#include "cli/capture/extract_cores.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/base/file.h"
#include "lib/capture/format/channels.h"
#include "lib/capture/format/format.h"
#include "lib/capture/format/records.h"

int extract_core_bytes(const char *folder,
                       const struct record_channel_bytes *head,
                       const uint8_t *bytes,
                       struct err *err)
{
    enum { ROOM = 2 << 20, HEAD = 8, CHANNELS = 18 };
    uint32_t channel = head->channel - CHANNEL_CORE_FIRST;
    char path[PATH_MAX];
    int fd, result = 0;

    snprintf(path, sizeof(path), "%s/%s.bin.0", folder,
             head->pass == CORE_PASS_SAMPLES ? "pcSampling" : "timeline");
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, FILE_MODE);
    if (fd < 0)
        return err_errno(err, "opening %s", path);
    for (uint64_t at = head->offset, end = at + head->bytes; at < end && result == 0;) {
        uint64_t group = at / ROOM * CHANNELS, in_unit = at % ROOM;
        uint64_t count = end - at < ROOM - in_unit ? end - at : ROOM - in_unit;
        uint64_t unit = (group + channel) * (ROOM + HEAD);
        uint8_t unit_head[HEAD] = {[0] = (uint8_t)(channel / 3), [2] = channel % 3};
        off_t least = (off_t)((group + CHANNELS) * (ROOM + HEAD));

        store_u32(unit_head + 4, (uint32_t)(in_unit + count));
        if ((lseek(fd, 0, SEEK_END) < least && ftruncate(fd, least) < 0) ||
            pwrite(fd, unit_head, HEAD, (off_t)unit) != HEAD ||
            pwrite(fd, bytes, count, (off_t)(unit + HEAD + in_unit)) != (ssize_t)count)
            result = err_errno(err, "writing %s", path);
        bytes += count;
        at += count;
    }
    close(fd);
    return result;
}
