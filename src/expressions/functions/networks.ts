/** Addresses and prefixes of IPv4 and IPv6, in whole numbers. */

import { isIPv4, isIPv6 } from "node:net";
import { boundList, type FunctionEntry, failure, within } from "./function-entry.ts";

type Prefix = { readonly base: bigint; readonly length: number; readonly bits: 32 | 128 };

export const networkFunctions: readonly FunctionEntry[] = [
  {
    name: "cidrhost",
    group: "Addresses of networks",
    form: "cidrhost(prefix, number)",
    sentence: "The address with a number within a prefix; a negative one counts from its end.",
    examples: [
      { expression: 'cidrhost("10.12.0.0/16", 5)', value: '"10.12.0.5"' },
      { expression: 'cidrhost("10.12.0.0/24", -2)', value: '"10.12.0.254"' },
      { expression: 'cidrhost("fd00::/64", 10)', value: '"fd00::a"' },
    ],
    overloads: { "cidrhost(string, int): string": host },
  },
  {
    name: "cidrnetmask",
    group: "Addresses of networks",
    form: "cidrnetmask(prefix)",
    sentence: "The mask of an IPv4 prefix.",
    examples: [{ expression: 'cidrnetmask("10.0.0.0/12")', value: '"255.240.0.0"' }],
    overloads: {
      "cidrnetmask(string): string": (text: string) => {
        const prefix = prefixOf("cidrnetmask()", text);
        if (prefix.bits === 128) throw failure("cidrnetmask() takes an IPv4 prefix");
        return addressText(maskOf(prefix), 32);
      },
    },
  },
  {
    name: "cidrsubnet",
    group: "Addresses of networks",
    form: "cidrsubnet(prefix, bits, number)",
    sentence: "The prefix with a number among those that are so many bits longer.",
    examples: [
      { expression: 'cidrsubnet("10.0.0.0/16", 8, 2)', value: '"10.0.2.0/24"' },
      { expression: 'cidrsubnet("fd00::/48", 16, 3)', value: '"fd00:0:0:3::/64"' },
    ],
    overloads: { "cidrsubnet(string, int, int): string": subnet },
  },
  {
    name: "cidrsubnets",
    group: "Addresses of networks",
    form: "cidrsubnets(prefix, list)",
    sentence: "Prefixes one after the other, each so many bits longer as the list says.",
    examples: [
      {
        expression: 'cidrsubnets("10.0.0.0/16", [8, 8, 4])',
        value: '["10.0.0.0/24","10.0.1.0/24","10.0.16.0/20"]',
      },
    ],
    overloads: { "cidrsubnets(string, list): list<string>": subnets },
  },
  {
    name: "cidrcontains",
    group: "Addresses of networks",
    form: "cidrcontains(prefix, address)",
    sentence: "Whether an address, or another prefix as a whole, is within a prefix.",
    examples: [
      { expression: 'cidrcontains("10.0.0.0/8", "10.3.0.1")', value: "true" },
      { expression: 'cidrcontains("10.0.0.0/8", "11.0.0.0/16")', value: "false" },
    ],
    overloads: { "cidrcontains(string, string): bool": contains },
  },
];

function prefixOf(name: string, text: string): Prefix {
  const [, address = "", length = ""] = /^([^/]{1,50})\/(\d{1,3})$/.exec(text) ?? [];
  const parsed = addressOf(address);
  if (parsed === undefined || length === "" || Number(length) > parsed.bits) {
    const shown = JSON.stringify(text.slice(0, 60));
    throw failure(`${name} takes a prefix such as 10.0.0.0/16, not ${shown}`);
  }
  const prefix = { base: parsed.value, length: Number(length), bits: parsed.bits };
  return { ...prefix, base: prefix.base & maskOf(prefix) };
}

function addressOf(text: string): { value: bigint; bits: 32 | 128 } | undefined {
  if (isIPv4(text)) {
    const value = text.split(".").reduce((sum, part) => (sum << 8n) + BigInt(part), 0n);
    return { value, bits: 32 };
  }
  if (!isIPv6(text) || text.includes("%")) return undefined;
  return { value: ipv6Value(text), bits: 128 };
}

