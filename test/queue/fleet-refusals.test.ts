/** What is not handed to workers, and what a worker leaves to others. */

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasPostgres, type PostgresServer, startPostgres } from "../stores/postgres-server.ts";
import { createFleetPlace, type FleetPlace } from "./fleet-place.ts";

const one = "  daemon_vm.a: { id: a, power: on }";
const token = `variables: { token: { type: string, sensitive: true } }
outputs: { t: { value: "\${vars.token}", sensitive: true } }`;

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

  const file = (name: string): string => join(place.folder, name);
  type Row = readonly [string, () => void, readonly string[], RegExp];
  test.each<Row>([
    [
      "a sensitive value",
      () => place.write(one, token),
      ["--var", "token=hunter2"],
      /VMFORM_VAR_token/,
    ],
    [
      "a sensitive value of a file",
      () => {
        place.write(one, token);
        writeFileSync(file("x.auto.vars.yaml"), "token: hunter2\n");
      },
      [],
      /VMFORM_VAR_token/,
    ],
    [
      "a file of variables elsewhere",
      () => {
        place.write(one, "variables: { size: { type: number } }");
        writeFileSync(file("x.auto.vars.yaml"), "{}\n");
        writeFileSync(file("../far.yaml"), "size: 1\n");
      },
      ["--var-file", "FOLDER/../far.yaml"],
      /outside of the folder/,
    ],
    [
      "a module elsewhere",
      () => {
        mkdirSync(file("../shared"), { recursive: true });
        writeFileSync(file("../shared/main.vmform.yaml"), "variables: {}\n");
        place.write(one, "modules: { m: { source: ../shared } }");
      },
      [],
      /shared/,
    ],
    [
      "a link that leads out",
      () => {
        place.write(one);
        symlinkSync("/etc/hostname", file("name.txt"));
      },
      [],
      /name\.txt is a link/,
    ],
  ])("%s does not travel", async (_, prepare, words, says) => {
    prepare();
    const given = words.map((word) => word.replace("FOLDER", place.folder));
    const { stdout, stderr } = await place.run(1, "submit", "plan", ...given);
    expect(stderr).toMatch(says);
    expect(`${stdout}${stderr}`).not.toContain("hunter2");
  });
});
