/** Functions and forms that people bring along from other tools, and what is written here. */

const ways: { readonly [name: string]: string } = {
  format:
    'Write "web-%03d".format([7]), or put the expressions into the text: "web-${count.index}".',
  formatlist: 'Write list.map(x, "web-%s".format([x])).',
  toset: "Write list.distinct(); for_each takes a list of texts as it is.",
  tolist: "Leave it out: a list is a list.",
  tomap: "Leave it out: a map is a map.",
  tostring: "Write string(x).",
  tonumber: "Write int(x) or double(x).",
  tobool: "Write bool(x).",
  convert: "Write string(x), int(x), double(x) or bool(x).",
  lookup: 'Write map.get("key", fallback).',
  length: "Write size(x).",
  concat: "Write a + b.",
  contains: 'Write "x" in list, or text.contains("x").',
  strcontains: 'Write text.contains("x").',
  element: "Write list[i % size(list)].",
  index: "Write list.indexOf(x).",
  join: 'Write list.join(",").',
  split: 'Write text.split(",").',
  upper: "Write text.upper().",
  lower: "Write text.lower().",
  title: "Write text.title().",
  replace: 'Write text.replace("a", "b"), or text.replaceMatches("[a-z]+", "b").',
  regex: 'Write text.find("[0-9]+"), or text.captures("([a-z]+)-([0-9]+)") for groups.',
  regexall: 'Write text.findAll("[0-9]+").',
  regexmatch: 'Write text.matches("^[a-z]+$").',
  matches: 'Write text.matches("^[a-z]+$").',
  startswith: 'Write text.startsWith("a").',
  endswith: 'Write text.endsWith("a").',
  trim: "Write text.trim(), trimPrefix(x) or trimSuffix(x).",
  trimspace: "Write text.trim().",
  trimprefix: 'Write text.trimPrefix("a").',
  trimsuffix: 'Write text.trimSuffix("a").',
  chomp: 'Write text.trimSuffix("\\n").',
  indent: "Write text.indent(2).",
  substr: "Write text.substring(from, to).",
  strrev: "Write text.reverse().",
  reverse: "Write list.reverse().",
  slice: "Write list.slice(from, to).",
  keys: "Write map.keys().",
  values: "Write map.values().",
  flatten: "Write list.flatten().",
  distinct: "Write list.distinct().",
  compact: "Write list.compact().",
  sort: "Write list.sort().",
  sum: "Write list.sum().",
  one: "Write list.one().",
  alltrue: "Write list.all(x, x).",
  anytrue: "Write list.exists(x, x).",
  chunklist: "Write list.chunks(2).",
  setunion: "Write a.union(b).",
  setintersection: "Write a.intersect(b).",
  setsubtract: "Write a.subtract(b).",
  setproduct: "Write a.product(b).",
  matchkeys: "Write list.filter(x, x.key in wanted).map(x, x.value).",
  signum: "Write sign(x).",
  plantimestamp: "Write timestamp(): it is the time of the plan.",
  timecmp: "Write timestamp(a) < timestamp(b).",
  abspath: "Leave it out: paths begin at the folder of the configuration.",
  pathexpand: "Leave it out: ~/ is your home folder in every path.",
  fileset: "Write the names into a list of locals: folders are not listed.",
  filebase64sha256: "Write filesha256(path).",
  filesha1: "Write filesha256(path).",
  textencodebase64: 'Write base64encode(text, "UTF-16LE").',
  textdecodebase64: 'Write base64decode(text, "UTF-16LE").',
  base64gzip: "Nothing is compressed here: write base64encode(text).",
  uuid: "A plan would differ each time: write uuidv5(…), which makes a UUID of a name.",
  bcrypt: "There is no chance in expressions, since a plan would differ each time.",
  rsadecrypt: "Secrets are read with { env: NAME } or { file: PATH }.",
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
  if (/%\{\s*(?:if|for)\b/.test(source)) return "Write a ? b : c, or list.map(v, …).join(…).";
  return undefined;
}
