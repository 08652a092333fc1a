/**
 * Addresses: the unique path of a resource instance, exactly as plans print it, such as
 * `module.lab[0].daemon_vm.web["a"]`. This is the only file that makes the `Address` brand.
 */

declare const addressBrand: unique symbol;
export type Address = string & { readonly [addressBrand]: true };

/** Key of an instance or module call: a number for `count`, text for `for_each`. */
export type InstanceKey = number | string;

/** What was known by one address is known by another. */
export type Move = { readonly from: Address; readonly to: Address };

declare const modulePathBrand: unique symbol;
/** A call of a module, or one instance of it: `module.lab`, `module.lab["a"].module.net`. */
export type ModulePath = string & { readonly [modulePathBrand]: true };

/** What a person selects objects by: an instance, a resource, or all that is in a module. */
export type Selector = Address | ModulePath;

export type ModuleStep = { readonly name: string; readonly key?: InstanceKey };

export type AddressParts = {
  readonly modules: readonly ModuleStep[];
  readonly mode: "managed" | "data";
  readonly type: string;
  readonly name: string;
  readonly key?: InstanceKey;
};

const namePattern = "[A-Za-z_][A-Za-z0-9_]*";
const keyPattern = String.raw`(?:\[(\d+|"(?:[^"\\]|\\.)*")\])?`;
const moduleStep = new RegExp(`^module\\.(${namePattern})${keyPattern}\\.`);
const dataPrefix = "data.";
const resourcePart = new RegExp(`^(data\\.)?(${namePattern})\\.(${namePattern})${keyPattern}$`);

/** Parts of an address text, or undefined when the text is not an address. */
export function parseAddress(text: string): AddressParts | undefined {
  const { steps: modules, rest } = moduleSteps(text);
  const match = resourcePart.exec(rest);
  if (match === null || (match[1] === undefined && match[2] === "module")) return undefined;
  const parts: AddressParts = {
    modules,
    mode: match[1] === undefined ? "managed" : "data",
    type: match[2] ?? "",
    name: match[3] ?? "",
  };
  const key = parseKey(match[4]);
  return key === undefined ? parts : { ...parts, key };
}

export function formatAddress(parts: AddressParts): Address {
  const modules = parts.modules.length === 0 ? "" : `${moduleText(parts.modules)}.`;
  const mode = parts.mode === "data" ? "data." : "";
  return `${modules}${mode}${parts.type}.${parts.name}${formatKey(parts.key)}` as Address;
}

/** The path of a module instance, such as `module.lab["a"].module.net`; empty for the root. */
export function moduleText(steps: readonly ModuleStep[]): string {
  return steps.map(({ name, key }) => `module.${name}${formatKey(key)}`).join(".");
}

/** Steps of such a path, or undefined when the text is none. */
export function parseModules(text: string): readonly ModuleStep[] | undefined {
  const { steps, rest } = moduleSteps(`${text}.`);
  return rest === "" && steps.length > 0 ? steps : undefined;
}

export function toModulePath(text: string): ModulePath | undefined {
  const steps = parseModules(text);
  return steps === undefined ? undefined : (moduleText(steps) as ModulePath);
}

export function toSelector(text: string): Selector | undefined {
  return toAddress(text) ?? toModulePath(text);
}

export function isModulePath(selector: Selector): selector is ModulePath {
  return parseModules(selector) !== undefined;
}

/** A resource selects all its instances; a module all that is in it, in all its instances. */
export function selects(selector: Selector, address: Address): boolean {
  if (selector === address) return true;
  if (!isModulePath(selector)) {
    return parseAddress(selector)?.key === undefined && resourceOf(address) === selector;
  }
  if (!address.startsWith(selector)) return false;
  const next = address[selector.length];
  return next === "." || (next === "[" && !selector.endsWith("]"));
}

/** Whether `outer` selects all of `inner`; both may be resources, instances or modules. */
export function encloses(outer: string, inner: string): boolean {
  if (inner === outer) return true;
  if (!inner.startsWith(outer)) return false;
  const next = inner[outer.length];
  return next === "." || (next === "[" && !outer.endsWith("]"));
}

/**
 * The type as expressions name it: `daemon_vm` of a resource, `data.daemon_vms` of a data source.
 */
export function qualifiedType({ mode, type }: Pick<AddressParts, "mode" | "type">): string {
  return mode === "data" ? `${dataPrefix}${type}` : type;
}

/** The inverse of `qualifiedType`. */
export function typeParts(qualified: string): Pick<AddressParts, "mode" | "type"> {
  if (!qualified.startsWith(dataPrefix)) return { mode: "managed", type: qualified };
  return { mode: "data", type: qualified.slice(dataPrefix.length) };
}

/** The canonical address of a text, or undefined when it is not one. */
export function toAddress(text: string): Address | undefined {
  const parts = parseAddress(text);
  return parts === undefined ? undefined : formatAddress(parts);
}

/** The address without its instance key: the resource all its instances belong to. */
export function resourceOf(address: Address): Address {
  const parts = parseAddress(address);
  if (parts === undefined || parts.key === undefined) return address;
  const { key: _key, ...resource } = parts;
  return formatAddress(resource);
}

/**
 * Total order: text order, but numbers by value, so `a[2]` stands before `a[10]`. Sorts whole
 * estates again and again, so it looks at characters and makes no texts of its own.
 */
export function compareAddresses(left: string, right: string): number {
  if (left === right) return 0;
  let at = 0;
  while (at < left.length && left.charCodeAt(at) === right.charCodeAt(at)) at += 1;
  const [a, b] = [left.charCodeAt(at), right.charCodeAt(at)];
  if (isDigit(a) || isDigit(b)) {
    let from = at;
    while (isDigit(left.charCodeAt(from - 1))) from -= 1;
    const [x, y] = [digitsFrom(left, from), digitsFrom(right, from)];
    if (x !== "" && y !== "") return Number(x) - Number(y) || (x < y ? -1 : 1);
    // A number, and the end, stand before what goes on as text.
    const other = isDigit(a) ? b : a;
    return isDigit(a) === Number.isNaN(other) ? 1 : -1;
  }
  return left < right ? -1 : 1;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function digitsFrom(text: string, from: number): string {
  let end = from;
  while (isDigit(text.charCodeAt(end))) end += 1;
  return text.slice(from, end);
}

function moduleSteps(text: string): { readonly steps: ModuleStep[]; readonly rest: string } {
  const steps: ModuleStep[] = [];
  let rest = text;
  for (let step = moduleStep.exec(rest); step !== null; step = moduleStep.exec(rest)) {
    const key = parseKey(step[2]);
    steps.push(key === undefined ? { name: step[1] ?? "" } : { name: step[1] ?? "", key });
    rest = rest.slice(step[0].length);
  }
  return { steps, rest };
}

function parseKey(text: string | undefined): InstanceKey | undefined {
  if (text === undefined) return undefined;
  if (!text.startsWith('"')) return Number(text);
  try {
    const key: unknown = JSON.parse(text);
    return typeof key === "string" ? key : undefined;
  } catch {
    return undefined;
  }
}

function formatKey(key: InstanceKey | undefined): string {
  if (key === undefined) return "";
  return typeof key === "number" ? `[${key}]` : `[${JSON.stringify(key)}]`;
}
