/* viewer_fuzz.c - feeds arbitrary messages to a session, and arbitrary files to the
 * viewer
 *
 * The input is a list of messages, divided by line breaks. A message that begins with !
 * replaces the opened file by the bytes that follow. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "parsers/viewer/viewer.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void ignore(void *ctx, const char *text, size_t size)
{
    (void)ctx;
    if (!size || text[0] != '{' || text[size - 1] != '}')
        abort();
}

static void answer(struct viewer_session *session, const char *text, size_t size)
{
    viewer_answer(session, text, size, ignore, NULL);
    while (viewer_continue(session, ignore, NULL))
        continue;
}

/* Opens the rest of the input as a file. */
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
    struct err err;
    int fd = mkstemp(path);

    if (fd < 0 || viewer_set_files(viewer, &file, 1, &err) < 0)
        abort();
    close(fd);
    session = viewer_session_create(viewer);
    while (size) {
        const uint8_t *end = memchr(bytes, '\n', size);
        size_t length = end ? (size_t)(end - bytes) : size;

        if (*bytes == '!') {
            open_file(session, path, bytes + 1, size - 1);
            break;
        }
        answer(session, (const char *)bytes, length);
        bytes += length;
        size -= length;
        if (size) { /* the line break */
            bytes++;
            size--;
        }
    }
    viewer_session_destroy(session);
    viewer_destroy(viewer);
    unlink(path);
    return 0;
}
