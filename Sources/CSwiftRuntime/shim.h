#ifndef OPENCOREDATA_CSWIFTRUNTIME_SHIM_H
#define OPENCOREDATA_CSWIFTRUNTIME_SHIM_H

/* Retains a Swift object unless its last reference is already gone: the entry point of the Swift runtime that weak
   references are made of. Part of the runtime's stable interface; Swift code cannot name it. */
void *opencoredata_try_retain(void *object) __asm__("swift_tryRetain");

#endif
