/**
 * Checks that were compiled when the program was built, by `schemaKey`. None where it runs from its
 * sources: `scripts/compiled-ahead.mjs` puts them in the place of this module.
 */

import type { ValidateFunction } from "ajv";

export const compiledAhead = undefined as
  | { readonly get: (key: string) => ValidateFunction | undefined }
  | undefined;
