/** What the conformance suite is given: a provider, worlds to try it in, samples of its types. */

import type { DataSourceType, ProviderSession, ResourceType } from "../model/provider/provider.ts";
import type { Attributes, Value } from "../model/value/value.ts";

/** A world of its own for one check: an endpoint that the provider speaks to. */
export type TestWorld = {
  /** Settings that reach it, secrets in place, as a session is opened with. */
  readonly settings: Value;
  /** Settings by which nobody answers. Without them, that is not checked. */
  readonly unreachable?: Value;
  /** All that the world holds: whether reading has changed anything is judged by it. */
  readonly snapshot?: () => Promise<unknown>;
  /** Texts that must never be told: passwords, and tokens that the world hands out. */
  readonly secrets?: readonly string[];
  /** The next change takes effect, and its reply is lost. Without it, that is not checked. */
  readonly loseReply?: () => Promise<void>;
  readonly close?: () => Promise<void>;
};

/** One object of a type, as far as the checks need to know it. */
export type TypeSample = {
  readonly type: string;
  /** What a new object is wanted to have: of types whose objects are made and removed. */
  readonly create?: Attributes;
  /** An object that every new world has, as it is asked for. */
  readonly existing?: {
    readonly identity?: string;
    readonly lookup?: Attributes;
    /** What a configuration says of it. */
    readonly wanted: Attributes;
  };
  /** What is changed in place, and to what. */
  readonly update?: Attributes;
  /** How one is asked for that is in no world. Default: by the key of `create`. */
  readonly absent?: { readonly identity?: string; readonly lookup?: Attributes };
  /** There is exactly one, in every world. */
  readonly always?: true;
  /** There may be several of what is wanted: making it again is no conflict. */
  readonly manyAlike?: true;
  /** What is done to it by hand: one for each action of its type. */
  readonly actions?: readonly ActionSample[];
};

export type ActionSample = {
  readonly name: string;
  /** What is read of the object then. Without it, something of the world has to be another. */
  readonly after?: Attributes;
  /** In a new world it is refused, or needless. */
  readonly refused?: true;
};

/** What a data source is asked, in a new world. */
export type DataSample = {
  readonly type: string;
  readonly query: Attributes;
  /** Attributes of the answer. */
  readonly expect?: Attributes;
  /** A query that names what is in no world. Without it, that is not checked. */
  readonly refused?: Attributes;
};

export type Harness = {
  /** A new world, the same each time. */
  readonly world: () => Promise<TestWorld>;
  /** At least one for each resource type. */
  readonly samples: readonly TypeSample[];
  /** At least one for each data source. */
  readonly data?: readonly DataSample[];
  /** How long an effect may take to show, milliseconds. Default: five seconds. */
  readonly settleMs?: number;
};

/** A provider as vmform sees it. */
export type Subject = {
  readonly types: readonly ResourceType[];
  readonly dataTypes: readonly DataSourceType[];
  readonly open: (settings: Value, access: "read" | "mutate") => Promise<ProviderSession>;
};

/** For any runner of tests: `test(check.name, check.run)`. */
export type ProviderCheck = {
  /** Stable, such as `created-is-read`. */
  readonly id: string;
  /** With the type that it is about: a sentence. */
  readonly name: string;
  /** Rejects with what does not hold. */
  readonly run: () => Promise<void>;
};

/** What does not hold, as a sentence. */
export class NotHeld extends Error {}

export function hold(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new NotHeld(otherwise);
}
