/** What a session keeps for watching properties: collectors, filters, what was told of them. */

import type { DataObject } from "../soap-value.ts";

/** Elements `val` by path, as they were told last. */
export type ToldObject = ReadonlyMap<string, string>;

export type PropertyFilter = {
  readonly id: string;
  readonly spec: DataObject;
  readonly partialUpdates: boolean;
  /** By type and id. */
  readonly told: Map<string, ToldObject>;
};

export type PropertyCollector = {
  readonly id: string;
  readonly filters: Map<string, PropertyFilter>;
  /** Of the update told last; 0 before the first. */
  version: number;
  /** How often whoever waits was told to give up. */
  cancelled: number;
};

export function newCollector(id: string): PropertyCollector {
  return { id, filters: new Map(), version: 0, cancelled: 0 };
}
