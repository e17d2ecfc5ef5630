/*
 * Included in front of every file of a build with mutants. One mutant is switched on, by
 * its number; a mutant that would have changed a value is noted, whether it is on or not.
 */
#ifndef ICE_MUTANT_H
#define ICE_MUTANT_H

extern unsigned ice_mutant;
extern unsigned char *ice_mutant_differs;

static inline _Bool ice_mutant_pick(unsigned n, _Bool original, _Bool mutated) {
    if (original != mutated)
        ice_mutant_differs[n] = 1;
    return ice_mutant == n ? mutated : original;
}
static inline _Bool ice_mutant_not(unsigned n, _Bool value) {
    return ice_mutant_pick(n, value, !value);
}
static inline _Bool ice_mutant_true(unsigned n, _Bool value) {
    return ice_mutant_pick(n, value, 1);
}
static inline _Bool ice_mutant_false(unsigned n, _Bool value) {
    return ice_mutant_pick(n, value, 0);
}

#endif
