/**
 * Before work that changes something: what it may need of the program is in memory then, since the
 * files may be replaced by another version meanwhile, or be gone.
 */

import { keepSchemaTexts } from "./files/schema-text.ts";
import { loadLateModules } from "./late.ts";

/**
 * `everything`: also what a run has used by then, if it needs it at all, for who waits for runs.
 * Throws what the system says.
 */
export function loadBeforeChanges({ everything = false } = {}): void {
  loadLateModules(everything);
  keepSchemaTexts();
}
