/** Configurations of one shape and any size, of the built-in no-op type. */

/** @typedef {"chain" | "references" | "fan-out" | "fan-in" | "random" | "layers"} Shape */

/** @type {readonly Shape[]} */
export const shapes = ["chain", "references", "fan-out", "fan-in", "random", "layers"];

/**
 * @param {Shape} shape
 * @param {number} count objects
 * @returns {string} YAML
 */
export function shapeText(shape, count) {
  if (shape === "layers") return layersText(count);
  const random = createRandom();
  const lines = ["resources:"];
  for (let index = 0; index < count; index += 1) {
    const before = dependenciesOf(shape, index, count, random);
    const linked = shape === "references" && index > 0;
    const value = linked ? `\${noop_resource.r${index - 1}.value}` : "same";
    lines.push(`  noop_resource.r${index}:`, `    name: r${index}`, `    value: ${value}`);
    const names = before.map((other) => `noop_resource.r${other}`);
    if (names.length > 0) lines.push(`    depends_on: [${names.join(", ")}]`);
  }
  return `${lines.join("\n")}\n`;
}

/**
 * @param {Shape} shape
 * @param {number} index
 * @param {number} count
 * @param {() => number} random
 * @returns {readonly number[]}
 */
function dependenciesOf(shape, index, count, random) {
  if (index === 0) return [];
  if (shape === "chain") return [index - 1];
  if (shape === "fan-out") return [0];
  if (shape === "fan-in")
    return index < count - 1 ? [] : Array.from({ length: index }, (_, i) => i);
  if (shape !== "random") return [];
  const chosen = [0, 1, 2].map(() => Math.floor(random() * index));
  return [...new Set(chosen)];
}

/**
 * Four resources, every instance of one after every instance of the one before.
 *
 * @param {number} count
 */
function layersText(count) {
  const lines = ["resources:"];
  for (let layer = 0; layer < 4; layer += 1) {
    lines.push(`  noop_resource.l${layer}:`, `    count: ${Math.floor(count / 4)}`);
    lines.push(`    name: "l${layer}-\${count.index}"`, "    value: same");
    if (layer > 0) lines.push(`    depends_on: [noop_resource.l${layer - 1}]`);
  }
  return `${lines.join("\n")}\n`;
}

/** Equal numbers in every run. */
function createRandom() {
  let seed = 1;
  return () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };
}
