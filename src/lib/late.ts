/**
 * The bundle leaves modules for later, which are loaded at once when they are first used.
 * `scripts/late.mjs` puts what does that in the place of this module; from its sources nothing is
 * left for later.
 */

/**
 * All that was left for later, or, without `everything`, all but what is needed before planning or
 * never: the compiler of schemas, parsers, checks of what is written by hand.
 */
export function loadLateModules(_everything: boolean): void {
  // Nothing is left for later.
}
