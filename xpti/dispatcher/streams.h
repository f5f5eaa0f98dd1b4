/* streams.h - numbers of streams, 1 to 255 in the order of registration */
#ifndef XPTI_DISPATCHER_STREAMS_H
#define XPTI_DISPATCHER_STREAMS_H

void streams_reset(void);

#endif
