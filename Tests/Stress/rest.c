/* For the rules, built as the torture is: nobody rests. */
void herald_torture_rest(void);
void herald_torture_rest(void) {}
