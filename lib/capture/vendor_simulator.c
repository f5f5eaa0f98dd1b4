#include "lib/capture/vendor_simulator.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/text.h"
#include "lib/capture/counter_schedule.h"

#define RUNTIME "libruntime_camodel.so"

int vendor_simulator_find(struct vendor_simulator *out,
                          const char *soc,
                          const char *folder,
                          const char *home,
                          struct err *err)
{
    const char *below = *folder ? "" : "/tools/simulator";

    if (chip_of_soc(soc) == CHIP_UNKNOWN || !text_is_path_part(soc))
        return err_set(err, ERR_INPUT,
                       "the vendor's simulator has no chip '%.40s'; name "
                       "the model of the card",
                       soc);
    if (!*folder && !*home)
        return err_set(err, ERR_NOT_FOUND,
                       "the vendor's simulator is not installed: "
                       "neither " VENDOR_SIMULATOR_VARIABLE
                       " nor ASCEND_HOME_PATH is set");
    folder = *folder ? folder : home;
    if (snprintf(out->libraries, sizeof(out->libraries), "%s%s/%s/lib", folder, below,
                 soc) >= (int)sizeof(out->libraries) ||
        snprintf(out->runtime, sizeof(out->runtime), "%s/" RUNTIME, out->libraries) >=
            (int)sizeof(out->runtime))
        return err_set(err, ERR_LIMIT, "the path of the simulator is too long");
    if (access(out->runtime, R_OK) < 0)
        return err_errno(err,
                         "the vendor's simulator for %.32s is not installed; "
                         "set " VENDOR_SIMULATOR_VARIABLE " to its folder: %.110s",
                         soc, out->runtime);
    return 0;
}
