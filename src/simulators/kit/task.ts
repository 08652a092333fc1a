/**
 * Tasks of any simulator: how one is to end and what it shows until then, which a fault script may
 * wish, and when it ends.
 */

/** Kind in the words of the interface: a minor code of the cloud, a fault of the manager. */
type ScriptedFailure = { readonly kind: string | null; readonly message: string };

/** `Failure`: how an interface tells why a task failed. */
export type TaskPlan<Failure = ScriptedFailure> = {
  /** Status at the end; any word. */
  readonly end: string;
  readonly error: Failure | null;
  /** The effect takes place at the end. */
  readonly effect: boolean;
  /** Status shown instead of `running`. */
  readonly meanwhile: string | null;
  /** The task is gone at its end. */
  readonly lost: boolean;
};

export const successPlan: TaskPlan<never> = {
  end: "success",
  error: null,
  effect: true,
  meanwhile: null,
  lost: false,
};

/** When a task ends, and whether by cancelling: it may succeed before that takes effect. */
export function taskEnd(task: {
  /** Planned at the start. */
  readonly endMs: number;
  /** When it ends because it was asked to, unless it has ended by then. */
  readonly cancelMs: number | null;
}): { readonly atMs: number; readonly cancelled: boolean } {
  const { cancelMs, endMs } = task;
  return cancelMs !== null && cancelMs < endMs
    ? { atMs: cancelMs, cancelled: true }
    : { atMs: endMs, cancelled: false };
}

/** Whole percent of a task that runs from `fromMs` to `endMs`, below 100. */
export function percentOf(atMs: number, fromMs: number, endMs: number): number {
  const passedMs = Math.min(atMs, endMs) - fromMs;
  if (endMs <= fromMs || passedMs <= 0) return 0;
  return Math.min(99, Math.floor((100 * passedMs) / (endMs - fromMs)));
}
