/**
 * The part of the terminal that is drawn again and again, by ink. What is printed stands above it
 * and stays in the scrollback. Loaded only when a terminal shows it: it takes as long to load as
 * the rest of the program together.
 */

import { render, Text, useStderr, useStdout } from "ink";
import { createElement, Fragment, type ReactElement } from "react";

export type Screen = {
  /** Text that ends with a newline, above the drawn part, for good. */
  readonly print: (text: string) => void;
  /** The same, on standard error. */
  readonly printError: (text: string) => void;
  /** The drawn part: no line wider than the terminal, and fewer than it has rows. */
  readonly draw: (lines: readonly string[]) => void;
  /** Takes the drawn part away and gives the terminal back. */
  readonly close: () => void;
};

export type ScreenStreams = {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
};

type Writers = { out: (text: string) => void; error: (text: string) => void };

/** Redraws of the terminal in a second, at most. */
const framesPerSecond = 10;

export function openScreen({ stdout, stderr }: ScreenStreams): Screen {
  const writers: Writers = {
    out: (text) => void stdout.write(text),
    error: (text) => void stderr.write(text),
  };
  const paper = paperOf(stdout);
  const instance = render(createElement(Live, { drawn: [], writers }), {
    stdout: paper.stdout,
    stderr,
    patchConsole: false,
    exitOnCtrlC: false,
    maxFps: framesPerSecond,
  });
  return {
    print: (text) => writers.out(text),
    printError: (text) => writers.error(text),
    draw: (drawn) => instance.rerender(createElement(Live, { drawn, writers })),
    close: () => {
      instance.rerender(createElement(Live, { drawn: [], writers }));
      // Not by its `clear`: where a frame is still to be drawn, what unmounts erases as many lines
      // once more, which are those that were printed last.
      instance.unmount();
      if (paper.hasLines()) stdout.write(upOneLine);
    },
  };
}

/** From behind the empty line that ink leaves back to where it stands. */
const upOneLine = "\u001B[1A\u001B[2K";

/**
 * What is printed is written beside the tree, and not kept in it by `<Static>`: that one copies all
 * that was ever printed for each line, and breaks words which are to be pasted.
 */
function Live(properties: {
  readonly drawn: readonly string[];
  readonly writers: Writers;
}): ReactElement {
  const { drawn, writers } = properties;
  writers.out = useStdout().write;
  writers.error = useStderr().write;
  const lines = drawn.map((text, index) =>
    // Lines have no identity: each is drawn where it stands.
    createElement(Text, { key: index, wrap: "truncate-end" }, text === "" ? " " : text),
  );
  return createElement(Fragment, null, ...lines);
}

type Paper = { readonly stdout: NodeJS.WriteStream; readonly hasLines: () => boolean };

/**
 * ink wipes the whole terminal, with all that was there before, when it finds that what it drew is
 * as high as the terminal. What is drawn is lower; only a terminal that was made lower meanwhile
 * could find it so. Nothing is as high as a terminal that tells no height. Whether it wrote any
 * line is noted: it leaves an empty one then, and none else.
 */
function paperOf(stdout: NodeJS.WriteStream): Paper {
  let lines = false;
  const write = (text: string, done?: () => void): boolean => {
    lines ||= text.includes("\n");
    return stdout.write(text, done);
  };
  const proxy = new Proxy(stdout, {
    get: (target, name) => {
      if (name === "rows") return undefined;
      if (name === "write") return write;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return { stdout: proxy, hasLines: () => lines };
}
