/* For the rules when they are built as the torture is: no thread pauses. */
void herald_torture_pause(void);
void herald_torture_pause(void) {}
