/** The queue of workers asks for a newer Node.js than everything else. */

import { type CommandEnvironment, CommandError } from "../../commands/environment.ts";

const least = [22, 12] as const;

type Asked = Pick<CommandEnvironment, "system">;

/** Throws `CommandError` on an older one. */
export function requireNode(asked: Asked, what: string): void {
  const problem = nodeProblem(asked, what);
  if (problem !== undefined) throw new CommandError(problem.why, problem.fix);
}

/** Undefined on one that is new enough. */
export function nodeProblem(
  { system }: Asked,
  what: string,
): { readonly why: string; readonly fix: string } | undefined {
  const [major = 0, minor = 0] = system.nodeVersion.replace(/^v/, "").split(".").map(Number);
  if (major > least[0] || (major === least[0] && minor >= least[1])) return undefined;
  return {
    why: `${what} needs Node.js ${least.join(".")} or newer, and this is ${system.nodeVersion}.`,
    fix: "Run it with a newer one; the other commands do with this.",
  };
}
