#if Instrumentation
#endif
