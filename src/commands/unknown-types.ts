/** Recorded objects of types that nothing brings: their provider package left the configuration. */

import { problem } from "../model/provider/package-codes.ts";
import type { TypeRegistry } from "../model/provider/provider.ts";
import type { RecordedState } from "../model/recorded/recorded.ts";
import type { Diagnostic } from "../model/said/diagnostic.ts";
import type { Address } from "../model/value/address.ts";
import { memberOf } from "../model/value/value.ts";

type Subject = { readonly address: Address; readonly type: string; readonly provider: string };

/** One for each provider whose types are not known. */
export function unknownTypes(state: RecordedState, types: TypeRegistry): readonly Diagnostic[] {
  const unknown = new Map<string, Subject[]>();
  for (const subject of [...state.objects, ...state.open.map((begin) => begin.subject)]) {
    if (Object.hasOwn(types, subject.type)) continue;
    const others = unknown.get(subject.provider) ?? [];
    others.push(subject);
    unknown.set(subject.provider, others);
  }
  return [...unknown].map(([provider, subjects]) => diagnosticOf(state, provider, subjects));
}

function diagnosticOf(
  state: RecordedState,
  provider: string,
  subjects: readonly Subject[],
): Diagnostic {
  const addresses = [...new Set(subjects.map(({ address }) => address))];
  const [first] = subjects;
  const more = addresses.length > 1 ? ` and ${addresses.length - 1} more` : "";
  const named = first === undefined ? "" : String(first.address);
  const settings = state.providers.find(({ name }) => name === provider)?.settings;
  const label = memberOf(settings, "package");
  const forget = "To forget them instead: vmform state rm ADDRESS.";
  const at = first === undefined ? {} : { address: first.address };
  if (typeof label !== "string") {
    const detail = `${named}${more} is of type ${first?.type}, which this vmform does not know.`;
    const fix = `Use the version that recorded it. ${forget}`;
    return problem(at, "PKG002", { detail, fix });
  }
  const [base = ""] = provider.split(".", 1);
  const source = /\((.*)\)$/.exec(label)?.[1] ?? label;
  return problem(at, "PKG002", {
    detail:
      `${named}${more}: recorded with the provider package ${label}, which the configuration ` +
      "does not name, or cannot load.",
    fix:
      `Add providers: { ${base}: { package: ${JSON.stringify(source)} } }, with its settings. ` +
      forget,
  });
}
