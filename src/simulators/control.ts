/**
 * The control surface under `/_simulator/`, on the same port: for tests and people in another
 * process. Its requests are never API requests and are not logged.
 *
 *   GET  log              every logged request, a JSON array; `?after=N` only those beyond entry N
 *   GET  world            the world as it is now
 *   GET  clock            {"now": simulated milliseconds}
 *   POST clock/advance    {"ms": 1000} moves the clock forward
 *   GET  sessions         the cloud's open sessions, and how many have begun and ended
 *   GET  sessions/manager the same of the manager
 *   GET  sessions/appliance the same of the appliance
 *   POST console          {"ticket": "mks://…"} opens a console with a screen ticket, once
 *   POST change           one outside change, such as {"power_vm": {"id": "web", "power": "off"}}
 *   POST faults           a fault script in YAML (or JSON) that replaces the present one
 */

import { reportApplianceSessions } from "./appliance/appliance-state.ts";
import { reportSessions } from "./cloud/session/sessions.ts";
import { openConsole } from "./cloud/vm/screen.ts";
import type { SimulatorCore } from "./core.ts";
import { applyChange, snapshotOf } from "./core.ts";
import { readFaultDocument } from "./faults.ts";
import type { SimulatorReply } from "./kit/answer.ts";
import { jsonReply } from "./kit/answer.ts";
import { decodeDocument, parseYaml, SimulatorInputError } from "./kit/document.ts";
import type { IncomingRequest } from "./kit/server.ts";
import { reportManagerSessions } from "./manager/world/session.ts";

const prefix = "/_simulator/";
const bodyName = "request body";

export function isControl(request: IncomingRequest): boolean {
  return request.url.startsWith(prefix);
}

/** Answers 200 with JSON, 400 with the problems of the request's body, or 404. */
export async function answerControl(
  core: SimulatorCore,
  request: IncomingRequest,
): Promise<SimulatorReply> {
  const [path = "", query = ""] = request.url.slice(prefix.length).split("?", 2);
  try {
    return await route(core, `${request.method} ${path}`, request.body, new URLSearchParams(query));
  } catch (error) {
    if (!(error instanceof SimulatorInputError)) throw error;
    return jsonReply(400, { problems: error.problems });
  }
}

async function route(
  core: SimulatorCore,
  target: string,
  body: string,
  query: URLSearchParams,
): Promise<SimulatorReply> {
  switch (target) {
    case "GET log": {
      const after = Number(query.get("after") ?? 0);
      return jsonReply(
        200,
        core.log.entries().filter((entry) => entry.n > after),
      );
    }
    case "GET world":
      return jsonReply(200, snapshotOf(core));
    case "GET clock":
      return jsonReply(200, { now: core.clock.now() });
    case "POST clock/advance":
      return advance(core, body);
    case "GET sessions":
      return jsonReply(200, reportSessions(core.cloud, core.clock.now()));
    case "GET sessions/manager":
      return jsonReply(200, reportManagerSessions(core.manager, core.clock.now()));
    case "GET sessions/appliance":
      return jsonReply(200, reportApplianceSessions(core.appliance, core.clock.now()));
    case "POST console":
      return answerConsole(core, body);
    case "POST change":
      await applyChange(core, parseYaml(body, bodyName));
      return jsonReply(200, {});
    case "POST faults":
      core.faults = readFaultDocument(parseYaml(body, bodyName));
      return jsonReply(200, {});
    default:
      return jsonReply(404, { problems: [`no control request ${target}`] });
  }
}

function answerConsole(core: SimulatorCore, body: string): SimulatorReply {
  const document = parseYaml(body, bodyName);
  return decodeDocument(document, "ConsoleOpening", ({ ticket }) =>
    jsonReply(200, { opens: openConsole(core.cloud, ticket, core.clock.now()) }),
  );
}

/** Moves the clock and saves, since the moved clock is part of the world. */
async function advance(core: SimulatorCore, body: string): Promise<SimulatorReply> {
  const wanted = decodeDocument(parseYaml(body, bodyName), "ClockAdvance", (document) => document);
  core.clock.advance(wanted.ms);
  await core.store.save();
  return jsonReply(200, { now: core.clock.now() });
}
