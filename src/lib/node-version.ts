/** Which Node.js this is, and whether that is enough. */

/** Major and minor. */
export type NodeNeeded = readonly [number, number];

/** First version for which what runs on several machines is made; the rest runs on older ones. */
export const distributedNode: NodeNeeded = [22, 12];

/** `version` as `process.version` has it. */
export function isNodeEnough(version: string, [major, minor]: NodeNeeded): boolean {
  const [is = 0, point = 0] = version.replace(/^v/, "").split(".").map(Number);
  return is > major || (is === major && point >= minor);
}

/** Somebody knows better, such as the tests of this project on an older one. */
const unsupportedNodeVariable = "VMFORM_UNSUPPORTED_NODE";

/** Why it cannot run here; undefined where it can. */
export function distributedNodeProblem(
  version: string,
  environment: { readonly [name: string]: string | undefined },
): string | undefined {
  if (isNodeEnough(version, distributedNode)) return undefined;
  if (environment[unsupportedNodeVariable] === "1") return undefined;
  return `needs Node.js ${distributedNode.join(".")} or later, and this is ${version}`;
}
