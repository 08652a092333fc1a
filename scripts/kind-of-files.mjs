/** Says how Node.js is to read the files of a folder. A plugin of the bundler. */

/** @param {"commonjs" | "module"} type */
export function kindOfFiles(type) {
  return {
    name: "kind-of-files",
    generateBundle() {
      const source = `${JSON.stringify({ type })}\n`;
      this.emitFile({ type: "asset", fileName: "package.json", source });
    },
  };
}
