/** What is left on a terminal of what was printed above the drawn part. */

import { Writable } from "node:stream";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Screen, ScreenStreams } from "../../../src/ui/screen.ts";

let openScreen: (streams: ScreenStreams) => Screen;

beforeAll(async () => {
  // ink looks when it is loaded, and draws nothing for machines.
  vi.stubEnv("CI", "false");
  ({ openScreen } = await import("../../../src/ui/screen.ts"));
});
afterAll(() => {
  vi.unstubAllEnvs();
});

/** Knows what ink writes: lines, lines up, lines erased. */
class Paper extends Writable {
  readonly isTTY = true;
  readonly columns = 40;
  readonly rows = 24;
  readonly lines: string[] = [""];
  #row = 0;

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what terminals are told.
    for (const [part] of String(chunk).matchAll(/\u001B\[\??\d*[a-zA-Z]|\n|[^\u001B\n]+/g)) {
      if (part === "\n") this.#to(this.#row + 1);
      else if (part.startsWith("\u001B") && part.endsWith("A")) {
        this.#to(Math.max(0, this.#row - Number(part.slice(2, -1))));
      } else if (part === "\u001B[2K") this.lines[this.#row] = "";
      else if (!part.startsWith("\u001B")) this.lines[this.#row] += part;
    }
    done();
  }

  text(): string {
    return this.lines.join("\n").trimEnd();
  }

  #to(row: number): void {
    this.#row = row;
    while (this.lines.length <= row) this.lines.push("");
  }
}

function paperWith(before = ""): { paper: Paper; screen: Screen } {
  const paper = new Paper();
  if (before !== "") paper.write(before);
  const stream = paper as unknown as NodeJS.WriteStream;
  return { paper, screen: openScreen({ stdout: stream, stderr: stream }) };
}

test("what was printed just before the drawn part is taken away stays", async () => {
  const { paper, screen } = paperWith();
  screen.draw(["head", "one", "two", "foot"]);
  await vi.waitFor(() => expect(paper.lines).toContain("foot"));
  screen.print("printed 1\nprinted 2\n");
  // Within one frame of the last: ink puts it off.
  screen.draw(["head", "two", "foot"]);
  screen.print("printed 3\n");
  screen.close();
  paper.write("after\n");
  expect(paper.text()).toBe("printed 1\nprinted 2\nprinted 3\nafter");
});

test.each([false, true])("nothing is left of what was drawn, seen: %s", async (seen) => {
  const { paper, screen } = paperWith("before\n");
  screen.draw(["head", "one"]);
  if (seen) await vi.waitFor(() => expect(paper.lines).toContain("one"));
  screen.close();
  paper.write("after\n");
  expect(paper.text()).toBe("before\nafter");
});
