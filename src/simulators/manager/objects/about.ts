/** What a server says of itself. */

import { uuidOf } from "../../kit/uuid.ts";
import type { DataObject } from "../soap/soap-value.ts";
import type { ManagerContext } from "./context.ts";

export function aboutInfo({ state }: ManagerContext, kind: "manager" | "host"): DataObject {
  const name = kind === "manager" ? "VMware vCenter Server" : "VMware ESXi";
  // Of three parts, whatever the version of the interface has: 6.5 is 6.5.0, and 8.0.3.0 is 8.0.3.
  const version = [...state.rules.api_version.split("."), "0", "0"].slice(0, 3).join(".");
  return {
    is: "AboutInfo",
    name,
    fullName: `${name} ${version} build-1000001`,
    vendor: "VMware, Inc.",
    version,
    build: "1000001",
    localeVersion: "INTL",
    localeBuild: "000",
    osType: kind === "manager" ? "linux-x64" : "vmnix-x86",
    productLineId: kind === "manager" ? "vpx" : "embeddedEsx",
    apiType: kind === "manager" ? "VirtualCenter" : "HostAgent",
    apiVersion: state.rules.api_version,
    instanceUuid: kind === "manager" ? uuidOf(state.seed, "manager-instance", "") : undefined,
  };
}
