/* systemd_notify.h - state and watchdog messages to systemd
 *
 * The protocol of sd_notify(3): a datagram to the socket that NOTIFY_SOCKET names.
 * Without this variable the functions do nothing. No failure is reported, because a
 * service works without systemd. */
#ifndef LIB_DAEMON_SYSTEMD_NOTIFY_H
#define LIB_DAEMON_SYSTEMD_NOTIFY_H

#include <stdint.h>

struct reactor;

/* Sends "READY=1", "STOPPING=1", "RELOADING=1" or "STATUS=text"; several lines may be
 * sent together. */
void systemd_notify(const char *state);
/* Sends "WATCHDOG=1" from the loop, twice per WATCHDOG_USEC, if systemd watches this
 * process. */
void systemd_notify_watchdog(struct reactor *reactor);

#endif
