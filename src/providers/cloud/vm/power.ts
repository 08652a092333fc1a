/**
 * Power of cloud VMs. Status and deployment are two axes (wire facts A.3.2): a VM that is off may
 * still be deployed, and then the cloud holds the resources of a running one for it. "Off" is off
 * and undeployed, as the vendor's own interface means it; the other is `off-deployed`.
 *
 * There is no wait for the guest's tools: nothing that can be read tells whether they answer.
 */

import {
  changingPower,
  type PowerModel,
  type PowerState,
  type PowerWord,
} from "../../../model/operation/power.ts";
import { disrupting, powerOn, suspend } from "../../kit/vm/power-words.ts";

const undeploy: PowerWord = { verb: "undeploy", summary: "undeploy", reaches: "off" };
/** Takes a suspended VM that is not deployed, where there is nothing to undeploy. */
const discard: PowerWord = {
  verb: "discard",
  summary: "discard the suspended state",
  reaches: "off",
};
/** Ends in an error where the guest has no tools (wire facts A.4). */
const undeployGently: PowerWord = {
  verb: "undeploy-shutdown",
  summary: "shut the guest down and undeploy",
  reaches: "off",
  graceful: true,
  fallback: undeploy,
};
/** Without `powerOn`; only ever needed to put back what was found. */
const deploy: PowerWord = {
  verb: "deploy",
  summary: "deploy without power",
  reaches: "off-deployed",
};
const shutdown: PowerWord = {
  verb: "shutdown",
  summary: "shut the guest down",
  reaches: "off-deployed",
  graceful: true,
  fallback: { verb: "power-off", summary: "power off", reaches: "off-deployed" },
};

export const cloudPower: PowerModel = {
  wanted: "power",
  observed: "power_state",
  initial: "off",
  table: {
    on: {
      off: [disrupting(undeployGently)],
      suspended: [disrupting(suspend)],
      "off-deployed": [disrupting(shutdown)],
    },
    off: { on: [powerOn], suspended: [powerOn, suspend], "off-deployed": [deploy] },
    suspended: {
      on: [powerOn],
      off: [disrupting({ ...undeploy, fallback: discard }, "discard-state")],
      "off-deployed": [disrupting({ ...undeploy, fallback: discard }, "discard-state"), deploy],
    },
    "off-deployed": { on: [powerOn], off: [undeploy], suspended: [powerOn, suspend] },
  },
  // A VM is attached: it is never deleted.
  beforeDelete: {},
};

export const powerVerbs: ReadonlySet<string> = new Set([
  ...[powerOn, suspend, undeploy, discard, undeployGently, deploy, shutdown].map(
    ({ verb }) => verb,
  ),
  "power-off",
]);

export type ObservedPower = PowerState | typeof changingPower;

/** Wire facts A.3.2: words stand in records, numbers in the VM itself. */
const codes: { readonly [code: string]: string } = {
  "-1": "FAILED_CREATION",
  "0": "UNRESOLVED",
  "1": "RESOLVED",
  "2": "DEPLOYED",
  "3": "SUSPENDED",
  "4": "POWERED_ON",
  "5": "WAITING_FOR_INPUT",
  "6": "UNKNOWN",
  "7": "UNRECOGNIZED",
  "8": "POWERED_OFF",
  "9": "INCONSISTENT_STATE",
  "10": "MIXED",
  "20": "PARTIALLY_POWERED_OFF",
  "21": "PARTIALLY_SUSPENDED",
};

/** The word of a status, `status 17` of a number that has none here. */
export function statusWord(status: string): string {
  const written = status.trim();
  return codes[written] ?? (/^-?\d+$/.test(written) ? `status ${written}` : written);
}

/** Operations whose task changes the power of a VM, as the server names them (wire facts A.4). */
const powerOperations: ReadonlySet<string> = new Set([
  "vappDeploy",
  "vappPowerOff",
  "vappShutdownGuest",
  "vappSuspend",
  "vappUndeployPowerOff",
  "vappUndeploySuspend",
  "vappDiscardSuspendedState",
]);

/**
 * Power of a status, as word or number, and of the running operations. `deployment` means that it
 * depends on the deployment, which was not told. Undefined for every other status, which is never
 * taken for off.
 */
export function powerOf(
  status: string,
  isDeployed: boolean | undefined,
  running: readonly string[] = [],
): ObservedPower | "deployment" | undefined {
  if (running.some((operation) => powerOperations.has(operation))) return changingPower;
  switch (statusWord(status)) {
    case "POWERED_ON":
      return "on";
    case "SUSPENDED":
      return "suspended";
    case "POWERED_OFF":
      if (isDeployed === undefined) return "deployment";
      return isDeployed ? "off-deployed" : "off";
    case "UNRESOLVED":
      // Without work of its own it may stay so for ever, and nobody is to wait for its end.
      return running.length > 0 ? changingPower : undefined;
    default:
      return undefined;
  }
}
