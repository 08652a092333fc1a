/**
 * A browser without a window, asked by the DevTools protocol over a pipe: pages as people's
 * browsers lay them out, with what the browser has to complain of.
 */

import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { existsSync, mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { Readable, Writable } from "node:stream";

/** Its path; undefined where there is none, which is told loudly, and is an error in CI. */
export function findChromium(): string | undefined {
  const { VMFORM_CHROMIUM: told } = process.env;
  if (told !== undefined) return told;
  const names = ["chromium", "chromium-browser", "google-chrome"];
  const folders = (process.env.PATH ?? "").split(delimiter);
  const paths = folders.flatMap((folder) => names.map((name) => join(folder, name)));
  const found = paths.find((path) => existsSync(path));
  if (found === undefined) {
    const text = "There is no chromium here: pages are not looked at in a browser";
    if (process.env.CI !== undefined) throw new Error(`${text}, and CI has to have one.`);
    process.stderr.write(`\n!! ${text}.\n`);
  }
  return found;
}

type Values = { readonly [name: string]: unknown };
type Message = {
  readonly id?: number;
  readonly method?: string;
  readonly sessionId?: string;
  readonly params?: Values;
  readonly result?: Values;
  readonly error?: { readonly message: string };
};

export type Look = {
  readonly width: number;
  readonly height: number;
  readonly dark: boolean;
  readonly scripts: boolean;
};

export type Tab = {
  readonly set: (look: Look) => Promise<void>;
  /** Resolves when the page, and where it goes on to by itself, is there. */
  readonly open: (url: string) => Promise<void>;
  readonly address: () => Promise<string>;
  /** Of all that is laid out, in pixels of the page. */
  readonly contentWidth: () => Promise<number>;
  /** As a person does with the mouse; of the first that fits. Waits for the page that follows. */
  readonly click: (selector: string, leaves: boolean) => Promise<void>;
  readonly html: () => Promise<string>;
  /** Puts a script into the page, as whoever finds a hole would: whether it does not run. */
  readonly refusesScript: () => Promise<boolean>;
  readonly picture: () => Promise<Buffer>;
  /** What the browser complained of since it was asked last. */
  readonly complaints: () => readonly string[];
};

export type Chromium = { readonly tab: () => Promise<Tab>; readonly close: () => Promise<void> };

export async function startChromium(path: string): Promise<Chromium> {
  const profile = mkdtempSync(join(tmpdir(), "vmform-chromium-"));
  const quiet = ["--no-first-run", "--disable-background-networking", "--disable-quic"];
  const plain = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"];
  const own = ["--remote-debugging-pipe", `--user-data-dir=${profile}`];
  const child = spawn(path, [...plain, ...quiet, ...own], {
    stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
    // A group of its own: its helpers write into the profile, and end with it.
    detached: true,
  });
  const ended = once(child, "exit");
  const [, , , toChild, fromChild] = child.stdio;
  const wire = createWire(toChild as Writable, fromChild as Readable);
  return {
    tab: () => openTab(wire),
    close: async () => {
      // By itself it waits for its helpers; whoever is left then is ended with the group.
      void wire.send("Browser.close");
      await ended;
      endGroup(child.pid as number);
      await rm(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    },
  };
}

function endGroup(leader: number): void {
  try {
    process.kill(-leader, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

type Wire = {
  readonly send: (method: string, params?: Values, session?: string) => Promise<Values>;
  readonly hear: (listener: (message: Message) => void) => void;
};

/** Messages end with a zero byte. */
function createWire(to: Writable, from: Readable): Wire {
  const waiting = new Map<number, (message: Message) => void>();
  const listeners: ((message: Message) => void)[] = [];
  let [count, rest] = [0, ""];
  from.setEncoding("utf8").on("data", (text: string) => {
    const parts = `${rest}${text}`.split("\0");
    rest = parts.pop() ?? "";
    for (const part of parts) {
      const message = JSON.parse(part) as Message;
      if (message.id === undefined) for (const listener of listeners) listener(message);
      else waiting.get(message.id)?.(message);
    }
  });
  return {
    hear: (listener) => void listeners.push(listener),
    send: (method, params = {}, sessionId) =>
      new Promise((resolve, reject) => {
        count += 1;
        waiting.set(count, ({ result = {}, error }) => {
          if (error === undefined) resolve(result);
          else reject(new Error(`${method}: ${error.message}`));
        });
        to.write(`${JSON.stringify({ id: count, method, params, sessionId })}\0`);
      }),
  };
}

async function openTab(wire: Wire): Promise<Tab> {
  const { targetId } = await wire.send("Target.createTarget", { url: "about:blank" });
  const attached = await wire.send("Target.attachToTarget", { targetId, flatten: true });
  const session = String(attached["sessionId"]);
  const send = (method: string, params?: Values): Promise<Values> =>
    wire.send(method, params, session);
  const heard: string[] = [];
  const news = new EventEmitter();
  const seen = { loads: 0 };
  wire.hear(({ sessionId, method = "", params = {} }) => {
    if (sessionId !== session) return;
    if (method === "Page.loadEventFired") {
      seen.loads += 1;
      news.emit("load");
    }
    const complaint = complaintOf(method, params);
    if (complaint !== undefined) heard.push(complaint);
  });
  for (const domain of ["Page", "Runtime", "Log", "DOM", "Audits"]) await send(`${domain}.enable`);
  const html = async (): Promise<string> => {
    const { root } = await send("DOM.getDocument", { depth: 0 });
    const { nodeId } = root as { nodeId: number };
    return String((await send("DOM.getOuterHTML", { nodeId }))["outerHTML"]);
  };
  /** Until a page is there that does not say that the browser goes on at once. */
  const settled = async (): Promise<void> => {
    for (let wanted = seen.loads + 1; ; wanted += 1) {
      while (seen.loads < wanted) await once(news, "load");
      // It has gone on already: what it was cannot be read.
      const text = await html().catch(() => undefined);
      if (text?.includes('http-equiv="refresh" content="0;') === false) return;
    }
  };
  return {
    html,
    set: async ({ width, height, dark, scripts }) => {
      const metrics = { width, height, deviceScaleFactor: 1, mobile: width < 500 };
      await send("Emulation.setDeviceMetricsOverride", metrics);
      const value = dark ? "dark" : "light";
      const features = [{ name: "prefers-color-scheme", value }];
      await send("Emulation.setEmulatedMedia", { features });
      await send("Emulation.setScriptExecutionDisabled", { value: !scripts });
    },
    open: async (url) => {
      const done = settled();
      const { errorText } = await send("Page.navigate", { url });
      if (errorText !== undefined) throw new Error(`${url}: ${JSON.stringify(errorText)}`);
      await done;
    },
    address: async () => {
      const history = await send("Page.getNavigationHistory");
      const entries = history["entries"] as readonly { readonly url: string }[];
      return entries[Number(history["currentIndex"])]?.url ?? "";
    },
    contentWidth: async () => {
      const { cssContentSize } = await send("Page.getLayoutMetrics");
      return (cssContentSize as { width: number }).width;
    },
    click: async (selector, leaves) => {
      const { root } = await send("DOM.getDocument", { depth: 0 });
      const { nodeId } = await send("DOM.querySelector", {
        ...{ nodeId: (root as { nodeId: number }).nodeId, selector },
      });
      if (nodeId === 0) throw new Error(`the page has no ${selector}`);
      await send("DOM.scrollIntoViewIfNeeded", { nodeId });
      const { model } = await send("DOM.getBoxModel", { nodeId });
      const [x1 = 0, y1 = 0, , , x2 = 0, y2 = 0] = (model as { content: readonly number[] })
        .content;
      const at = { x: (x1 + x2) / 2, y: (y1 + y2) / 2, button: "left", clickCount: 1 };
      const done = leaves ? settled() : Promise.resolve();
      await send("Input.dispatchMouseEvent", { type: "mousePressed", ...at });
      await send("Input.dispatchMouseEvent", { type: "mouseReleased", ...at });
      await done;
    },
    refusesScript: async () => {
      const expression = `const script = document.createElement("script");
        script.textContent = "document.title = 'ran'";
        document.body.append(script);
        document.title !== "ran"`;
      const { result } = await send("Runtime.evaluate", { expression });
      return (result as { value: unknown }).value === true;
    },
    picture: async () => {
      const taken = await send("Page.captureScreenshot", { captureBeyondViewport: true });
      return Buffer.from(String(taken["data"]), "base64");
    },
    complaints: () => heard.splice(0),
  };
}

/** Errors, and what a policy of the page has refused; undefined for all else. */
function complaintOf(method: string, params: Values): string | undefined {
  if (method === "Runtime.exceptionThrown" || method === "Audits.issueAdded") {
    return JSON.stringify(params);
  }
  if (method === "Runtime.consoleAPICalled") {
    return params["type"] === "error" ? JSON.stringify(params["args"]) : undefined;
  }
  if (method !== "Log.entryAdded") return undefined;
  const { level, text, url } = params["entry"] as { level: string; text: string; url?: string };
  return level === "error" || level === "warning" ? `${text} ${url ?? ""}` : undefined;
}
