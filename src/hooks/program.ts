/** A program that is told: its words without a shell, the message on standard input, a limit. */

import { spawn } from "node:child_process";
import type { Hook } from "../model/said/hook.ts";
import type { HookPorts, Told } from "./send.ts";

/** Of what it complains about, the beginning, in characters. */
const complaintMax = 200;
/** As much is kept as is masked before it is cut: half a secret would not be found. */
const keptMax = 10_000;

/** Does not reject. What the program has started in turn is not waited for. */
export function tellProgram(
  { words, directory, limitMs }: Extract<Hook, { readonly kind: "command" }>,
  { mask, environment }: Pick<HookPorts, "mask" | "environment">,
  body: string,
): Promise<Told> {
  const [program = "", ...rest] = words;
  if (words.some((word) => word.includes("\0"))) {
    const why = "a word of it has a zero byte, which no program can be given";
    return Promise.resolve({ ok: false, why, again: false });
  }
  return new Promise((resolve) => {
    const child = spawn(program, rest, {
      cwd: directory,
      env: environment,
      stdio: ["pipe", "ignore", "pipe"],
      windowsHide: true,
    });
    let complaint = "";
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      child.kill("SIGKILL");
    }, limitMs);
    const end = (told: Told): void => {
      clearTimeout(timer);
      // Whatever it left running may keep this open.
      child.stderr.destroy();
      child.stdin.destroy();
      resolve(told);
    };
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      if (complaint.length < keptMax) complaint += text;
    });
    child.on("error", (error) => end({ ok: false, why: error.message, again: false }));
    child.on("exit", (code, signal) => {
      if (code === 0) return end({ ok: true });
      const how = signal === null ? `ended with code ${code}` : `was ended by ${signal}`;
      const why = isLate ? `did not end within ${limitMs / 1000} s` : how;
      const [first = ""] = mask.mask(complaint).trim().split(/\r?\n/, 1);
      const said = first === "" ? "" : `: ${first.slice(0, complaintMax)}`;
      end({ ok: false, why: `${why}${said}`, again: true });
    });
    // It may end without having read all of it, or any.
    child.stdin.on("error", () => undefined);
    child.stdin.end(`${body}\n`);
  });
}
