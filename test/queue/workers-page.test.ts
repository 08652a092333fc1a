/** The commands of `docs/workers.md` do what the page says, in their order. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readProjectFile } from "../architecture/project-files.ts";
import { isLongRun } from "../helpers/amount.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "../stores/postgres-server.ts";
import { createFleetPlace, type FleetPlace } from "./fleet-place.ts";

const page = readProjectFile("docs/workers.md");
const blocks = (language: string): readonly string[] =>
  [...page.matchAll(new RegExp(`\n\`\`\`${language}\n([^]*?)\n\`\`\`\n`, "g"))].map(
    ([, text = ""]) => text,
  );
const pageUrl = "postgres://vmform@127.0.0.1:5432/infra";

/** As a shell would take it apart. */
function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain = ""]) => quoted ?? plain);
}

describe.runIf(hasPostgres())("with a server", () => {
  let server: PostgresServer;
  let place: FleetPlace;
  beforeAll(async () => {
    server = await startPostgres();
    place = await createFleetPlace(server);
  }, 60_000);
  afterAll(async () => {
    await place.remove();
    await server.remove();
  });

  /** Exit codes that are not 0: there are changes, or it waits for approval. */
  const codes: { readonly [line: string]: number } = {
    "vmform submit plan --watch": 2,
    "vmform runs --watch RUN": 2,
  };

  test.runIf(isLongRun)(
    "from nothing to an applied run",
    async () => {
      const [yaml = ""] = blocks("yaml");
      const configuration = yaml
        .replace(pageUrl, place.url)
        .replace("http://127.0.0.1:8080", place.simulators.origins.daemon);
      writeFileSync(join(place.folder, "main.vmform.yaml"), configuration);
      const lines = blocks("sh").flatMap((block) => block.split("\n"));
      const [worker, ...rest] = lines;
      expect(worker).toBe(`vmform worker --database ${pageUrl}`);
      place.worker("one");
      expect(rest.length).toBeGreaterThan(7);
      let id = "";
      let sum = "";
      for (const line of rest) {
        const [program, ...words] = wordsOf(line.replace("RUN", id).replace("SUM", sum));
        expect(program).toBe("vmform");
        const { stdout, stderr } = await place.run(codes[line] ?? 0, ...words);
        sum = /approve \S+ --plan ([0-9a-f]+)/.exec(`${stdout}\n${stderr}`)?.[1] ?? sum;
        id = /Submitted as (\S+)\./.exec(stdout)?.[1] ?? id;
      }
      await place.run(0, "plan", "--detailed-exitcode");
      expect(place.mutations().length).toBeGreaterThan(0);
    },
    60_000,
  );
});
