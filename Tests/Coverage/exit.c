/* Linked with --wrap=_exit, so that the counts of a process that ends by _exit are kept. */
void __gcov_dump(void);
void __real__exit(int status) __attribute__((noreturn));
void __wrap__exit(int status) __attribute__((noreturn));
void __wrap__exit(int status) {
    __gcov_dump();
    __real__exit(status);
}
