/* job_fuzz.c - any bytes give either problems, or a job whose first and last points can
 * be built */
#include <stdlib.h>

#include "lib/job/job.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static struct problems problems;
    struct job *job;
    struct job_point point;

    if (job_parse(&job, (const char *)bytes, size, &problems) < 0) {
        if (problems.count == 0)
            abort();
        problems_clear(&problems);
        return 0;
    }
    struct job_points *points = job_points_create(job);
    if (!job_points_next(points, &point))
        abort();
    job_points_at(points, job_point_count(job) - 1, &point);
    if (job_points_next(points, &point))
        abort();
    job_points_destroy(points);
    job_destroy(job);
    return 0;
}
