/** Problems of the state store in a few words; the error itself tells the details. */

const summaries: { readonly [code: string]: string } = {
  STO001: "Recorded state is damaged",
  STO002: "Journal of the recorded state is damaged",
  STO003: "Recorded state is of a later version",
  STO004: "Recorded state is missing",
  STO005: "Recorded state is not sound",
  STO006: "Recorded state cannot be read",
  STO007: "Recorded state cannot be written",
  STO008: "Recorded state is no longer written",
  STO009: "Recorded state is locked",
  STO010: "Lock was taken away",
  STO011: "Recorded state is not locked",
  STO012: "Lock has another id",
  STO013: "New state is not sound",
  STO014: "Recorded state was not saved",
};

export function storeSummary(code: string): string {
  return summaries[code] ?? "Recorded state cannot be used";
}
