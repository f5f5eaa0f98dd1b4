/* user_name.h - login name of this process */
#ifndef CLI_APP_USER_NAME_H
#define CLI_APP_USER_NAME_H

/* Valid until the next call. */
const char *user_name_get(void);

#endif
