#include "lib/compare/figure.h"

#include <inttypes.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/compare/point_key.h"

struct figure_identity figure_identity_of(const struct comparison_figure *figure)
{
    struct figure_identity identity;
    bool pinned;

    identity.point = point_key(figure->point, &pinned);
    if (!pinned)
        identity.card = xstrdup("");
    else if (figure->serial[0])
        identity.card = xstrdup(figure->serial);
    else
        identity.card = xasprintf("%s:%" PRId64, figure->host, figure->card);
    identity.key =
        xasprintf("%s\n%s\n%" PRIu64 "\n%s\n%s", identity.point, figure->kernel,
                  figure->rank, identity.card, figure->metric);
    return identity;
}

void figure_identity_clear(struct figure_identity *identity)
{
    free(identity->point);
    free(identity->card);
    free(identity->key);
}
