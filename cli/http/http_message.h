/* http_message.h - a request that the server has checked, and the response to it
 *
 * The server fills a request and passes it to the handler of its route. The handler
 * fills the response: either a body in memory, a file, pieces, or a stream of events.
 * Without any of them the body is empty. */
#ifndef CLI_HTTP_MESSAGE_H
#define CLI_HTTP_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/base/err.h"
#include "lib/base/text.h"

enum { HTTP_PARTS_MAX = 6, HTTP_ARGUMENTS_MAX = 16, HTTP_PART_MAX = 128 };

struct http_request {
    const char *path;
    const void *data;  /* of the route */
    const char *tags;  /* of the answers that the client has; NULL: none */
    size_t part_count; /* of the path: the texts that match {NAME} of the route */
    char parts[HTTP_PARTS_MAX][HTTP_PART_MAX];
    size_t argument_count; /* NAME=VALUE after the question mark */
    struct {
        char name[32], value[224];
    } arguments[HTTP_ARGUMENTS_MAX];
};

/* A body that is read while it is sent. */
struct http_pieces {
    /* Returns the number of bytes at this place, or -1, which ends the connection. */
    ssize_t (*read)(void *arg, void *bytes, size_t size, uint64_t at);
    void (*close)(void *arg);
};

struct http_response {
    int status;         /* 200 unless the handler sets another one */
    const char *type;   /* content type; borrowed */
    const char *policy; /* Content-Security-Policy; NULL: the strictest; borrowed */
    struct text body;
    int fd; /* a file instead of the body, which the server closes; or -1 */
    const struct http_pieces *pieces; /* instead of both, `size` bytes; or NULL */
    void *pieces_arg;
    uint64_t size;   /* of the file, or of the pieces */
    char *file_name; /* a browser stores the body under this name; or NULL */
    char *location;  /* of a redirection; or NULL */
    char *cookie;    /* value of Set-Cookie; or NULL */
    char *tag;       /* ETag of the body; NULL: it is computed */
    char *next;      /* address of the next page of rows; or NULL */
    uint64_t rows;   /* of all pages; valid when `has_rows` */
    bool has_rows;
    bool is_stream; /* the connection gets the texts of http_server_publish() */
    bool is_static; /* the body changes only with the version of the program */
    bool close;     /* the connection ends after the response */
};

void http_response_init(struct http_response *response);
void http_response_clear(struct http_response *response);
/* Returns the number of bytes of the body. */
uint64_t http_response_size(const struct http_response *response);

/* Replaces the response by an error as JSON: status, and the text for people. */
void http_response_error(struct http_response *response, int status, const char *text);
/* The same with the status that belongs to the code of the error. */
void http_response_failure(struct http_response *response, const struct err *err);
/* Returns a tag that changes with the body. The caller frees it. */
char *http_body_tag(const struct text *body);
/* Returns the words of a status, such as "Not Found". */
const char *http_status_words(int status);

/* Returns the value of an argument, or NULL. */
const char *http_argument(const struct http_request *request, const char *name);
/* Appends a text in the form that an address needs. */
void http_escape(struct text *out, const char *value);
/* Reads an argument as a number; *value is unchanged when the request has none. */
int http_argument_u64(const struct http_request *request,
                      const char *name,
                      uint64_t *value,
                      struct err *err);
/* Reads a part of the path as a number. */
int http_part_u64(const struct http_request *request,
                  size_t index,
                  uint64_t *value,
                  struct err *err);
/* Fails for an argument that is not in the list, which ends with NULL. */
int http_arguments_check(const struct http_request *request,
                         const char *const *known,
                         struct err *err);

#endif
