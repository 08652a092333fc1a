/**
 * The part of the terminal that is drawn again and again, by ink. What is printed stands above it
 * and stays in the scrollback. Loaded only when a terminal shows it: it takes as long to load as
 * the rest of the program together.
 */

import { type Instance, render, Text, useStderr, useStdout } from "ink";
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
  const instance = render(createElement(Live, { drawn: [], writers }), {
    stdout: withoutRows(stdout),
    stderr,
    patchConsole: false,
    exitOnCtrlC: false,
    maxFps: framesPerSecond,
  });
  return {
    print: (text) => writers.out(text),
    printError: (text) => writers.error(text),
    draw: (drawn) => instance.rerender(createElement(Live, { drawn, writers })),
    close: () => close(instance, writers),
  };
}

function close(instance: Instance, writers: Writers): void {
  instance.rerender(createElement(Live, { drawn: [], writers }));
  instance.clear();
  instance.unmount();
}

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

/**
 * ink wipes the whole terminal, with all that was there before, when it finds that what it drew is
 * as high as the terminal. What is drawn is lower; only a terminal that was made lower meanwhile
 * could find it so. Nothing is as high as a terminal that tells no height.
 */
function withoutRows(stdout: NodeJS.WriteStream): NodeJS.WriteStream {
  return new Proxy(stdout, {
    get: (target, name) => {
      if (name === "rows") return undefined;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
