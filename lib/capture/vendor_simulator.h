/* vendor_simulator.h - finds the vendor's instruction simulator on this host
 *
 * The simulator has a folder for each chip: FOLDER/<chip>/lib. FOLDER is the value of
 * MUSTER_SIMULATOR, or tools/simulator in the folder of the runtime. */
#ifndef LIB_CAPTURE_VENDOR_SIMULATOR_H
#define LIB_CAPTURE_VENDOR_SIMULATOR_H

#include <limits.h>

#include "lib/base/err.h"

#define VENDOR_SIMULATOR_VARIABLE "MUSTER_SIMULATOR"

struct vendor_simulator {
    char libraries[PATH_MAX]; /* folder that precedes the others of LD_LIBRARY_PATH */
    char runtime[PATH_MAX];   /* library to preload, in that folder */
};

/* `folder` is the value of the variable and `home` that of ASCEND_HOME_PATH; "" is not
 * set. Fails, with the name of the missing file, when the simulator of the chip is not
 * installed. */
int vendor_simulator_find(struct vendor_simulator *out,
                          const char *soc,
                          const char *folder,
                          const char *home,
                          struct err *err);

#endif
