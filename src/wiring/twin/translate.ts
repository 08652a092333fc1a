/** What each provider's survey becomes in the twin, and which of them share one world. */

import { CommandError } from "../../commands/environment.ts";
import type { TwinSource } from "../../commands/rehearse/twin.ts";
import type { Survey } from "../../model/provider/survey.ts";
import type { RunningSimulators } from "../../simulators/start.ts";
import { appliancePart } from "./appliance-part.ts";
import { applianceVmIn } from "./appliance-vm.ts";
import { cloudPart } from "./cloud-part.ts";
import { daemonPart } from "./daemon-part.ts";
import { managerPart } from "./manager-part.ts";
import { type OneMachine, togetherIn } from "./one-machine.ts";
import { durationsFor } from "./pace.ts";
import type { Given, Translation, TwinPart } from "./part.ts";

export type Interface = keyof RunningSimulators["origins"];

const translations: { readonly [name in Interface]: Translation } = {
  cloud: cloudPart,
  manager: managerPart,
  daemon: daemonPart,
  appliance: appliancePart,
};

export type Translated = {
  /** Name of the provider, with its alias. */
  readonly provider: string;
  readonly name: Interface;
  readonly survey: Survey;
  readonly part: TwinPart;
  /** The provider in whose world it is. */
  readonly within?: string;
  /** Of a cloud: what the host manager has as well, in whose world it is. */
  readonly machines?: readonly OneMachine[];
};

/** Throws `CommandError` for a provider that no simulator stands for. */
export function translated(source: TwinSource, password: string): readonly Translated[] {
  // A host manager has the VM of one appliance in its world.
  const taken = new Set<string>();
  const together = togetherIn(source);
  return source.providers.map(({ name: provider, survey }): Translated => {
    const name = interfaceOf(provider);
    const given = givenTo(source, { provider, name, password });
    const one = together.shared.get(provider);
    if (one !== undefined) {
      const { manager, machines } = one;
      const part = translations[name](survey, given);
      return { provider, name, survey, part, within: manager, machines };
    }
    const shared = name === "appliance" ? applianceVmIn(source, provider) : undefined;
    if (shared === undefined || taken.has(shared.manager)) {
      return { provider, name, survey, part: translations[name](survey, given) };
    }
    taken.add(shared.manager);
    const part = appliancePart(survey, given, shared.vm);
    return { provider, name, survey, part, within: shared.manager };
  });
}

function givenTo(
  source: TwinSource,
  one: { readonly provider: string; readonly name: Interface; readonly password: string },
): Given {
  const { provider, name, password } = one;
  return {
    password,
    durations: durationsFor(provider, name, source.durations),
    recorded: source.state.objects.filter(
      (object) => object.provider === provider && object.objectKey === "current",
    ),
    operations: source.operations.filter(({ subject }) => subject.provider === provider),
  };
}

function interfaceOf(provider: string): Interface {
  const [word = ""] = provider.split(".");
  const name = (["daemon", "cloud", "manager", "appliance"] as const).find((each) => each === word);
  if (name === undefined) {
    throw new CommandError(`There is no simulated twin of provider ${provider}.`);
  }
  return name;
}
