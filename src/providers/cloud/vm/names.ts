/** The name of a VM's type, which several files need, and a reader of its attributes. */

import { attributesOf } from "../../kit/schema/attributes.ts";
import type { CloudResources } from "../generated/resources.ts";

export const vmTypeName = "cloud_vm";

export const vmIn = attributesOf<CloudResources["cloud_vm"]>(vmTypeName);
