/** Settings that every provider has, whatever it speaks to: they are written down once. */

type Schema = { readonly [keyword: string]: unknown };

/** The settings of a provider with those that all have; limits of its own stay beside theirs. */
export function withWaySettings(settings: Schema, way: Schema): Schema {
  const [own, common] = [record(settings["properties"]), record(way["properties"])];
  const limits = record(common["limits"]);
  const all = { ...record(record(own["limits"])["properties"]), ...record(limits["properties"]) };
  return {
    ...settings,
    properties: { ...own, ...common, limits: { ...limits, properties: all } },
  };
}

function record(value: unknown): Schema {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
