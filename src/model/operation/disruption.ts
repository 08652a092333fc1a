/** Kinds of disruption: what an operation does that people have to agree to. */

/** What may hurt somebody; each needs consent by name (`--allow`). */
export const disruptions = [
  "power-off",
  "power-cycle",
  "replace",
  "destroy",
  "reclaim",
  /** A disk becomes larger, and never smaller again. */
  "grow",
  "discard-state",
  /** A VM comes to share its disks: they stay where they are, and are only read from then on. */
  "linked-clone",
  "readopt",
  /** Most recorded objects are missing at once: more likely a wrong endpoint than a clean-up. */
  "vanished",
  /** What is recorded was recorded at another server, or at one that is elsewhere by now. */
  "endpoint",
  /** A remote task that somebody else has begun is cancelled. */
  "foreign-task",
] as const;

export type Disruption = (typeof disruptions)[number];

/** What is agreed to by name: a kind of disruption, or that a policy does not hold. */
export type Consent = Disruption | `policy:${string}`;

/** The consent that a policy asks for. */
export function policyConsent(policy: string): Consent {
  return `policy:${policy}`;
}

export function isConsent(text: string): text is Consent {
  return isDisruption(text) || /^policy:[A-Za-z_][A-Za-z0-9_]*$/.test(text);
}

function isDisruption(text: string): text is Disruption {
  return disruptions.some((disruption) => disruption === text);
}
