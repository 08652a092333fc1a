/** Names of resource types that several files need, and readers of their attributes. */

import { attributesOf } from "../../kit/schema/attributes.ts";
import type { ManagerResources } from "../generated/resources.ts";

export const vmTypeName = "manager_vm";
export const diskTypeName = "manager_disk";
export const reclaimTypeName = "manager_disk_reclaim";

export const vmIn = attributesOf<ManagerResources["manager_vm"]>(vmTypeName);
export const diskIn = attributesOf<ManagerResources["manager_disk"]>(diskTypeName);
export const reclaimIn = attributesOf<ManagerResources["manager_disk_reclaim"]>(reclaimTypeName);
