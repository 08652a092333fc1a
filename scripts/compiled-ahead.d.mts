/** Types of `compiled-ahead.mjs`. */

type Ahead = { readonly schema: object; readonly at: string };

export function schemasAhead(): readonly [Ahead, Ahead];
export function keyOf(schema: object): string;
export function compiledAhead(): {
  readonly name: string;
  readonly load: (id: string) => Promise<string> | null;
};
export function checksModule(): Promise<string>;
