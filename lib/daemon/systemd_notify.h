/* systemd_notify.h - how a service tells systemd how it is, where there is one to tell
 *
 * The protocol of sd_notify(3): a datagram to the socket that NOTIFY_SOCKET names. With
 * no such variable nothing is said, and nothing fails. */
#ifndef LIB_DAEMON_SYSTEMD_NOTIFY_H
#define LIB_DAEMON_SYSTEMD_NOTIFY_H

#include <stdint.h>

struct reactor;

/* "READY=1", "STOPPING=1", "RELOADING=1", "STATUS=words"; several, a line each. */
void systemd_notify(const char *state);
/* Where systemd watches this process: says that it lives, twice in each of its times.
 */
void systemd_notify_watchdog(struct reactor *reactor);

#endif
