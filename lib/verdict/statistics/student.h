/* student.h - quantiles of Student's t distribution */
#ifndef LIB_VERDICT_STATISTICS_STUDENT_H
#define LIB_VERDICT_STATISTICS_STUDENT_H

/* Returns t with P(T <= t) = p for T of `freedom` degrees of freedom. p must be in
 * 0.5..1 (without 1) and freedom at least 1; NaN otherwise. */
double student_quantile(double p, double freedom);

#endif
