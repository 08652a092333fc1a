/**
 * The bundle leaves modules for later, which are loaded at once when they are first used.
 * `scripts/late.mjs` puts what does that in the place of this module; from its sources nothing is
 * left for later.
 */

/** Some versions of Node.js cannot load at once (22.0 to 22.11, or by an option): all then. */
export function loadUnlessLate(): Promise<void> {
  return Promise.resolve();
}

/**
 * Before work that changes something, since the files may be replaced by another version meanwhile:
 * all but what is needed before planning, or never (compiled checks, parsers).
 */
export function loadBeforeChanges(): Promise<void> {
  return Promise.resolve();
}
