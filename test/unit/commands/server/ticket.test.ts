/** `vmform ticket` against a scripted session: whose ticket, for how long, and what is hidden. */

import { expect, test } from "vitest";
import { CommandError, InterruptedError } from "../../../../src/commands/environment.ts";
import { ticketCommand } from "../../../../src/commands/server/ticket.ts";
import {
  RemoteError,
  type RemoteErrorDetail,
} from "../../../../src/model/operation/remote-error.ts";
import type { ProviderSession } from "../../../../src/model/provider/provider.ts";
import {
  type Fake,
  fakeEnvironment,
  recordedVm,
  settings,
  stateOf,
  vmPath,
} from "../fake-environment.ts";

const opened = `open cloud ${JSON.stringify(settings)} read`;
const web = stateOf([recordedVm("cloud_vm.web")]);
const given = { url: "mks://h/vm-1?ticket=a%2Fb", host: "h", ticket: "a/b", validMs: 30_000 };

function start(session: Partial<ProviderSession>, address = "cloud_vm.web", state = web) {
  const fake: Fake = fakeEnvironment({ state, session, locked: true });
  const options = { directory: ".", variables: [], variableFiles: [], address };
  const ended = fake.clock.until(ticketCommand(fake.environment, options));
  ended.catch(() => {});
  return { ...fake, ended };
}

test("it is handed over, valid from the reply on, hidden, and takes no lock", async () => {
  const asked: string[] = [];
  const run = start({
    ticket: async (type, identity) => {
      asked.push(`${type} ${identity}`);
      await run.clock.sleep(5_000);
      return given;
    },
  });
  const startMs = run.clock.now();
  expect(await run.ended).toEqual({
    ...given,
    address: "cloud_vm.web",
    validUntilMs: startMs + 35_000,
  });
  expect(asked).toEqual([`cloud_vm ${vmPath}`]);
  expect(run.hidden.toSorted()).toEqual([given.ticket, given.url]);
  expect(run.trace).toEqual([opened, "close"]);
});

test.each<[RemoteErrorDetail, RegExp]>([
  [{ kind: "precondition", effect: "none", message: "VM web is off" }, /^Turn the VM on first/],
  [{ kind: "forbidden", effect: "none", message: "no access" }, /lacks the right/],
  [{ kind: "invalid", effect: "none", message: "no screen" }, /settings/],
])("%j", async (detail, fix) => {
  const run = start({ ticket: () => Promise.reject(new RemoteError(detail)) });
  const error: unknown = await run.ended.catch((reason: unknown) => reason);
  if (!(error instanceof CommandError)) throw error;
  expect(error.message).toBe(`Screen of cloud_vm.web: ${detail.message}.`);
  expect(error.fix).toMatch(fix);
  expect(error.problem).toBe("ticket");
  expect(run.trace).toEqual([opened, "close"]);
});

test("an interface without screens, an object that is not recorded, another world", async () => {
  await expect(start({}).ended).rejects.toThrow("Objects of type cloud_vm have no screen.");
  await expect(start({}, "cloud_vm.wbe").ended).rejects.toThrow("Nothing is recorded");
  const simulated = start({}, "cloud_vm.web", { ...web, simulated: true });
  await expect(simulated.ended).rejects.toMatchObject({ diagnostics: [{ code: "RUN003" }] });
});

test("asked to stop while it is waited for", async () => {
  const run: ReturnType<typeof start> = start({
    ticket: () => {
      run.interrupt();
      return new Promise(() => {});
    },
  });
  await expect(run.ended).rejects.toThrow(InterruptedError);
  expect(run.trace).toEqual([opened, "close"]);
});
