/** Secrets among the settings of vmform itself. */

import { type SecretReference, secretReferenceOf } from "../../model/value/secret-reference.ts";
import type { Value } from "../../model/value/value.ts";

/** A setting that its schema marks as sensitive: reading it has refused what is no reference. */
export function secretSetting(value: object | undefined): SecretReference | undefined {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a value, as its schema has it
  return value === undefined ? undefined : secretReferenceOf(value as Value & object);
}
