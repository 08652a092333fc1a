/** Records of a world as a simulator holds them: by their ids, in the order of the world. */

type Identified = { readonly id: string };

export function byId<Each extends Identified>(records: readonly Each[]): Map<string, Each> {
  return new Map(records.map((record) => [record.id, record]));
}

/** Puts other records in the place of all. */
export function refill<Each extends Identified>(
  map: Map<string, Each>,
  records: readonly Each[],
): void {
  map.clear();
  for (const record of records) map.set(record.id, record);
}
