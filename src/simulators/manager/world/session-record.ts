/** What a session of the manager holds: its views, pages and collectors end with it. */

import type { DataObject, Reference } from "../soap/soap-value.ts";
import type { ManagerUser } from "./inventory.ts";

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

export type ContainerView = {
  readonly kind: "ContainerView";
  readonly container: Reference;
  readonly types: readonly string[];
  readonly recursive: boolean;
};

export type ViewKind =
  | ContainerView
  | { readonly kind: "ListView"; readonly objects: readonly Reference[] }
  /** `opened`: whose children are shown. */
  | { readonly kind: "InventoryView"; readonly opened: readonly Reference[] };

/** What a view looks at is asked anew with every read. */
export type SessionView = ViewKind & { readonly id: string };

/** Objects of a read that have not been sent yet, with their property paths. */
export type SessionPage = {
  readonly rest: readonly PageItem[];
  readonly size: number;
};

export type PageItem = { readonly object: Reference; readonly paths: readonly string[] };

/** Ids of the tasks of a history, newest last, and how far it was read. */
export type SessionCollector = { readonly taskIds: readonly string[]; position: number };

export type ManagerSession = {
  /** Value of the cookie, without quotes. */
  readonly id: string;
  /** Names the session to others without giving it away. */
  readonly key: string;
  readonly user: ManagerUser;
  /** With domain. */
  readonly userName: string;
  readonly loginMs: number;
  readonly userAgent: string;
  /** Of the object browser's forms. */
  readonly nonce: string;
  lastMs: number;
  calls: number;
  readonly views: Map<string, SessionView>;
  readonly pages: Map<string, SessionPage>;
  readonly collectors: Map<string, SessionCollector>;
  readonly propertyCollectors: Map<string, PropertyCollector>;
};
