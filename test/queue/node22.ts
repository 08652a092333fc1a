/** Node.js of a version that workers run on, where the tests themselves run on an older one. */

const major = Number(process.versions.node.split(".")[0]);

/** Its path; undefined where there is none. Says loudly when not; in CI its absence is a failure. */
export function findNode22(): string | undefined {
  const named = process.env.VMFORM_NODE22;
  if (named !== undefined && named !== "") return named;
  if (major >= 23) return process.execPath;
  const text = "There is no Node.js 22 here (VMFORM_NODE22)";
  if (process.env.CI !== undefined) throw new Error(`${text}, and CI has to have one.`);
  process.stderr.write(`\n!! ${text}: workers are not run as processes.\n`);
  return undefined;
}
