/* toy_acl.c - a runtime whose functions cost nothing, to be measured through the guest
 */
int aclrtFree(void *address);

__attribute__((noinline)) int aclrtFree(void *address)
{
    __asm__ volatile("" : : "r"(address));
    return 0;
}
