/** Settings that every provider has, whatever it speaks to: they are written down once. */

type Schema = { readonly [keyword: string]: unknown };

/** The settings of a provider with those of the way to its endpoint. */
export function withWaySettings(settings: Schema, way: Schema): Schema {
  return {
    ...settings,
    properties: { ...record(settings["properties"]), ...record(way["properties"]) },
  };
}

function record(value: unknown): Schema {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
