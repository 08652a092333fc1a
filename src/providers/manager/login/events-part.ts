/** Logins that a host manager has recorded, as a part of the provider without resource types. */

import { loadSchema } from "../../kit/schema-file.ts";
import type { Part } from "../part.ts";
import { eventsDataName, readLoginEvents } from "./events.ts";

const noResources = (): never => {
  throw new Error("events are no resources");
};

export const eventsPart: Part = {
  types: [],
  dataTypes: [{ name: eventsDataName, schema: loadSchema("data", eventsDataName) }],
  read: noResources,
  send: noResources,
  readData: ({ client }, _type, query) => readLoginEvents(client, query),
};
