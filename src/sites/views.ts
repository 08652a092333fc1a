/**
 * Looks at an endpoint that travel. A `View` is known by being the same object, and what it expects
 * is a function: it travels as a number and as what the function gives for each type.
 */

import type { View } from "../model/provider/provider.ts";

export type ViewThere = {
  readonly view: number;
  readonly expected: { readonly [type: string]: number };
};

/** Numbers the views of one session. */
export function numberViews(types: readonly string[]): (view: View) => ViewThere {
  const numbers = new WeakMap<View, number>();
  let last = 0;
  return (view) => {
    let number = numbers.get(view);
    if (number === undefined) {
      last += 1;
      number = last;
      numbers.set(view, number);
    }
    const counts = types.map((type) => [type, view.expected(type)] as const);
    return { view: number, expected: Object.fromEntries(counts.filter(([, count]) => count > 0)) };
  };
}

/** Looks are short, and few at a time; what an older one has read may go. */
const keptMax = 8;

/** The other way: the same number gives the same object, with what was last told of it. */
export function keepViews(): (there: ViewThere) => View {
  const kept = new Map<number, { readonly view: View; expected: ViewThere["expected"] }>();
  return ({ view: number, expected }) => {
    const found = kept.get(number);
    if (found !== undefined) {
      found.expected = expected;
      return found.view;
    }
    const entry = {
      expected,
      view: {
        expected: (type: string): number => {
          const told = kept.get(number)?.expected ?? expected;
          return Object.hasOwn(told, type) ? (told[type] ?? 0) : 0;
        },
      },
    };
    kept.set(number, entry);
    for (const [oldest] of kept) {
      if (kept.size <= keptMax) break;
      kept.delete(oldest);
    }
    return entry.view;
  };
}

export function isViewThere(word: unknown): word is ViewThere {
  return typeof word === "object" && word !== null && "view" in word && "expected" in word;
}
