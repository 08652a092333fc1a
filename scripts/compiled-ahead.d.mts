/** Types of `compiled-ahead.mjs`. */

type PartAhead = {
  readonly name: string;
  readonly fills: boolean;
  readonly schemas: readonly object[];
};

type Ahead = { readonly parts: readonly PartAhead[] };

export function partsAhead(): Promise<Ahead>;
export function checksModules(ahead?: Promise<Ahead>): Promise<ReadonlyMap<string, string>>;
