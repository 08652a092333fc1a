/** `vmform agent`: calls of a site, done with the secrets, the files and the network of here. */

import { randomUUID } from "node:crypto";
import { hostname, userInfo } from "node:os";
import type { AgentOptions, Run } from "../../cli/run.ts";
import { CommandError } from "../../commands/environment.ts";
import { ownProcess } from "../../lib/files/process-identity.ts";
import type { SecretMask } from "../../lib/mask.ts";
import type { PostgresStoreSettings } from "../../model/recorded/postgres-settings.ts";
import type { ValueMap } from "../../model/value/value.ts";
import type { AgentEnd, AgentNews } from "../../queue/sites/agent-end.ts";
import type { SiteDefinition } from "../../queue/sites/definitions.ts";
import { streamMessage } from "../../render/run/event-json.ts";
import { type CallTold, runAgent } from "../../sites/agent.ts";
import { codeOf } from "../../store/postgres/problems.ts";
import { targetOf } from "../../store/postgres/target.ts";
import { clock } from "../clock.ts";
import { databaseEnvironment } from "../database-environment.ts";
import { openProviders } from "../providers.ts";
import { secretReader } from "../secrets.ts";

type Outside = {
  readonly version: string;
  readonly mask: SecretMask;
  readonly log: Parameters<typeof openProviders>[0]["log"];
};

/** Serves until interrupted. Throws `CommandError` and `StoreError` where it cannot. */
export async function serveSite(options: AgentOptions, run: Run, outside: Outside): Promise<void> {
  const { site, schema, directory, readOnly, endpoints } = options;
  const { version, mask, log } = outside;
  const { view, environment } = run;
  const { interrupts } = environment;
  const tell = teller(view, site);
  const database: Database = {
    kind: "postgres",
    name: "default",
    schema,
    directory,
    beside: directory,
    ...(options.database === undefined ? {} : { url: options.database }),
  };
  const end = await interrupts.untilInterrupted(() =>
    openEnd(database, options, run, { version, mask, tell: tell.news }),
  );
  interrupts.begin();
  const variables = databaseEnvironment(process.env, process.cwd());
  const { host, port, database: name } = targetOf(database, variables, userName());
  view.say(`Serving the site ${site} by way of PostgreSQL ${host}:${port}/${name}.`);
  const secrets = secretReader(directory, mask);
  const { events } = environment;
  // What calls name as a command is not run: they come from elsewhere.
  const providers = await openProviders({
    simulator: undefined,
    directory,
    events,
    mask,
    secrets,
    log,
    packages: [],
  });
  const agent = runAgent({
    counter: end,
    clock,
    site,
    version,
    open: providers.open,
    mask,
    readOnly,
    endpoints,
    tell: tell.call,
  });
  interrupts.onDrain(() => {
    view.say("Taking no more calls; what was taken is answered first.");
    void agent.drain();
  });
  try {
    await agent.ended;
  } finally {
    await end.close();
    await providers.close();
  }
}

type Database = PostgresStoreSettings & { readonly beside: string };

async function openEnd(
  database: Database,
  { site, schema, readOnly }: AgentOptions,
  { environment }: Run,
  parts: Pick<Outside, "version" | "mask"> & { readonly tell: (news: AgentNews) => void },
): Promise<AgentEnd> {
  const { openAccess } = await import("../stores/postgres-store.ts");
  const { openAgentEnd } = await import("../../queue/sites/agent-end.ts");
  const { version, mask, tell } = parts;
  const user = userName();
  const access = await openAccess(database, {
    clock,
    random: randomUUID,
    host: hostname(),
    process: ownProcess(),
    user,
    environment: databaseEnvironment(process.env, process.cwd()),
    mask,
    events: environment.events,
  });
  const place = { site, schema, version, readOnly, agent: randomUUID(), host: hostname() };
  return openAgentEnd({ access, ...place, tell }).catch((error: unknown) => {
    throw inWords(error, site, access.target.user);
  });
}

/** Statements that let a role serve a site. */
export async function agentSql(definition: SiteDefinition): Promise<string> {
  const { siteScript } = await import("../../queue/sites/definitions.ts");
  return siteScript(definition);
}

function inWords(error: unknown, site: string, role: string): unknown {
  const code = codeOf(error) ?? "";
  if (code !== "42501") return error;
  return new CommandError(
    `The role ${role} may not serve the site ${site}.`,
    `An administrator of the database runs what this prints: vmform agent --site ${site} ` +
      `--sql --role ${role}`,
  );
}

/** Lines for people, or messages of the stream. */
function teller(view: Run["view"], site: string) {
  const tell = (type: string, message: string, rest: ValueMap, failed: boolean): void => {
    const level = failed ? "error" : "info";
    const atMs = clock.now();
    view.message(streamMessage({ level, message, atMs, type, rest: { site, ...rest } }));
    view.text(message);
  };
  return {
    news: (news: AgentNews): void => {
      const { kind: place, ...more } = news;
      tell("agent", newsText(news), { place, ...more }, place === "lost");
    },
    call: ({ provider, method, operation, outcome, message, tookMs }: CallTold): void => {
      const why = message === undefined ? "" : `: ${message}`;
      const text = `${provider} ${operation ?? method}: ${outcome} in ${tookMs} ms${why}`;
      const rest = {
        ...{ provider, method, outcome, took_ms: Math.round(tookMs) },
        ...(operation === undefined ? {} : { operation }),
      };
      tell("agent_call", text, rest, outcome === "failed");
    },
  };
}

function newsText(news: AgentNews): string {
  switch (news.kind) {
    case "taking":
      return "Taking calls.";
    case "standing by":
      return "Another agent of the site is there: standing by.";
    case "lost":
      return `Not taking calls: ${news.reason}`;
  }
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}
