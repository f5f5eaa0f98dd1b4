/* gate_sentence.h - the one sentence of a night: the first line of a gate */
#ifndef LIB_GATE_GATE_SENTENCE_H
#define LIB_GATE_GATE_SENTENCE_H

#include "lib/gate/gate_reasons.h"

/* Returns the sentence, such as "nothing regressed". It contains the reason of an exit
 * code that is not 0, and of regressions that do not count. The caller frees it. */
char *gate_sentence(const struct gate *gate,
                    const struct gate_reasons *reasons,
                    const struct gate_result *result);

#endif
