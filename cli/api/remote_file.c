#include "cli/api/remote_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/api/api_source.h"
#include "lib/base/mem.h"
#include "lib/capture/format/crc.h"

struct remote_file {
    struct api_source *source;
    uint64_t job_id, size, changed_ns;
    char *path;
    uint64_t at; /* place of the piece in `bytes` */
    size_t length;
    char bytes[MSG_FILES_PIECE];
};

static int check_piece(const struct remote_file *file,
                       const struct msg_file_piece *piece,
                       struct err *err)
{
    if (piece->missing)
        return err_set(err, ERR_NOT_FOUND, "the coordinator does not have %s any more",
                       file->path);
    if (piece->data.size > MSG_FILES_PIECE || piece->data.size != piece->size ||
        crc32c(0, piece->data.data, piece->data.size) != piece->crc)
        return err_set(err, ERR_SYSTEM, "a piece of %s is damaged", file->path);
    return 0;
}

static int ask(struct remote_file *file,
               const struct msg_read_file *request,
               const struct msg_file_piece **piece,
               struct err *err)
{
    struct row_source *rows = api_source_get(file->source, err);
    const union any_message *reply;

    if (!rows)
        return -1;
    if (client_request(row_source_client(rows), MSG_READ_FILE, request, MSG_FILE_PIECE,
                       &reply, err) < 0) {
        api_source_failed(file->source, err);
        return -1;
    }
    *piece = &reply->file_piece;
    return check_piece(file, *piece, err);
}

static int read_piece(struct remote_file *file, uint64_t at, struct err *err)
{
    const struct msg_read_file request = {
        .job_id = file->job_id, .path = file->path, .from = at};
    const struct msg_file_piece *piece;

    if (ask(file, &request, &piece, err) < 0)
        return -1;
    if (file->changed_ns &&
        (piece->file_size != file->size || piece->changed_wall_ns != file->changed_ns))
        return err_set(err, ERR_CONFLICT, "%s changed while it was read; try again",
                       file->path);
    file->size = piece->file_size;
    file->changed_ns = piece->changed_wall_ns;
    file->at = at;
    file->length = piece->data.size;
    memcpy(file->bytes, piece->data.data, piece->data.size);
    return 0;
}

int remote_file_open(struct remote_file **out,
                     struct api_source *source,
                     uint64_t job_id,
                     const char *path,
                     struct err *err)
{
    struct remote_file *file = xcalloc(1, sizeof(*file));

    file->source = source;
    file->job_id = job_id;
    file->path = xstrdup(path);
    if (read_piece(file, 0, err) < 0) {
        remote_file_close(file);
        return -1;
    }
    *out = file;
    return 0;
}

void remote_file_close(struct remote_file *file)
{
    if (!file)
        return;
    free(file->path);
    free(file);
}

uint64_t remote_file_size(const struct remote_file *file)
{
    return file->size;
}

uint64_t remote_file_changed_ns(const struct remote_file *file)
{
    return file->changed_ns;
}

ssize_t remote_file_read(struct remote_file *file,
                         void *bytes,
                         size_t size,
                         uint64_t at,
                         struct err *err)
{
    if (at >= file->size)
        return 0;
    if ((at < file->at || at - file->at >= file->length) &&
        read_piece(file, at, err) < 0)
        return -1;
    size_t left = file->length - (size_t)(at - file->at);
    size_t count = size < left ? size : left;
    memcpy(bytes, file->bytes + (at - file->at), count);
    return (ssize_t)count;
}
