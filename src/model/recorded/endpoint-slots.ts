/**
 * Slots of endpoints: leave to have an operation under way at a server, counted over all runs that
 * share the store. They are held as the lock of recorded state is, and end with their holder.
 */

export type EndpointSlots = {
  /**
   * Tries it once; `atOnce` is how many there are. Who has tried in vain is next, until `leave`.
   * Throws `StoreError` when the lock of recorded state was lost: then nothing more may begin.
   */
  readonly take: (endpoint: string, atOnce: number) => Promise<SlotTaking>;
  /** Gives one of them back. */
  readonly give: (endpoint: string) => Promise<void>;
  /** Is not next any more. */
  readonly leave: (endpoint: string) => Promise<void>;
};

export type SlotTaking =
  | { readonly kind: "taken" }
  /** By other runs, in words for people, each once; empty where it is this run alone. */
  | { readonly kind: "held"; readonly by: readonly string[] };
