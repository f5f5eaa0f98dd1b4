#include "cli/fetch/fetch_source.h"

#include <stdlib.h>

#include "cli/query/row_source.h"
#include "lib/base/mem.h"
#include "lib/query/file_rows.h"

/* From a coordinator; `self` is the client. */

static int list_from_client(void *self,
                            const struct msg_list_files *request,
                            client_row_fn *fn,
                            void *arg,
                            struct err *err)
{
    return client_each(self, MSG_LIST_FILES, request, MSG_FILE_ROW, fn, arg, err);
}

static int ask_client(void *self, const struct msg_read_file *request, struct err *err)
{
    return client_send(self, MSG_READ_FILE, request, err);
}

static int
answer_of_client(void *self, const struct msg_file_piece **piece, struct err *err)
{
    const union any_message *reply;

    if (client_receive(self, MSG_FILE_PIECE, &reply, err) < 0)
        return -1;
    *piece = &reply->file_piece;
    return 0;
}

/* From a store, which is read when the answer is taken. */

struct store_source {
    struct fetch_source source;
    struct store *store;
    const char *out;
    struct msg_read_file requests[FETCH_WINDOW]; /* a ring; each owns its path */
    size_t first, count;
    struct msg_file_piece piece;
    char bytes[MSG_FILES_PIECE];
};

struct row_receiver {
    client_row_fn *fn;
    void *arg;
};

static void pass_row(enum message_type type, const void *row, void *arg)
{
    const struct row_receiver *receiver = arg;

    (void)type;
    receiver->fn(row, receiver->arg);
}

static int list_from_store(void *self,
                           const struct msg_list_files *request,
                           client_row_fn *fn,
                           void *arg,
                           struct err *err)
{
    struct store_source *source = self;
    struct row_receiver receiver = {fn, arg};

    return file_rows(source->store, source->out, request, pass_row, &receiver, err);
}

static int ask_store(void *self, const struct msg_read_file *request, struct err *err)
{
    struct store_source *source = self;
    size_t at = (source->first + source->count) % FETCH_WINDOW;

    if (source->count == FETCH_WINDOW)
        return err_set(err, ERR_INTERNAL, "more requests than the window allows");
    source->requests[at] = *request;
    source->requests[at].path = xstrdup(request->path);
    source->count++;
    return 0;
}

static int
answer_of_store(void *self, const struct msg_file_piece **piece, struct err *err)
{
    struct store_source *source = self;
    struct msg_read_file *request = &source->requests[source->first];

    if (source->count == 0)
        return err_set(err, ERR_INTERNAL, "no request waits for an answer");
    int result = file_rows_piece(&source->piece, source->bytes, source->store,
                                 source->out, request, err);
    free((char *)request->path);
    source->first = (source->first + 1) % FETCH_WINDOW;
    source->count--;
    *piece = &source->piece;
    return result;
}

struct fetch_source *fetch_source_create(struct row_source *rows, const char *out)
{
    struct store_source *source = xcalloc(1, sizeof(*source));
    struct client *client = row_source_client(rows);

    source->store = row_source_store(rows);
    source->out = out;
    source->source = client ? (struct fetch_source){client, list_from_client,
                                                    ask_client, answer_of_client}
                            : (struct fetch_source){source, list_from_store, ask_store,
                                                    answer_of_store};
    return &source->source;
}

void fetch_source_destroy(struct fetch_source *source)
{
    struct store_source *store = (struct store_source *)source;

    if (!source)
        return;
    for (; store->count > 0; store->count--) {
        free((char *)store->requests[store->first].path);
        store->first = (store->first + 1) % FETCH_WINDOW;
    }
    free(store);
}
