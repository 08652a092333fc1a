/** The provider of the appliance's own management (specification, section C): its storage. */

import { providerOf } from "../kit/provider.ts";
import { storageType } from "./storage/storage.ts";

const types = [storageType];
const data = ["appliance_storage"];

export const applianceProvider = providerOf("appliance", { types, data }, async () => {
  const { applianceSessions } = await import("./session.ts");
  return applianceSessions;
});
