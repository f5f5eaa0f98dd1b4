/* ge_error_codes.h - results of the graph engine; the simulator runs no models from
 * files, so no function returns them */
#ifndef ACL_GE_ERROR_CODES_H
#define ACL_GE_ERROR_CODES_H

#define ACL_ERROR_GE_PARAM_INVALID           145000
#define ACL_ERROR_GE_EXEC_NOT_INIT           145001
#define ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID 145002
#define ACL_ERROR_GE_EXEC_MODEL_ID_INVALID   145003

#endif
