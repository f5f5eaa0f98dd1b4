/* power_loss.h - a disk whose power fails at a chosen write
 *
 * A layer over SQLite's own way to files. It counts what changes a file (writes, syncs,
 * truncations), remembers what was written since each file was last synced, and at the
 * chosen one does what `way` says. Syncs are not passed on: only we decide here what is
 * on disk, and the tests are quick. One thread. */
#ifndef TESTS_FAULT_POWER_H
#define TESTS_FAULT_POWER_H

enum power_way {
    POWER_KILLED,    /* the process ends; all it wrote is there */
    POWER_LOST,      /* nothing is there that was not synced */
    POWER_TORN,      /* of that, some sectors are there and some are not */
    POWER_DISK_FULL, /* this write and all later ones fail, and nobody ends */
    POWER_DISK_DEAD, /* so does all else that changes a file */
};

enum { POWER_EXIT = 86 };

/* Becomes what SQLite opens files with; once a process. */
void power_init(void);
/* At the n-th change from now on; 0: never. */
void power_fail_at(unsigned long n, enum power_way way, unsigned seed);
/* Changes so far. */
unsigned long power_count(void);

#endif
