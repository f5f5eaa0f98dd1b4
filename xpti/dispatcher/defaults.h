/* defaults.h - default stream and types, unique numbers, types that tools define */
#ifndef XPTI_DISPATCHER_DEFAULTS_H
#define XPTI_DISPATCHER_DEFAULTS_H

void defaults_reset(void);

#endif
