/** Logins that a host manager has recorded, as a part of the provider without resource types. */

import { queried } from "../../kit/schema/decode.ts";
import type { ManagerPart } from "../part.ts";
import { eventsDataName, readLoginEvents } from "./events.ts";

export const eventsPart: ManagerPart = {
  types: [],
  data: { [eventsDataName]: queried(eventsDataName, readLoginEvents) },
};
