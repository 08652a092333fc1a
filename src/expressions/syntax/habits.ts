/** Functions and forms that people bring along from other tools, and what is written here. */

const ways: { readonly [name: string]: string } = {
  format: 'Put the expressions into the text itself: "web-${count.index}".',
  toset: "Leave it out: for_each takes a list of texts as it is.",
  tolist: "Leave it out: a list is a list.",
  tomap: "Leave it out: a map is a map.",
  tostring: "Write string(x).",
  tonumber: "Write int(x) or double(x).",
  jsonencode: "Leave it out: lists and maps are values and need no text.",
  yamlencode: "Leave it out: lists and maps are values and need no text.",
  jsondecode: "Write the value into a file for --var-file, which is YAML.",
  lookup: 'Write has(map.key) ? map.key : fallback, or map["key"].',
  coalesce: "Write a != null ? a : b.",
  try: "Write has(a.b) ? a.b : fallback.",
  can: "Write has(a.b).",
  file: "Secrets are read with { file: PATH }; what else is in files comes with --var-file.",
  length: "Write size(x).",
  concat: "Write a + b.",
  contains: 'Write "x" in list.',
  element: "Write list[0].",
  join: 'Write list.join(",").',
  split: 'Write text.split(",").',
  upper: "Write text.upper().",
  lower: "Write text.lower().",
  replace: 'Write text.replace("a", "b").',
  keys: "Write map.keys().",
  values: "Write map.values().",
  flatten: "Write list.flatten().",
  distinct: "Write list.distinct().",
  sort: "Write list.sort().",
  cidrhost: "Addresses are not computed here: write them into a list of locals.",
  cidrsubnet: "Addresses are not computed here: write them into a list of locals.",
  timestamp: "There is no time in expressions, since a plan would differ each time.",
  uuid: "There is no chance in expressions, since a plan would differ each time.",
};

export function wayOfFunction(name: string): string | undefined {
  return Object.hasOwn(ways, name) ? ways[name] : undefined;
}

/** `${web[*].id}` and `${[for v in list : v]}` of another language. */
export function wayOfForm(source: string): string | undefined {
  if (/\[\*\]|\.\*\./.test(source)) return "Write x.map(v, v.id) for each one's id.";
  if (/^\s*[[{]\s*for\b/.test(source)) {
    return "Write list.map(v, v.name); list.filter(v, v.size > 1) chooses some.";
  }
  return undefined;
}
