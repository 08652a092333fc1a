/** How a submission comes to be: its row and its run, in one transaction. */

import type { NewSubmission, Submission } from "../model/fleet/submission.ts";
import type { BossDb, Connection } from "./connection.ts";
import { sendRun } from "./runs.ts";
import { insertValues, type Sql, submissionIn, submissionStatements } from "./submissions.ts";

/** Of so many digits that people can say it. */
export function shortId(newId: () => string): string {
  return newId().replaceAll("-", "").slice(0, 10);
}

/** Records a submission and sends its run. */
export async function insert(
  { boss, tables }: Pick<Connection, "boss" | "tables">,
  inside: Sql,
  db: BossDb,
  of: {
    readonly id: string;
    readonly asked: Omit<NewSubmission, "bundle">;
    readonly bundle: string;
    readonly scheduled: boolean;
  },
): Promise<Submission> {
  const { id, asked, bundle, scheduled } = of;
  const values = insertValues(id, asked, bundle, scheduled);
  const [row] = await inside(submissionStatements(tables).insert, values);
  if (row === undefined) throw new Error("a submission was not inserted");
  await sendRun(boss, id, { state: asked.state, db });
  return submissionIn(row);
}
