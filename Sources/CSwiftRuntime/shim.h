#ifndef OPENCOREDATA_CSWIFTRUNTIME_SHIM_H
#define OPENCOREDATA_CSWIFTRUNTIME_SHIM_H

/* Retains a Swift object unless its last reference is already gone: the entry point of the Swift runtime that weak
   references are made of. Part of the runtime's stable interface; Swift code cannot name it. */
void *opencoredata_try_retain(void *object) __asm__("swift_tryRetain");

/* Keep and give back the memory of a Swift object: the entry points that unowned references are made of. */
void opencoredata_unowned_retain(void *object) __asm__("swift_unownedRetain");
void opencoredata_unowned_release(void *object) __asm__("swift_unownedRelease");

/* Asks the processor to load a line of memory that is used soon. A hint: it reads nothing, so any address will do. */
static inline void opencoredata_prefetch(const void *_Nullable address) { __builtin_prefetch(address); }

#ifdef __ELF__
/* The ends of the section in which modules leave their names. The linker defines them where a module has done so;
   otherwise they are null, which only a weak symbol may be. */
extern const char opencoredata_modules_first[] __asm__("__start_opencoredata_modules")
    __attribute__((weak, visibility("hidden")));
extern const char opencoredata_modules_last[] __asm__("__stop_opencoredata_modules")
    __attribute__((weak, visibility("hidden")));

static inline const char *_Nullable opencoredata_modules_start(void) { return opencoredata_modules_first; }
static inline const char *_Nullable opencoredata_modules_end(void) { return opencoredata_modules_last; }
#else
static inline const char *_Nullable opencoredata_modules_start(void) { return 0; }
static inline const char *_Nullable opencoredata_modules_end(void) { return 0; }
#endif

#endif
