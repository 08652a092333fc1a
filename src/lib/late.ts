/**
 * The bundle leaves modules for later, which are loaded at once when they are first used.
 * `scripts/late.mjs` puts what does that in the place of this module; from its sources nothing is
 * left for later.
 */

/**
 * Before work that changes something, since the files may be replaced by another version meanwhile:
 * all but what is needed before planning, or never (compiled checks, parsers).
 */
export function loadBeforeChanges(): void {
  // Nothing is left for later.
}
