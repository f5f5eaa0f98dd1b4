/* link_options.h - the endpoint of a link and how to open its socket */
#ifndef LIB_WIRE_LINK_OPTIONS_H
#define LIB_WIRE_LINK_OPTIONS_H

#include <stdbool.h>

struct keys;

/* The kind decides how many messages may wait in the socket. */
enum link_kind {
    LINK_CONTROL, /* many small messages */
    LINK_DATA,    /* capture groups of up to 1 MiB */
};

struct link_options {
    const char *endpoint; /* ipc:///absolute/path or tcp://HOST:PORT */
    enum link_kind kind;
    /* NULL: no CURVE. A server borrows the keys until it is closed. */
    const struct keys *keys;
    bool insecure; /* the user permits plain TCP to other hosts */
};

#endif
