/**
 * What encryption promises, tried on each store: nothing that is recorded can be read where it is
 * kept, by whatever way it came there; keys change and encryption begins and ends without a loss;
 * and nothing is taken for what it is not.
 */

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { RecordedState } from "../../src/model/recorded/recorded.ts";
import type { Seal } from "../../src/model/recorded/seal.ts";
import type { Fence, Store, StoredState } from "../../src/model/recorded/store.ts";
import { foldAll } from "../../src/state/fold.ts";
import type { Keys } from "../../src/store/seal/seal.ts";
import { keySeal, plainSeal, testKey } from "../helpers/seals.ts";
import { everyEntry, fullState } from "../unit/state/samples.ts";
import { entries, problemOf } from "../unit/store/local/fixtures.ts";

/** One recorded state somewhere, empty at first. */
export type SealedPlace = {
  readonly open: (seal: Seal) => Store;
  /** Every byte that is kept of it, but for earlier versions that the medium keeps by itself. */
  readonly kept: () => Promise<string>;
  /** How many texts a snapshot writes that changes nothing. Default: none. */
  readonly alwaysWritten?: number;
  readonly remove: () => Promise<void>;
};

const first: RecordedState = { ...fullState, journal: { ...fullState.journal, position: 0 } };
/** The name of an object, a value of one, an address, a setting, an operation. */
const known = ["web-a", "12345678901234567890", "module.lab", "DAEMON_PASSWORD", "POST /api/vms"];

export function checkSealing(name: string, openPlace: () => Promise<SealedPlace>): void {
  describe(`sealed in the ${name} store`, () => {
    let place: SealedPlace;
    let opened: Store[];
    const open = (seal: Seal): Store => {
      const store = place.open(seal);
      opened.push(store);
      return store;
    };
    const reader = async (seal: Seal): Promise<StoredState> => open(seal).read();
    beforeEach(async () => {
      place = await openPlace();
      opened = [];
    });
    afterEach(async () => {
      for (const store of opened) await store.close();
      await place.remove();
    });

    test("nothing can be read of what is recorded, and without a key all of it can", async () => {
      await filled(open(keySeal()));
      expect(await readable(place, known)).toEqual([]);
      expect(await reader(keySeal())).toEqual({ snapshot: first, journal: everyEntry });
      await place.remove();
      place = await openPlace();
      await filled(open(plainSeal()));
      expect(await readable(place, known)).toEqual(known);
    });

    test("lineage, serial and journal can be", async () => {
      await filled(open(keySeal()));
      const fences = [first.lineage, first.journal.id];
      expect(await readable(place, fences)).toEqual(fences);
    });

    test("without a key, or with another, it is never taken for an empty one", async () => {
      await filled(open(keySeal()));
      expect(await codeOf(reader(plainSeal()))).toBe("STO060");
      expect(await codeOf(reader(keySeal({ first: testKey("2") })))).toBe("STO061");
      for (const seal of [plainSeal(), keySeal({ first: testKey("2") })]) {
        const store = open(seal);
        const tried = store
          .lock("apply", 0)
          .then(async (held) => store.append(entries(1, 1), held));
        expect(await codeOf(tried)).toMatch(/STO06[01]/);
        await store.close();
      }
      expect((await reader(keySeal())).journal).toEqual(everyEntry);
    });

    test("what was not sealed is refused, read where that is said, and sealed by the next snapshot", async () => {
      await filled(open(plainSeal()));
      expect(await codeOf(reader(keySeal()))).toBe("STO062");
      const beginning: Partial<Keys> = { unencrypted: "read" };
      expect(await reader(keySeal(beginning))).toMatchObject({
        snapshot: first,
        journal: everyEntry,
        remarks: [{ code: "STO065" }],
      });
      await resealed(open(keySeal(beginning)));
      expect(await readable(place, known)).toEqual([]);
      expect(stateOf(await reader(keySeal()))).toEqual(foldAll(first, everyEntry));
    });

    test("after a change of keys the former one is not needed any more", async () => {
      await filled(open(keySeal()));
      const changed: Partial<Keys> = { first: testKey("2"), former: [testKey()] };
      expect((await reader(keySeal(changed))).remarks).toMatchObject([{ code: "STO065" }]);
      const store = open(keySeal(changed));
      const held = await store.lock("apply", 0);
      // Entries of both keys beside each other.
      await store.append(entries(1, 2), held);
      await store.unlock(held);
      expect((await reader(keySeal(changed))).journal).toEqual([...everyEntry, ...entries(1, 2)]);
      await resealed(open(keySeal(changed)));
      const { remarks, ...now } = await reader(keySeal({ first: testKey("2") }));
      expect(remarks).toBeUndefined();
      expect(stateOf(now)).toEqual(foldAll(first, [...everyEntry, ...entries(1, 2)]));
      expect(await codeOf(reader(keySeal()))).toBe("STO061");
    });

    test("encryption ends where that is said", async () => {
      await filled(open(keySeal()));
      const ending: Keys = { first: undefined, former: [testKey()], unencrypted: "written" };
      await resealed(open(keySeal(ending)));
      expect(stateOf(await reader(plainSeal()))).toEqual(foldAll(first, everyEntry));
      const names = ["web-a", "module.lab"];
      expect(await readable(place, names)).toEqual(names);
    });

    test("what stands already is not written again, though it would never be sealed alike", async () => {
      await filled(open(keySeal()));
      await resealed(open(keySeal()));
      const before = await place.kept();
      const store = open(keySeal());
      const held = await store.lock("apply", 0);
      await store.compact(stateOf(await store.read()), held);
      const after = sealedTexts(await place.kept());
      const written = after.filter((text) => !before.includes(text));
      expect(written).toHaveLength(place.alwaysWritten ?? 0);
      expect(after.length).toBeGreaterThan(0);
      await store.unlock(held);
    });
  });
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  return (await problemOf(work)).code;
}

async function filled(store: Store): Promise<void> {
  const held = await store.lock("apply", 0);
  await store.compact(first, held);
  await store.append(everyEntry, held);
  await store.unlock(held);
  await store.close();
}

/** As `vmform state reseal` does it. */
async function resealed(store: Store): Promise<void> {
  const held: Fence = await store.lock("state reseal", 0);
  await store.compact(stateOf(await store.read()), held);
  await store.unlock(held);
  await store.close();
}

function stateOf({ snapshot, journal }: StoredState): RecordedState {
  if (snapshot === undefined) throw new Error("nothing is recorded");
  return foldAll(snapshot, journal);
}

function sealedTexts(kept: string): readonly string[] {
  return kept.match(/vmform-sealed\.[\w.-]+/g) ?? [];
}

/** Which of the texts stand in what is kept. */
async function readable(place: SealedPlace, texts: readonly string[]): Promise<readonly string[]> {
  const kept = await place.kept();
  return texts.filter((text) => kept.includes(text));
}
