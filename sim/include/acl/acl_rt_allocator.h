/* acl_rt_allocator.h - handles of allocators that a program brings along
 *
 * The runtime here allocates by itself: there is no call that takes them. */
#ifndef ACL_RT_ALLOCATOR_H
#define ACL_RT_ALLOCATOR_H

typedef void *aclrtAllocatorDesc;
typedef void *aclrtAllocator;
typedef void *aclrtAllocatorBlock;
typedef void *aclrtAllocatorAddr;

#endif
