/** Files of tests as they were read, each part with its place. */

import type { Template } from "../../expressions/syntax/template.ts";
import type { YamlNode } from "../../lib/yaml/yaml.ts";
import type { Consent } from "../../model/operation/disruption.ts";
import type { Address, Selector } from "../../model/value/address.ts";
import type { Value, ValueMap } from "../../model/value/value.ts";
import type { Place, SourceFile } from "../report.ts";
import type { TestCommand } from "./test-roots.ts";

/** A part of the file with the place where it stands. */
export type Placed<T> = { readonly value: T; readonly place: Place };

export type TestAssertion = {
  /** Undefined where it is a plain true or false. */
  readonly template: Template | undefined;
  readonly constant: boolean;
  readonly message: string | undefined;
  readonly place: Place;
};

export type TestRun = {
  readonly name: string;
  readonly place: Place;
  readonly command: TestCommand;
  readonly variables: YamlNode | undefined;
  readonly targets: readonly Selector[];
  readonly excludes: readonly Selector[];
  readonly replace: readonly Address[];
  readonly allowed: readonly Consent[];
  readonly window: "wait" | "skip" | undefined;
  readonly at: Placed<number> | undefined;
  /** Time that passes before it, where something is said of it. */
  readonly afterMs: number | undefined;
  readonly changes: readonly Placed<Value>[];
  /** Of the worlds that provider packages simulate, by provider. */
  readonly packageChanges: Placed<ValueMap> | undefined;
  /** What goes wrong in those worlds, by provider. */
  readonly packageFaults: Placed<ValueMap> | undefined;
  /** Path of a script, or its rules. */
  readonly faults: Placed<Value> | undefined;
  /** Codes that must be told. */
  readonly problems: readonly Placed<string>[];
  readonly exit: Placed<number> | undefined;
  readonly assertions: readonly TestAssertion[];
};

export type TestFile = {
  readonly source: SourceFile;
  /** Path of a world file, or what it would hold. */
  readonly world: Placed<Value> | undefined;
  /** What is in the worlds that provider packages simulate, by provider. */
  readonly packages: Placed<ValueMap> | undefined;
  readonly startMs: number | undefined;
  readonly variables: YamlNode | undefined;
  readonly environment: { readonly [name: string]: string };
  readonly runs: readonly TestRun[];
};
