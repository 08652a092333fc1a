import { Session } from "node:inspector/promises";
import { writeFileSync } from "node:fs";
import { afterAll, beforeAll } from "vitest";
const s = new Session(); s.connect();
beforeAll(async () => { await s.post("Profiler.enable"); await s.post("Profiler.start"); });
afterAll(async () => { const { profile } = await s.post("Profiler.stop"); writeFileSync("/tmp/prof/v.cpuprofile", JSON.stringify(profile)); });
