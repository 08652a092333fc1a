/**
 * What is published for who writes a provider package: `vmform/provider` and its suite of checks,
 * each in one file, with types that name nothing else of the project.
 */

import { defineConfig } from "rolldown";
import { dts } from "rolldown-plugin-dts";
import { kindOfFiles } from "./scripts/kind-of-files.mjs";
import { thirdParty } from "./scripts/third-party.mjs";

export default defineConfig({
  input: { provider: "src/published/provider.ts", testing: "src/published/testing.ts" },
  platform: "node",
  logLevel: "warn",
  plugins: [
    dts({ oxc: true, tsconfig: "tsconfig.json" }),
    thirdParty(),
    // The program, in the folder above, is no module.
    kindOfFiles("module"),
  ],
  output: {
    dir: "dist/provider",
    cleanDir: true,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
  },
});
