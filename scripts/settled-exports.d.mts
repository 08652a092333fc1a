/** Types of `settled-exports.mjs`. */

export function settledExports(): {
  readonly name: string;
  /** The text of a chunk with as many lines; throws where it cannot be read. */
  readonly renderChunk: (
    code: string,
    chunk: { readonly fileName: string },
  ) => { readonly code: string; readonly map: null };
};
