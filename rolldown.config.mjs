/**
 * The published program: `dist/main.js`, with all packages in it but one, in chunks that are loaded when a
 * command needs them. Modules that are only imported dynamically are chunks of their own.
 */

import { defineConfig } from "rolldown";

export default defineConfig({
  input: { main: "src/main.ts" },
  platform: "node",
  // It brings binaries, and finds them beside itself.
  external: ["fs-native-extensions"],
  logLevel: "warn",
  output: {
    dir: "dist",
    cleanDir: true,
    format: "esm",
    sourcemap: true,
    // Half the text to compile at each start. Names of functions stay, for stack traces.
    minify: { compress: true, mangle: { keepNames: true }, codegen: { removeWhitespace: true } },
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
  },
});
