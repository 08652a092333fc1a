/** For `vmform test`: zones in memory, by the path that settings name. */

/** `session` opens one to a zone, as to that of a file. */
export function simulated(world, session) {
  const zones = new Map(Object.entries(world).map(([file, all]) => [file, memoryZone(all)]));
  const zoneOf = (file) => zones.get(file) ?? zones.set(file, memoryZone([])).get(file);
  return {
    open: async ({ zone_file: file }) => session(file, zoneOf(file)),
    present: () => Object.fromEntries([...zones].map(([file, zone]) => [file, zone.records()])),
    change: (files) => {
      for (const [file, all] of Object.entries(files)) zones.set(file, memoryZone(all));
    },
  };
}

/** A zone in memory, with some records. */
function memoryZone(start) {
  let records = [...start];
  return {
    records: () => records,
    read: async () => records,
    change: async ({ name, kind }, change) => {
      const isIt = (record) => record.name === name && record.kind === kind;
      const record = change(records.find(isIt));
      records = [
        ...records.filter((other) => !isIt(other)),
        ...(record === undefined ? [] : [record]),
      ];
    },
  };
}
