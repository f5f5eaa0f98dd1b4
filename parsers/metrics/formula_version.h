/* formula_version.h - version of the formulas of all figures */
#ifndef PARSERS_METRICS_FORMULA_VERSION_H
#define PARSERS_METRICS_FORMULA_VERSION_H

/* Increased when unchanged raw data give another value of an existing figure. */
enum { FORMULA_VERSION = 1 };

#endif
