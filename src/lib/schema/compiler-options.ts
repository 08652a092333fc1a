/** How schemas are compiled, by a run and by the build alike. */

/** Options of `ajv`. */
export const compilerOptions = {
  strict: true,
  allErrors: true,
  verbose: false,
  allowUnionTypes: true,
  // Ours are sound: tests hold them against the schema of schemas, which takes long to read.
  validateSchema: false,
  meta: false,
} as const;

/** Of checks that fill in defaults: what breaks one is told with its part of the schema. */
export const fillingOptions = { useDefaults: true, verbose: true } as const;

/** Marks of ours beside the keywords of JSON Schema. */
export const ownKeyword = "x-vmform";
