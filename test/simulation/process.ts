/** A process that can be killed at any point where it touches the world. */

export type Process = {
  /** Passes a point; never returns when the process dies there. */
  point(name: string): Promise<void>;
  alive(): boolean;
  points(): number;
  /** Resolves with the point's name when the process was killed. */
  readonly killed: Promise<string>;
};

/** Index of the point to die at, or a choice by the point's name. */
export type KillAt = number | ((name: string) => boolean);

export function createProcess(killAt: KillAt): Process {
  let count = 0;
  let alive = true;
  let report: (name: string) => void = () => {};
  const killed = new Promise<string>((resolve) => {
    report = resolve;
  });
  const never = new Promise<void>(() => {});
  return {
    point: (name) => {
      if (!alive) return never;
      if (typeof killAt === "number" ? count === killAt : killAt(name)) {
        alive = false;
        report(name);
        return never;
      }
      count += 1;
      return Promise.resolve();
    },
    alive: () => alive,
    points: () => count,
    killed,
  };
}
