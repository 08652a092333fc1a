/** In the build, `screen.ts` is a module apart from the program (`scripts/modules-apart.mjs`). */

import type * as screen from "./screen.ts";

export function loadScreen(): Promise<typeof screen> {
  return import("./screen.ts");
}
