/**
 * The provider settings of a command that is about a recorded object: as configured, as a plan has
 * them, since an endpoint or its credentials may have changed after the last apply; as recorded
 * where the configuration has no such provider any more, or cannot be read.
 */

import type { DesiredProvider } from "../../model/plan/desired.ts";
import type { RecordedState } from "../../model/recorded/recorded.ts";
import { type Diagnostic, hasErrors } from "../../model/said/diagnostic.ts";
import { nowhere } from "../../model/said/problem.ts";
import type { Value } from "../../model/value/value.ts";
import { warning } from "../codes.ts";
import { type Configured, type Reading, readConfiguration, settingsAlone } from "../reading.ts";

export type ConfiguredProviders = Configured & {
  /** As configured; none when the configuration has errors. */
  readonly providers: readonly DesiredProvider[];
};

/**
 * Only the `vmform` block must be readable. Other errors are told by one warning, CLI011: whoever
 * resets a VM in a hurry need not mend a resource of another one first.
 */
export const providerSettings: Reading<ConfiguredProviders> = async (environment, options) => {
  const { settings } = (await settingsAlone(environment, options)).value;
  const { value, diagnostics } = await readConfiguration(environment, options);
  if (value === undefined || hasErrors(diagnostics)) {
    return { value: { settings, providers: [] }, diagnostics: [unreadable] };
  }
  return { value: { settings, providers: value.providers }, diagnostics: [] };
};

const unreadable: Diagnostic = warning(nowhere, "CLI011", {
  detail: "The configuration has errors, so its provider blocks were not read.",
  fix: "See what is wrong with it: vmform validate",
});

/** Settings of one provider (with alias); null when nothing is known of it. */
export function settingsOfProvider(
  name: string,
  configured: readonly DesiredProvider[],
  state: RecordedState,
): Value {
  const known = [...configured, ...state.providers].find((provider) => provider.name === name);
  return known?.settings ?? null;
}
