/** Problems of modules and their calls, as part of `codes.ts`. */

import type { Explanation } from "../model/said/explanation.ts";

export const moduleCodes = {
  CFG085: {
    summary: "Module cannot be read",
    explanation:
      "The source of a module leads to no folder with configuration files (*.vmform.yaml), or to " +
      "what is not fetched yet, or is not what was locked. A path begins with ./ or ../ and is " +
      "relative to the folder of the file that it stands in.",
  },
  CFG086: {
    summary: "Module calls itself",
    explanation:
      "A module is called from within itself, directly or through others, and would have no end.",
  },
  CFG087: {
    summary: "Block belongs in the root module",
    explanation:
      "The block vmform, providers, policies and imports concern the whole. A module " +
      "that is called has none of them: it uses providers of the root module by their names, or " +
      "by names that its call gives them.",
  },
  CFG088: {
    summary: "Output of a module cannot be used",
    explanation:
      "A precondition of an output of a called module does not hold, so the module must not be " +
      "used with these inputs. What is known only later is judged before whatever uses the output.",
  },
  CFG089: {
    summary: "Provider package cannot be used",
    explanation:
      "A block of providers names a package, which is not fetched, is not what was locked, is " +
      "no provider package, or does not keep the contract. Without the types that it brings, " +
      "nothing else of the configuration can be judged. See docs/provider-packages.md.",
  },
} as const satisfies { readonly [code: string]: Explanation };
