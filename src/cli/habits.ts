/** Commands and options that people bring along from other tools, and what does it here. */

const commandWays: { readonly [word: string]: string } = {
  refresh: "vmform apply --refresh-only records what is observed",
  taint: "vmform apply --replace ADDRESS replaces an object",
  untaint: "nothing is marked for replacement: leave --replace out",
  providers: "the block providers declares them, and vmform explain describes each",
  get: "vmform init fetches modules and packages",
  upgrade: "vmform init --upgrade fetches modules and packages anew",
  login: "passwords stand in the configuration as { env: NAME } or { file: PATH }",
  preview: "vmform plan shows what would be done",
  up: "vmform apply does it",
  diff: "vmform plan shows what would be done, vmform drift what changed outside",
};

const optionWays: { readonly [option: string]: string } = {
  refresh: "what is recorded is always read before it is changed",
  lock: "the lock is always taken; --lock-timeout waits for it",
  input: "write --no-input",
  "compact-warnings": "there is no short form of warnings",
  state: "vmform.state.local.path in the configuration says where it is",
  "state-out": "vmform.state.local.path in the configuration says where it is",
  backup: "the state before is kept beside the state as .backup",
  force: "disruptions are allowed by their kind: --allow",
  reconfigure: "nothing has to be initialized",
  yes: "write --auto-approve",
};

/** Undefined for words of nobody. `message` is that of the library that reads the command line. */
export function wayOf(message: string): string | undefined {
  const [, kind, word = ""] = /unknown (command|option) '-{0,2}([\w-]+)/i.exec(message) ?? [];
  const ways = kind?.toLowerCase() === "command" ? commandWays : optionWays;
  return Object.hasOwn(ways, word) ? ways[word] : undefined;
}
