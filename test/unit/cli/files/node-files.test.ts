/** What is written anew is that and nothing else, wherever a folder for files is. */

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nodeFiles } from "../../../../src/cli/files/node-files.ts";

const folders = ["/dev/shm", tmpdir()].filter((folder) => existsSync(folder));

test.each(folders)("a file in %s is replaced, and looked at as one", async (parent) => {
  const folder = mkdtempSync(join(parent, "vmform-files-"));
  try {
    for (const write of [nodeFiles.rewriteFile, nodeFiles.writeFile]) {
      const path = join(folder, "main.vmform.yaml");
      writeFileSync(path, "locals: { a: 1 }\n");
      await write(path, "locals: { a: 2 }\n");
      expect(readFileSync(path, "utf8")).toBe("locals: { a: 2 }\n");
      expect(await nodeFiles.lookAtFile(path)).toMatchObject({ kind: "file" });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test.runIf(existsSync("/dev/null"))("a device is written to, and stays one", async () => {
  await nodeFiles.writeFile("/dev/null", "gone\n");
  expect(await nodeFiles.lookAtFile("/dev/null")).toMatchObject({ kind: "stream" });
});
