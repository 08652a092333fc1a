/** Names of resource types that several files need, and readers of their attributes. */

import { attributesOf } from "../../kit/schema/attributes.ts";
import type { CloudResources } from "../generated/resources.ts";

export const vmTypeName = "cloud_vm";
export const snapshotTypeName = "cloud_snapshot";

export const vmIn = attributesOf<CloudResources["cloud_vm"]>(vmTypeName);
export const snapshotIn = attributesOf<CloudResources["cloud_snapshot"]>(snapshotTypeName);
