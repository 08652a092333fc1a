/** What the patterns of schemas ask for, in words: a regular expression explains nothing. */

/** By the pattern as it stands in a schema. `test/unit/config` holds that none is left out. */
const wordsOfPatterns: { readonly [pattern: string]: string } = {
  "^[0-9]+(ms|s|m|h)$": 'must be a number with its unit (ms, s, m or h), such as "90s"',
  "^[0-9]+(ms|s|m|h|d)$": 'must be a number with its unit (ms, s, m, h or d), such as "8h"',
  "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2})?(Z|[+-][0-9]{2}:[0-9]{2})$":
    "must be a time with its date and zone, such as 2026-01-05T08:00:00Z",
  "^[A-Z]{3}[0-9]{3}$": "must be a code such as PLN002",
  "^[1-9][0-9]*(m|h|d|w)$": 'must be a number with its unit (m, h, d or w), such as "30d"',
  "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$":
    "must be a UUID in small letters, such as 0d6f1c5e-7f3a-4c1b-9a55-2b8e0f6d4c11",
  "^all$": "must be the word all, or a list of names",
  "^[0-9]+$": "must be digits alone",
  "^[0-9]+(\\.[0-9]+)+$": 'must be numbers with dots between, such as "5.1"',
  "^[0-9]+(\\.[0-9]+){1,3}$": "must be a version such as 6.5, 6.7.3 or 8.0.3.0, as text",
  "^[A-Za-z]+$": "must be letters alone",
  "^[A-Za-z][A-Za-z0-9]*(:.+)?$": "must be letters and digits, with more only behind a colon",
  "^[^,]+$": "must not be empty nor hold a comma",
  "^[^/]+$": "must be a name without slashes",
  "^(?!\\.{1,2}$)[^/]+$": "must be a name without slashes, other than . and ..",
  "^appliance(-6\\.7|-7\\.0)?$":
    "must be a list, or one of appliance, appliance-6.7 and appliance-7.0",
  "^always$": "must be a whole number of at least 1, or always",
  "^(\\*|[A-Z]+) \\S+$": 'must be a method and a path, such as "POST /api/vms"',
  "^[^/\\\\]+$": "must be a name, without / and \\",
  "^[^~]": "must not begin with ~, which stands for nobody's home there",
  "^https?://[^/?#@]+(/[^?#]*)?$":
    "must begin with http:// or https://, go on with the host, and hold no login, ? or #",
  "^[0-9A-Fa-f]{2}(:?[0-9A-Fa-f]{2}){19}((:?[0-9A-Fa-f]{2}){12})?$":
    "must be a whole fingerprint: 40 hex digits (SHA-1) or 64 (SHA-256), colons between or not",
};

/** Undefined for a pattern that is not one of a schema. */
export function wordsOfPattern(pattern: string): string | undefined {
  return Object.hasOwn(wordsOfPatterns, pattern) ? wordsOfPatterns[pattern] : undefined;
}
