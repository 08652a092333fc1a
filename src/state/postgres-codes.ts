/** Problems of recorded state that is kept in a PostgreSQL database. */

import type { Explanation } from "../model/said/explanation.ts";

export const postgresCodes = {
  STO040: {
    summary: "Database cannot be reached",
    explanation:
      "No PostgreSQL server answers where recorded state is kept, or it answers nobody yet. The " +
      "state counts as unknown then, never as empty.",
    fix:
      "Start the server, or correct the address: vmform.state.postgres.url, or PGHOST, PGPORT. " +
      "For a trial, `vmform serve --embedded` has one in its folder.",
  },
  STO041: {
    summary: "Database refuses the login",
    explanation: "The server does not let this role into this database, or has no such database.",
    fix: "Correct the role, its password or the name of the database.",
  },
  STO042: {
    summary: "Database is not trusted",
    explanation:
      "What leaves this machine is encrypted, and the server has to prove who it is, unless " +
      "sslmode says otherwise. Nothing was sent to it.",
    fix: "Name the certificate of its authority: ca_file. Or choose another sslmode.",
  },
  STO043: {
    summary: "Database takes no writes",
    explanation:
      "The server is a replica, or read-only. What a replica shows may be old, and a plan from " +
      "that would be wrong, so it is not read either.",
    fix: "Name the primary server.",
  },
  STO044: {
    summary: "Database is reached through a transaction pooler",
    explanation:
      "The pooler hands each transaction to whichever session is free. The lock belongs to one " +
      "session, so two runs could have it at once.",
    fix: "Connect to the server itself, or to a pool in session mode.",
  },
  STO045: {
    summary: "Database does not wait for its disk",
    explanation:
      "With synchronous_commit off the server says that something is durable before it is. What " +
      "was begun has to be known after any failure, so such a server is refused.",
    fix: "Turn it on for the role: ALTER ROLE … SET synchronous_commit = on.",
  },
  STO046: {
    summary: "Right on the database is missing",
    explanation:
      "The role may not make the tables for recorded state, or may not use them. vmform makes " +
      "them by itself where it may.",
    fix: "Have them made by an administrator, who runs what vmform state sql prints.",
  },
  STO047: {
    summary: "Tables of recorded state are of another version",
    explanation: "They were made by a later version of vmform, or by somebody else.",
    fix: "Use that version, or another schema: vmform.state.postgres.schema.",
  },
  STO048: {
    summary: "Database cannot be used as it is set",
    explanation: "A setting of the connection or of the database rules out recorded state.",
    fix: "Change the setting as the message says.",
  },
  STO049: {
    summary: "Connection to the database was lost",
    explanation:
      "The server went away in the middle of a run and did not come back in time. Nothing new is " +
      "begun; what was under way is brought to its end.",
    fix: "When the server is back, run the same command again: what was begun is settled then.",
  },
  STO050: {
    summary: "Database refused to write",
    explanation:
      "The server could not store what was to be recorded, such as for want of space. Everything " +
      "that is done is written down first, so nothing is done.",
    fix: "Mend what the server reports, then run the same command again.",
  },
  STO051: {
    summary: "Session of a lock could not be ended",
    explanation:
      "force-unlock has shut the holder out: it writes nothing more. Its session still has the " +
      "lock, and this role may not end sessions of that one.",
    fix: "Have an administrator end it, or wait until it ends.",
  },
  STO052: {
    summary: "Database has lost what was recorded",
    explanation:
      "The server that answers now has less than the one before had confirmed: it took over " +
      "and was not synchronous, or was restored. An entry after a gap could not be read again.",
    fix:
      "Put back what the run has kept on its machine, as its message says, then run the same " +
      "command again.",
  },
} as const satisfies { readonly [code: string]: Explanation };
