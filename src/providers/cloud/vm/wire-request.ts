/**
 * Mutating requests by verb: the one place that previewing and sending share (wire facts A.4). A
 * preview uses the specification's neutral words; sending puts the server's own in.
 */

import type { XmlElement } from "../../../lib/xml/xml.ts";
import { writeXml } from "../../../lib/xml/xml-writer.ts";
import type { RequestPreview } from "../../../model/operation/operation.ts";
import { isKnown, type PlannedAttributes, unknown } from "../../../model/value/value.ts";
import { isRecordOf, isText } from "../../kit/schema/shape.ts";
import { snapshotIn } from "./names.ts";

/** The words of one server that a request holds. */
export type WireWords = {
  readonly namespace: string;
  /** With the full stop at its end. */
  readonly mediaPrefix: string;
};

const neutralWords: WireWords = {
  namespace: "{xml_namespace}",
  mediaPrefix: "application/vnd.vendor.cloud.",
};

type Body = {
  /** Without the dialect's prefix. */
  readonly mediaType: string;
  /** Undefined while a value it is made of is not known. */
  readonly element: (namespace: string) => XmlElement | undefined;
};

type Action = {
  /** Below the VM's own path. */
  readonly suffix: string;
  /** `operationName` of its task. */
  readonly operation: string;
  readonly body?: (inputs: PlannedAttributes) => Body;
};

const actions: { readonly [verb: string]: Action } = {
  "power-on": { suffix: "/power/action/powerOn", operation: "vappDeploy" },
  "power-off": { suffix: "/power/action/powerOff", operation: "vappPowerOff" },
  shutdown: { suffix: "/power/action/shutdown", operation: "vappShutdownGuest" },
  reboot: { suffix: "/power/action/reboot", operation: "vappRebootGuest" },
  reset: { suffix: "/power/action/reset", operation: "vappReset" },
  suspend: { suffix: "/power/action/suspend", operation: "vappSuspend" },
  discard: {
    suffix: "/action/discardSuspendedState",
    operation: "vappDiscardSuspendedState",
  },
  deploy: { suffix: "/action/deploy", operation: "vappDeploy", body: deployBody },
  undeploy: {
    suffix: "/action/undeploy",
    operation: "vappUndeployPowerOff",
    body: () => undeployBody("powerOff"),
  },
  "undeploy-shutdown": {
    suffix: "/action/undeploy",
    operation: "vappUndeployPowerOff",
    body: () => undeployBody("shutdown"),
  },
  relocate: { suffix: "/action/relocate", operation: "vappRelocateVm", body: relocateBody },
  "enable-nested": { suffix: "/action/enableNestedHypervisor", operation: "vappUpdateVm" },
  "disable-nested": { suffix: "/action/disableNestedHypervisor", operation: "vappUpdateVm" },
  create: {
    suffix: "/action/createSnapshot",
    operation: "vappCreateSnapshot",
    body: snapshotBody,
  },
  remove: { suffix: "/action/removeAllSnapshots", operation: "vappRemoveAllSnapshots" },
  revert: {
    suffix: "/action/revertToCurrentSnapshot",
    operation: "vappRevertToCurrentSnapshot",
  },
};

/** `operationName` of the task that a verb begins. */
export function operationNameOf(verb: string): string | undefined {
  return actions[verb]?.operation;
}

/** Verbs whose links a VM offers, by the end of the link's path. */
export function verbsOfLink(path: string): readonly string[] {
  return Object.entries(actions).flatMap(([verb, { suffix }]) =>
    path.endsWith(suffix) ? [verb] : [],
  );
}

/** The request of a verb on a VM; undefined for verbs that have none. */
export function wireRequest(
  verb: string,
  vm: string,
  inputs: PlannedAttributes,
  words: WireWords = neutralWords,
): RequestPreview | undefined {
  const action = Object.hasOwn(actions, verb) ? actions[verb] : undefined;
  if (action === undefined) return undefined;
  const path = `${vm}${action.suffix}`;
  const body = action.body?.(inputs);
  if (body === undefined) return { method: "POST", path };
  const element = body.element(words.namespace);
  return {
    method: "POST",
    path,
    contentType: `${words.mediaPrefix}${body.mediaType}`,
    body: element === undefined ? unknown : writeXml(element),
  };
}

/** The lease is the organization's own; nothing is customized by turning a VM on. */
function deployBody(): Body {
  return {
    mediaType: "deployVAppParams+xml",
    element: (namespace) =>
      elementOf(namespace, "DeployVAppParams", { powerOn: "false", forceCustomization: "false" }),
  };
}

function undeployBody(action: "powerOff" | "shutdown"): Body {
  return {
    mediaType: "undeployVAppParams+xml",
    element: (namespace) =>
      elementOf(namespace, "UndeployVAppParams", {}, [
        elementOf(namespace, "UndeployPowerAction", {}, [action]),
      ]),
  };
}

/** As the server printed it. */
const isPlace = isRecordOf({ href: isText });

/** Specification, section A, endpoint 4. */
function relocateBody({ datastore }: PlannedAttributes): Body {
  return {
    mediaType: "relocateVmParams+xml",
    element: (namespace) =>
      isPlace(datastore)
        ? elementOf(namespace, "RelocateParams", {}, [
            elementOf(namespace, "Datastore", { href: datastore.href }),
          ])
        : undefined,
  };
}

/** Memory and quiesce are always sent: the server takes an absent one for true. */
function snapshotBody(inputs: PlannedAttributes): Body {
  const { name, description, memory = false, quiesce = false } = snapshotIn(inputs);
  const attributes = {
    memory: String(memory),
    quiesce: String(quiesce),
    ...(name === undefined ? {} : { name }),
  };
  return {
    mediaType: "createSnapshotParams+xml",
    element: (namespace) => {
      if (!isKnown(inputs)) return undefined;
      const told =
        description === undefined ? [] : [elementOf(namespace, "Description", {}, [description])];
      return elementOf(namespace, "CreateSnapshotParams", attributes, told);
    },
  };
}

function elementOf(
  namespace: string,
  local: string,
  attributes: { readonly [name: string]: string },
  children: XmlElement["children"] = [],
): XmlElement {
  return {
    namespace,
    local,
    attributes: Object.entries(attributes).map(([name, value]) => ({
      namespace: "",
      local: name,
      value,
    })),
    children: children.filter((child) => child !== ""),
  };
}
