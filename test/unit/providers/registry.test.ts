import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { applianceSessions } from "../../../src/providers/appliance/session.ts";
import { cloudSessions } from "../../../src/providers/cloud/session.ts";
import { daemonSessions } from "../../../src/providers/daemon/session.ts";
import { managerSessions } from "../../../src/providers/manager/session.ts";
import {
  dataRegistry,
  providers,
  settingsSchemas,
  typeRegistry,
} from "../../../src/providers/registry.ts";

const byName = (left: { readonly name: string }, right: { readonly name: string }): number =>
  left.name < right.name ? -1 : 1;

const schemaFiles = (kind: string) =>
  readdirSync(new URL(`../../../schemas/${kind}`, import.meta.url))
    .map((file) => file.replace(/\.schema\.json$/, ""))
    .sort();

/** The server's own id stays when such a one is renamed. */
const renamed = ({ name }: { readonly name: string }, key: { readonly name: string }): boolean =>
  name === "manager_login_alarm" && key.name === "name";

test("every type is under its own name and its provider's prefix, with a schema of its own", () => {
  const types = typeRegistry();
  expect(Object.keys(types).sort()).toEqual(schemaFiles("resources"));
  for (const factory of providers()) {
    expect(factory.types.length).toBeGreaterThan(0);
    for (const type of factory.types) {
      expect(types[type.name]).toBe(type);
      expect(type.name.split("_", 1)[0]).toBe(factory.name);
      expect(type.schema.name).toBe(type.name);
      const attributes = Object.values(type.schema.attributes);
      // What is made has a key of our choice; what exists already is found.
      const names = attributes.filter(({ key, lookup }) => key || lookup);
      // The only one of its kind needs neither.
      if (type.identityOf({}) === undefined) expect(names.length).toBeGreaterThan(0);
      for (const name of names) {
        if (type.ownership === "attached") expect(name).toMatchObject({ lookup: true, key: false });
        else
          expect(name).toMatchObject({ key: true, required: true, forceNew: !renamed(type, name) });
      }
    }
  }
});

test("containers and links name types and attributes that exist", () => {
  const types = typeRegistry();
  for (const type of Object.values(types)) {
    for (const { attribute, type: other } of [type.container ?? [], ...type.links].flat()) {
      expect(types[other]).toBeDefined();
      expect(type.schema.attributes[attribute]).toBeDefined();
    }
    if (type.power !== undefined) {
      const wanted = type.schema.attributes[type.power.wanted]?.values ?? [];
      // A VM may be found off and deployed; nobody wishes it so.
      const rows = Object.keys(type.power.table).filter((state) => state !== "off-deployed");
      expect(rows.toSorted()).toEqual([...wanted].toSorted());
      expect(type.schema.attributes[type.power.observed]?.computed).toBe(true);
    }
  }
});

test("every type of data sources is under its own name, its provider's prefix and a schema", () => {
  const types = dataRegistry();
  expect(Object.keys(types).sort()).toEqual(schemaFiles("data"));
  for (const factory of providers()) {
    for (const type of factory.dataTypes) {
      expect(types[type.name]).toBe(type);
      expect(type.name.split("_", 1)[0]).toBe(factory.name);
      expect(type.schema.name).toBe(type.name);
      // Something has to be answered, and no secret may be: a plan keeps the answer.
      const attributes = Object.values(type.schema.attributes);
      expect(attributes.some((attribute) => attribute.computed)).toBe(true);
      expect(attributes.some((attribute) => attribute.sensitive)).toBe(false);
    }
  }
});

test("every provider has a schema of its settings", () => {
  expect(Object.keys(settingsSchemas()).sort()).toEqual(schemaFiles("providers"));
});

test.each([
  ["appliance", applianceSessions.parts],
  ["cloud", cloudSessions.parts],
  ["daemon", daemonSessions.parts],
  ["manager", managerSessions.parts],
])("what provider %s offers and what its sessions are made of is the same", (name, parts) => {
  const offer = providers().find((factory) => factory.name === name);
  expect(parts.flatMap(({ types }) => types).toSorted(byName)).toEqual(
    offer?.types.toSorted(byName),
  );
  expect(parts.flatMap(({ data = {} }) => Object.keys(data)).toSorted()).toEqual(
    offer?.dataTypes.map((type) => type.name).toSorted(),
  );
});
