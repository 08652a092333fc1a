/** Calls of methods that only the object browser offers: as they are asked for, and as sent. */

export type BrowserCall = {
  /** Id of the object, such as `vm-12`. */
  readonly moid: string;
  /** Such as `wipeDisk`. */
  readonly method: string;
  readonly parameters: readonly (readonly [name: string, value: string])[];
  /** Milliseconds since the epoch. */
  readonly deadlineMs: number;
};

export const formType = "application/x-www-form-urlencoded";
export const nonceField = "vmware-session-nonce";

/** The wire request of a call; the nonce is news of each session. */
export function browserRequest({ moid, method, parameters }: Omit<BrowserCall, "deadlineMs">): {
  readonly method: "POST";
  readonly path: string;
  readonly contentType: string;
  readonly body: string;
} {
  const query = new URLSearchParams({ moid, method });
  return {
    method: "POST",
    path: `/mob/?${query.toString()}`,
    contentType: formType,
    body: [`${nonceField}=(of the page)`, ...formFields(parameters)].join("&"),
  };
}

export function formFields(parameters: BrowserCall["parameters"]): readonly string[] {
  return parameters.map(([name, value]) => new URLSearchParams({ [name]: value }).toString());
}
