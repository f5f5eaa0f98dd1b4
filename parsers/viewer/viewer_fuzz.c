/* viewer_fuzz.c - opens an arbitrary file in the viewer and sends arbitrary messages
 *
 * The input is a list of messages, divided by line breaks, and the file behind the
 * first line that begins with !. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "parsers/viewer/viewer.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void ignore(void *ctx, const char *text, size_t size, bool is_last)
{
    static bool is_continued; /* the part before was not the last one */

    (void)ctx;
    if (!size || (!is_continued && text[0] != '{') ||
        (is_last && text[size - 1] != '}'))
        abort();
    is_continued = !is_last;
}

static void answer(struct viewer_session *session, const char *text, size_t size)
{
    viewer_answer(session, text, size, ignore, NULL);
    while (viewer_continue(session, ignore, NULL))
        continue;
}

/* Opens these bytes as a file. */
static void open_file(struct viewer_session *session,
                      const char *path,
                      const uint8_t *bytes,
                      size_t size)
{
    static const char import[] =
        "{\"id\":0,\"type\":\"request\",\"moduleName\":\"timeline\",\"command\":"
        "\"import/action\",\"params\":{\"projectName\":\"/a.bin\",\"path\":[\"/"
        "a.bin\"],"
        "\"projectAction\":1}}";
    struct err err;

    if (file_write(path, bytes, size, &err) == 0)
        answer(session, import, strlen(import));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char path[] = "/tmp/muster-viewer-fuzz-XXXXXX";
    const struct viewer_file file = {"/a.bin", path};
    struct viewer *viewer = viewer_create();
    struct viewer_session *session;
    const uint8_t *bin;
    struct err err;
    int fd = mkstemp(path);

    if (fd < 0 || viewer_set_files(viewer, &file, 1, &err) < 0)
        abort();
    close(fd);
    session = viewer_session_create(viewer);
    bin = size ? memmem(bytes, size, "\n!", 2) : NULL;
    if (bin) {
        open_file(session, path, bin + 2, size - (size_t)(bin + 2 - bytes));
        size = (size_t)(bin - bytes);
    }
    while (size) {
        const uint8_t *end = memchr(bytes, '\n', size);
        size_t length = end ? (size_t)(end - bytes) : size;

        answer(session, (const char *)bytes, length);
        bytes += length + (end != NULL);
        size -= length + (end != NULL);
    }
    viewer_session_destroy(session);
    viewer_destroy(viewer);
    unlink(path);
    return 0;
}
