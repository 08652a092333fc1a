/**
 * Modules that are no part of the program. The build has this in a file of its own, which Node.js
 * loads: code that is kept compiled can import nothing (`scripts/modules-apart.mjs`).
 */

/** What it exports. Throws what Node.js and the module throw. */
export async function importModule(url: string): Promise<unknown> {
  const module: unknown = await import(url);
  return module;
}
