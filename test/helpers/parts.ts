/** Changing parts of what is grouped, such as operations and begin entries, in tests. */

type Group = "subject" | "request" | "order" | "proof" | "record";

/** What a test says of it: any field, and of a group only what matters. */
export type Parts<T> = {
  readonly [Name in keyof T]?: Name extends Group
    ? T[Name] extends object
      ? Partial<T[Name]>
      : T[Name]
    : T[Name];
};

/** A group is merged, anything else replaced. */
export function withParts<T extends object>(base: T, parts: Parts<T>): T {
  const merged = new Map<string, unknown>(Object.entries(base));
  for (const [name, part] of Object.entries(parts)) {
    const before = merged.get(name);
    const isGroup = isGroupName(name) && isObject(before) && isObject(part);
    merged.set(name, isGroup ? { ...before, ...part } : part);
  }
  return Object.fromEntries(merged) as T;
}

const groups: readonly string[] = ["subject", "request", "order", "proof", "record"];

function isGroupName(name: string): boolean {
  return groups.includes(name);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
