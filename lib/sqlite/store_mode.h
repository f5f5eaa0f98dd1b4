/* store_mode.h - how a program opens a database of the store */
#ifndef LIB_SQLITE_STORE_MODE_H
#define LIB_SQLITE_STORE_MODE_H

enum store_mode {
    STORE_READ,  /* any number of processes */
    STORE_WRITE, /* one process; a lock file names it */
};

#endif
