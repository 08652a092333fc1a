/**
 * Methods that read properties and watch them (wire facts D.3).
 *
 * The door of `properties`: `select.ts` finds the objects of a filter, `path.ts` walks a property
 * path, `content.ts` writes what was found; `retrieve.ts` answers at once, `updates.ts` waits for
 * what `collectors.ts` keeps.
 */

import type { ManagerMethod } from "../method-table.ts";
import { open, reading } from "../method-table.ts";
import {
  createFilter,
  createPropertyCollector,
  destroyPropertyCollector,
  destroyPropertyFilter,
} from "./collectors.ts";
import {
  cancelRetrieve,
  continueRetrieve,
  fetchProperty,
  retrieveProperties,
  retrievePropertiesEx,
} from "./retrieve.ts";
import { cancelWaiting, checkForUpdates, waitForUpdates, waitForUpdatesEx } from "./updates.ts";

const collector = "PropertyCollector";
const filterSpec = "specSet PropertyFilterSpec*";

export const propertyMethods: readonly ManagerMethod[] = [
  // Without a session these answer, too: all properties are missing (wire facts D.3).
  open(["RetrieveProperties", collector, filterSpec, "ObjectContent"], "read", retrieveProperties),
  open(
    ["RetrievePropertiesEx", collector, `${filterSpec}; options RetrieveOptions`, "RetrieveResult"],
    "read",
    retrievePropertiesEx,
  ),
  open(["Fetch", "ManagedObject", "prop string", "anyType"], "read", fetchProperty),
  reading(
    ["ContinueRetrievePropertiesEx", collector, "token string", "RetrieveResult"],
    continueRetrieve,
  ),
  reading(["CancelRetrievePropertiesEx", collector, "token string", ""], cancelRetrieve),
  reading(
    ["CreatePropertyCollector", collector, "", "@PropertyCollector"],
    createPropertyCollector,
  ),
  reading(["DestroyPropertyCollector", collector, "", ""], destroyPropertyCollector),
  reading(
    [
      "CreateFilter",
      collector,
      "spec PropertyFilterSpec; partialUpdates boolean",
      "@PropertyFilter",
    ],
    createFilter,
  ),
  reading(["DestroyPropertyFilter", "PropertyFilter", "", ""], destroyPropertyFilter),
  reading(["CheckForUpdates", collector, "version string?", "UpdateSet"], checkForUpdates),
  reading(["WaitForUpdates", collector, "version string?", "UpdateSet"], waitForUpdates),
  reading(
    ["WaitForUpdatesEx", collector, "version string?; options WaitOptions?", "UpdateSet"],
    waitForUpdatesEx,
  ),
  reading(["CancelWaitForUpdates", collector, "", ""], cancelWaiting),
];
