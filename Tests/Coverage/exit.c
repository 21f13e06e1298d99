/* Linked with --wrap=_exit: what a process has run counts though it ends by _exit. */
void __gcov_dump(void);
void __real__exit(int status) __attribute__((noreturn));
void __wrap__exit(int status) __attribute__((noreturn));
void __wrap__exit(int status) {
    __gcov_dump();
    __real__exit(status);
}
