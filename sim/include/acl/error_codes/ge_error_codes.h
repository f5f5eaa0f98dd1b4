/* ge_error_codes.h - what the graph engine would answer: models from files are not run
 * here, so nobody does */
#ifndef ACL_GE_ERROR_CODES_H
#define ACL_GE_ERROR_CODES_H

#define ACL_ERROR_GE_PARAM_INVALID           145000
#define ACL_ERROR_GE_EXEC_NOT_INIT           145001
#define ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID 145002
#define ACL_ERROR_GE_EXEC_MODEL_ID_INVALID   145003

#endif
