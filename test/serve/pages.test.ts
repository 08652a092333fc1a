/**
 * The pages in a real browser: nothing is wider than the window, nothing is complained of, and a
 * plan is approved and declined by the mouse, with scripts and without. `VMFORM_PICTURES` names a
 * folder for pictures of them.
 */

import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { amount, isLongRun, some } from "../helpers/amount.ts";
import { type Serving, serveBoard } from "../unit/serve/browsing.ts";
import { type Chromium, findChromium, type Look, startChromium, type Tab } from "./chromium.ts";
import { fillBoard, samplePages } from "./sample-board.ts";

const chromium = findChromium();
const pictures = process.env.VMFORM_PICTURES;

const widths = { phone: 390, laptop: 1280, wide: 1920 } as const;
/** Without scripts nothing is laid out otherwise: one width of three is enough. */
const looks = Object.entries(widths).flatMap(([name, width]) =>
  [false, true].flatMap((dark) =>
    [true, false]
      .filter((scripts) => scripts || name === "laptop")
      .map((scripts) => ({ name, width, height: 800, dark, scripts })),
  ),
);

describe.runIf(chromium !== undefined)("in a browser", () => {
  let browser: Chromium;
  let serving: Serving;
  let tab: Tab;
  const at = (path: string): string => `http://127.0.0.1:${serving.port}/${path}`;

  beforeAll(async () => {
    browser = await startChromium(chromium ?? "");
    serving = await serveBoard();
    fillBoard(serving.board);
    tab = await browser.tab();
    // By the address that is printed: the page after the login goes on by itself.
    await tab.open(serving.address);
  });
  afterAll(async () => {
    await browser.close();
    await serving.stop();
  });

  async function look(path: string, { name, ...how }: Look & { readonly name: string }) {
    await tab.set(how);
    await tab.open(at(path));
    if (pictures !== undefined && how.scripts) {
      mkdirSync(pictures, { recursive: true });
      const file = `${path.replaceAll(/[^\w-]+/g, "_")}-${name}${how.dark ? "-dark" : ""}.png`;
      writeFileSync(join(pictures, file), await tab.picture());
    }
    return { path, name, width: await tab.contentWidth(), said: tab.complaints() };
  }

  const pages = some(Object.values(samplePages), 7);

  test("goes on by itself after the login", async () => {
    expect(await tab.address()).toBe(at("states"));
  });

  test.each(some(looks, 1))("a $name, dark: $dark, scripts: $scripts", async (one) => {
    for (const path of pages) {
      const found = await look(path, one);
      // Of a page that is not there, the browser says so.
      const said = found.said.filter((text) => !/status of 404/.test(text));
      expect({ ...found, said }).toEqual({ path, name: one.name, width: one.width, said: [] });
    }
  });

  test.each([true, false].slice(0, amount(0, 2)))(
    "approves and declines, scripts: %s",
    async (scripts) => {
      const { all } = serving.board;
      const before = [...all.runs];
      await tab.set({ width: widths.phone, height: 800, dark: false, scripts });
      await tab.open(at("run?id=run-needy"));
      await tab.click("button.main", false);
      // The browser itself asks for each consent.
      expect(await tab.address()).toBe(at("run?id=run-needy"));
      expect(all.runs[0]?.status).toBe("needs-approval");
      await tab.click("#kind-0", false);
      await tab.click("#kind-1", false);
      await tab.click("button.main", true);
      expect(await tab.html()).toContain("Approved.");
      expect(all.runs[0]?.status).toBe("queued");
      all.runs = [...before];
      await tab.open(at("run?id=run-needy"));
      await tab.click(".deed form[action=run-decline] button", true);
      expect(await tab.html()).toContain("Declined.");
      await tab.open(at("run?id=run-queued"));
      await tab.click(".deed form[action=run-cancel] button", true);
      expect(await tab.html()).toContain("Cancelled.");
      all.runs = before;
      expect(tab.complaints()).toEqual([]);
    },
  );

  test("a script that got into a page would not run, and the browser would say so", async () => {
    await tab.set({ width: widths.laptop, height: 800, dark: false, scripts: true });
    await tab.open(at("run?id=run-hostile"));
    expect(tab.complaints()).toEqual([]);
    expect(await tab.refusesScript()).toBe(true);
    expect(tab.complaints().length).toBeGreaterThan(0);
  });
});

test.runIf(chromium !== undefined && isLongRun)("stands below any path", async () => {
  const proxy = await startProxy("/some/where/");
  const browser = await startChromium(chromium ?? "");
  const serving = await serveBoard({ url: proxy.url });
  fillBoard(serving.board);
  try {
    proxy.to(serving.port);
    const tab = await browser.tab();
    await tab.set({ width: 1280, height: 800, dark: false, scripts: false });
    await tab.open(serving.address);
    expect(await tab.address()).toBe(`${proxy.url}states`);
    for (const path of Object.values(samplePages)) await tab.open(`${proxy.url}${path}`);
    await tab.open(`${proxy.url}run?id=run-needy`);
    await tab.click(".deed form[action=run-decline] button", true);
    expect(await tab.address()).toBe(`${proxy.url}run?id=run-needy`);
    expect(await tab.html()).toContain("Declined.");
    await tab.click("nav a[href=agents]", true);
    expect(await tab.address()).toBe(`${proxy.url}agents`);
    await tab.open(`${proxy.url}run/below/it`);
    expect(await tab.address()).toBe(`${proxy.url}not-found`);
    expect(tab.complaints().filter((text) => !/status of 404/.test(text))).toEqual([]);
  } finally {
    await browser.close();
    await serving.stop();
    await proxy.stop();
  }
});

test.runIf(chromium !== undefined && isLongRun)("logs out, and is out", async () => {
  const browser = await startChromium(chromium ?? "");
  const serving = await serveBoard();
  try {
    const tab = await browser.tab();
    await tab.set({ width: 1280, height: 800, dark: false, scripts: false });
    await tab.open(serving.address);
    await tab.click("form[action=logout] button", true);
    expect(await tab.html()).toContain("Logged out");
    await tab.open(`http://127.0.0.1:${serving.port}/states`);
    expect(await tab.html()).toContain("Log in");
  } finally {
    await browser.close();
    await serving.stop();
  }
});

/** Takes a path away, as proxies do, and leaves the host as it came. */
async function startProxy(prefix: string) {
  let port = 0;
  const server = createServer((asked, answer) => {
    const path = asked.url?.startsWith(prefix) === true ? asked.url.slice(prefix.length - 1) : "";
    if (path === "") {
      answer.writeHead(404).end();
      return;
    }
    const { method, headers } = asked;
    const on = request({ host: "127.0.0.1", port, method, path, headers }, (came) => {
      answer.writeHead(came.statusCode ?? 500, came.rawHeaders);
      came.pipe(answer);
    });
    asked.pipe(on);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("it listens nowhere");
  return {
    url: `http://127.0.0.1:${address.port}${prefix}`,
    to: (other: number): void => {
      port = other;
    },
    stop: async (): Promise<void> => {
      server.closeAllConnections();
      const closed = once(server, "close");
      server.close();
      await closed;
    },
  };
}