function ipv6Value(text: string): bigint {
  const dotted = text.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_all, ...parts: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = parts.slice(0, 4).map(Number);
    return `${((a << 8) + b).toString(16)}:${((c << 8) + d).toString(16)}`;
  });
  const [head = "", tail] = dotted.split("::");
  const groups = (part: string): string[] => (part === "" ? [] : part.split(":"));
  const before = groups(head);
  const after = groups(tail ?? "");
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  return [...before, ...zeros, ...after].reduce(
    (sum, part) => (sum << 16n) + BigInt(`0x${part}`),
    0n,
  );
}

function addressText(value: bigint, bits: 32 | 128): string {
  if (bits === 32) return [24n, 16n, 8n, 0n].map((at) => (value >> at) & 0xffn).join(".");
  const groups = Array.from({ length: 8 }, (_, at) =>
    ((value >> BigInt(112 - 16 * at)) & 0xffffn).toString(16),
  ).join(":");
  // RFC 5952: the longest run of zeros is left out, the first of equal ones.
  const runs = [...groups.matchAll(/(?<![^:])0(?::0)+(?![^:])/g)];
  const longest = runs.reduce((best, [run]) => (run.length > best.length ? run : best), "");
  if (longest === "") return groups;
  const at = runs.find(([run]) => run === longest)?.index ?? 0;
  const before = groups.slice(0, at).replace(/:$/, "");
  return `${before}::${groups.slice(at + longest.length).replace(/^:/, "")}`;
}

function maskOf({ length, bits }: Pick<Prefix, "length" | "bits">): bigint {
  return ((1n << BigInt(length)) - 1n) << BigInt(bits - length);
}

function host(text: string, number: bigint): string {
  const { base, length, bits } = prefixOf("cidrhost()", text);
  const count = 1n << BigInt(bits - length);
  if (number >= count || number < -count) {
    throw failure(`cidrhost(): ${text} has ${count} addresses, none with the number ${number}`);
  }
  return addressText(base + (number < 0n ? count + number : number), bits);
}

function subnet(text: string, more: bigint, number: bigint): string {
  const prefix = prefixOf("cidrsubnet()", text);
  const bits = within("the bits of cidrsubnet()", more, 0, prefix.bits - prefix.length);
  if (number < 0n || number >= 1n << BigInt(bits)) {
    throw failure(`cidrsubnet(): ${bits} bits hold no prefix with the number ${number}`);
  }
  const length = prefix.length + bits;
  const base = prefix.base + (number << BigInt(prefix.bits - length));
  return `${addressText(base, prefix.bits)}/${length}`;
}

function subnets(text: string, list: Iterable<unknown>): readonly string[] {
  const prefix = prefixOf("cidrsubnets()", text);
  const end = prefix.base + (1n << BigInt(prefix.bits - prefix.length));
  const all: string[] = [];
  let next = prefix.base;
  for (const more of list) {
    if (typeof more !== "bigint") throw failure("cidrsubnets() takes a list of integers");
    const bits = within("the bits of cidrsubnets()", more, 1, prefix.bits - prefix.length);
    const length = prefix.length + bits;
    const size = 1n << BigInt(prefix.bits - length);
    const base = ((next + size - 1n) / size) * size;
    if (base + size > end) throw failure(`cidrsubnets(): ${text} has no room for all of them`);
    all.push(`${addressText(base, prefix.bits)}/${length}`);
    boundList("cidrsubnets()", all.length);
    next = base + size;
  }
  return all;
}

function contains(text: string, inner: string): boolean {
  const outer = prefixOf("cidrcontains()", text);
  const own = addressOf(inner);
  const other =
    own === undefined
      ? prefixOf("cidrcontains()", inner)
      : { base: own.value, length: own.bits, bits: own.bits };
  if (outer.bits !== other.bits) return false;
  return other.length >= outer.length && (other.base & maskOf(outer)) === outer.base;
}
