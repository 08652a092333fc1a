/** The http store keeps what every store promises, on the rules of GitLab, Gitea and others. */

import type { Store } from "../../src/model/recorded/store.ts";
import { checkStore } from "./conformance.ts";
import { openHttpStore, placeAt } from "./http-place.ts";
import { startStateServer } from "./state-server.ts";

const traits = {
  forceUnlock: "fences",
  killed: "stays locked",
  tellsHolder: "once it writes",
} as const;

for (const rules of ["gitlab", "gitea", "plain"] as const) {
  checkStore(`http (${rules})`, traits, async () => {
    const server = await startStateServer(rules);
    const killers = new Map<Store, () => void>();
    return {
      open: (host) => {
        const { store, kill } = openHttpStore(placeAt(server), host);
        killers.set(store, kill);
        return store;
      },
      kill: async (store) => killers.get(store)?.(),
      remove: () => server.stop(),
    };
  });
}
