/** The command `vmform` of the present sources, in a folder for the search path of a shell. */

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildProgram } from "../helpers/build.ts";

export type Command = {
  /** Folder that holds `vmform`. */
  readonly bin: string;
  /** The file to give to Node.js. */
  readonly main: string;
  remove(): void;
};

/** `node` runs it; absent: that of the tests. */
export function installCommand(node = process.execPath): Command {
  const build = buildProgram();
  const bin = mkdtempSync(join(tmpdir(), "vmform-bin-"));
  const file = join(bin, "vmform");
  writeFileSync(file, `#!/bin/sh\nexec "${node}" "${build.main}" "$@"\n`);
  chmodSync(file, 0o755);
  return {
    bin,
    main: build.main,
    remove: () => {
      rmSync(bin, { recursive: true, force: true });
    },
  };
}
