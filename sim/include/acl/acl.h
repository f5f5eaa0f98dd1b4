/* acl.h - what a program that drives one card includes */
#ifndef ACL_ACL_H
#define ACL_ACL_H

#include "acl_rt.h"

#endif
