/** Plain data as YAML text that reads back as the same data. */

import { stringify } from "yaml";

/**
 * Block style, lists indented, no line folded. A text that YAML would read as something else (`true`,
 * `0123`) is quoted. Ends with a newline.
 */
export function yamlText(value: unknown): string {
  return stringify(value, { version: "1.2", lineWidth: 0, aliasDuplicateObjects: false });
}
