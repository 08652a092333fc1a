/** Each secret once in a run, masked before anybody has it, and no command that nobody asked for. */

import { expect, test } from "vitest";
import { createSecretMask } from "../../../src/lib/mask.ts";
import { commandsIn, secretReferenceOf } from "../../../src/model/value/secret-reference.ts";
import type { Value } from "../../../src/model/value/value.ts";
import type { CommandResult } from "../../../src/secrets/command.ts";
import { createSecretReader, type SecretPorts } from "../../../src/secrets/reader.ts";

const printed = (output: string): CommandResult => ({ kind: "printed", output });

function reader(changes: Partial<SecretPorts> = {}) {
  const mask = createSecretMask();
  const asked: string[] = [];
  const secrets = createSecretReader({
    mask,
    environment: { GOOD: "from-env-1", EMPTY: "" },
    readFile: async (path) => {
      asked.push(path);
      if (path === "empty") return "\n";
      if (path === "marked") return "\ufefffrom-file-1\r\n";
      if (path === "wide") return Buffer.from("\ufefffrom-file-1", "utf16le").toString("utf8");
      if (path === "none") throw new Error("ENOENT");
      return "from-file-1\r\n";
    },
    runCommand: async (words) => {
      asked.push(words.join(" "));
      return printed("from-command-1\n");
    },
    readVault: async ({ mount, path, field }) => {
      asked.push(`${mount} ${path} ${field}`);
      return "from-vault-1";
    },
    ...changes,
  });
  const read = async (value: Value): Promise<string> => {
    const reference = secretReferenceOf(value);
    if (reference === undefined) throw new Error("no reference");
    return secrets.read(reference);
  };
  return { read, asked, mask, allow: secrets.allowCommands };
}

test.each<readonly [Value, string]>([
  [{ env: "GOOD" }, "from-env-1"],
  [{ file: "password" }, "from-file-1"],
  [{ file: "marked" }, "from-file-1"],
  [{ command: ["pass", "show", "lab"] }, "from-command-1"],
  [{ vault: { path: "secret/lab/cloud", field: "password" } }, "from-vault-1"],
])("%j is read once and masked", async (value, secret) => {
  const { read, asked, mask, allow } = reader();
  allow([{ password: value }]);
  expect(await Promise.all([read(value), read(value)])).toEqual([secret, secret]);
  expect(await read(value)).toBe(secret);
  expect(asked.length).toBeLessThanOrEqual(1);
  expect(mask.mask(`it is ${secret}`)).toBe("it is ***");
});

test.each<readonly [Value, string]>([
  [{ env: "NONE" }, "environment variable NONE is not set"],
  [{ env: "EMPTY" }, "environment variable EMPTY is set and empty"],
  [{ file: "none" }, "cannot read none: ENOENT"],
  [{ file: "empty" }, "the file empty is empty"],
  [{ file: "wide" }, "the file wide is not in UTF-8; save it as that"],
])("%j is told: %s", async (value, message) => {
  await expect(reader().read(value)).rejects.toThrow(message);
});

test("a command that prints nothing, or fails, is told without what it printed", async () => {
  const command = { command: ["pass", "lab"] };
  const silent = reader({ runCommand: async () => printed("\n") });
  silent.allow(command);
  await expect(silent.read(command)).rejects.toThrow("the command pass printed nothing");
  const failing = reader({
    runCommand: async () => ({ kind: "failed", why: "ended with code 1", output: "half-a-secret" }),
  });
  failing.allow(command);
  await expect(failing.read(command)).rejects.toThrow("the command pass ended with code 1");
  expect(failing.mask.mask("half-a-secret")).toBe("***");
  const complaining = reader({
    runCommand: async () => ({
      ...{ kind: "failed", output: "a-secret-1\nuser: lab\n" },
      why: "ended with code 1: a-secret-1 is refused",
    }),
  });
  complaining.allow(command);
  await complaining.read(command).catch(() => {});
  expect(complaining.mask.mask("a-secret-1 is refused")).toBe("*** is refused");
});

test("a command that only recorded state names is not run", async () => {
  const { read, asked, allow } = reader();
  allow({ password: { command: ["pass", "lab"] } });
  await expect(read({ command: ["pass", "lab; rm"] })).rejects.toThrow(
    /the configuration does not name it/,
  );
  await expect(read({ command: ["pass"] })).rejects.toThrow(/the configuration does not name it/);
  expect(asked).toEqual([]);
});

test.each<readonly [Value]>([
  [{ command: [] }],
  [{ command: [""] }],
  [{ command: ["a", 1] }],
  [{ command: "pass show lab" }],
  [{ env: "A", file: "b" }],
  [{ env: "" }],
  [{ vault: { path: "lab", field: "f" } }],
  [{ vault: { path: "secret/lab" } }],
  [{ vault: { path: "secret/lab", field: "f", version: "1" } }],
  [{ url: "x" }],
  ["text"],
  [null],
])("%j is no reference to a secret", (value) => {
  expect(secretReferenceOf(value)).toBeUndefined();
});

test("the mount is the first part of the path, unless it is told", () => {
  const parts = { kind: "vault", field: "f" };
  expect(secretReferenceOf({ vault: { path: "/secret/a/b/", field: "f" } })).toEqual({
    ...parts,
    ...{ mount: "secret", path: "a/b" },
  });
  expect(secretReferenceOf({ vault: { mount: "team/kv", path: "a", field: "f" } })).toEqual({
    ...parts,
    ...{ mount: "team/kv", path: "a" },
  });
});

test("commands are found at any depth", () => {
  expect(commandsIn([{ a: { password: { command: ["x"] } } }, { command: ["y", "z"] }])).toEqual([
    ["x"],
    ["y", "z"],
  ]);
});
