/* analysis_internal.h - the parts of an analysis, in the order in which they run */
#ifndef PARSERS_ANOMALY_ANALYSIS_INTERNAL_H
#define PARSERS_ANOMALY_ANALYSIS_INTERNAL_H

#include "parsers/anomaly/analysis.h"

/* Finds the gaps of all steps, with their evidence and labels. */
void analysis_find_gaps(struct analysis *analysis);
/* Measures and tags each step. */
void analysis_measure_steps(struct analysis *analysis);
void analysis_group_steps(struct analysis *analysis);
/* Judges the groups; needs their statistics. */
void analysis_decide(struct analysis *analysis);
void analysis_find_causes(struct analysis *analysis);
void analysis_recommend(struct analysis *analysis);

/* Idle pattern of the averages, in ms; adjacent is the average of tail and following
 * prelaunch gap of adjacent steps, or a negative number without such steps. */
enum idle_pattern analysis_idle_pattern(double service,
                                        double prelaunch,
                                        double tail,
                                        double internal,
                                        double adjacent);

#endif
