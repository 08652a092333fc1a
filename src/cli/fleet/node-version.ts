/** The queue of workers asks for a newer Node.js than everything else. */

import { type CommandEnvironment, CommandError } from "../../commands/environment.ts";

const least = [22, 12] as const;

/** Throws `CommandError` on an older one. */
export function requireNode({ system }: Pick<CommandEnvironment, "system">, what: string): void {
  const [major = 0, minor = 0] = system.nodeVersion.replace(/^v/, "").split(".").map(Number);
  if (major > least[0] || (major === least[0] && minor >= least[1])) return;
  throw new CommandError(
    `${what} needs Node.js ${least.join(".")} or newer, and this is ${system.nodeVersion}.`,
    "Run it with a newer one; the other commands do with this.",
  );
}
