/** What there is to say of provider packages, by stable code. */

import type { Diagnostic } from "../said/diagnostic.ts";
import type { Explanation } from "../said/explanation.ts";
import { type At, problemsOf } from "../said/problem.ts";

export const packageCodes = {
  PKG001: {
    summary: "Provider package failed",
    explanation:
      "The code of a provider package threw what is no RemoteError, gave back what its contract " +
      "does not allow, or did not answer in time. This is a fault of the package that the " +
      "message names, and not of vmform: whoever wrote the package has to mend it. What it had " +
      "begun is in the journal, and the next run looks for it.",
    fix: "Report it to the author of the package, or go back to the version before.",
  },
  PKG002: {
    summary: "Type of a recorded object is not known",
    explanation:
      "Recorded state has objects of a type that neither vmform nor a provider package of this " +
      "configuration brings, so nobody can read, change or delete them. Nothing is done, and " +
      "nothing of them is lost.",
    fix: "Name the package again, or forget the objects with vmform state rm.",
  },
} as const satisfies { readonly [code: string]: Explanation };

export const { problem } = problemsOf(packageCodes);

/** Tells a fault of a package; `message` is that of a `PackageFailure`. */
export function packageProblem(at: At, message: string): Diagnostic {
  const detail = `${message.slice(0, 1).toUpperCase()}${message.slice(1)}.`;
  return problem(at, "PKG001", { detail, fix: packageCodes.PKG001.fix });
}
