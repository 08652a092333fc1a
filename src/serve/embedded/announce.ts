/** Tells whoever runs in the folder where the server is. */

import { rename, writeFile } from "node:fs/promises";
import { type EmbeddedPlace, runningText } from "./place.ts";

export async function writeRunning({ running }: EmbeddedPlace, socket: string): Promise<void> {
  await writeFile(`${running}.new`, runningText(socket), { mode: 0o600 });
  await rename(`${running}.new`, running);
}
