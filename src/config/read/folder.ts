/** The folder of a module, as whoever loads a configuration hands it over. */

import type { FileReader } from "../../expressions/functions/function-context.ts";
import type { FileBytes } from "./document.ts";

export type ModuleFolder = {
  /** As printed in diagnostics; the same folder has the same text. */
  readonly directory: string;
  readonly files: readonly FileBytes[];
  /** Reads files below it that expressions name. */
  readonly readFile: FileReader;
};

export type FoundFolder =
  | { readonly ok: true; readonly folder: ModuleFolder }
  | {
      readonly ok: false;
      readonly detail: string;
      readonly fix?: string | undefined;
      /** It is elsewhere, and may be fetched. */
      readonly isToFetch?: true;
    };

/** The folder of `source`, as a module in the folder `from` writes it. Does not throw. */
export type FolderReader = (source: string, from: string) => FoundFolder;
