/** How a task is to end, and what it shows until then: the wish of a fault script. */

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
