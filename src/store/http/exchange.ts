/** Where and how the http store reads, writes and locks state. */

export type HttpPlace = {
  /** As people are told it: without credentials, nor any value of its query. */
  readonly address: string;
  /** Where it is read and written. */
  readonly url: string;
  readonly updateMethod: string;
  readonly lock: HttpLockPlace;
  /** Its rules are known: a write without the present lock is refused. */
  readonly isGitLab: boolean;
};

export type HttpLockPlace = {
  readonly lock: { readonly method: string; readonly url: string };
  readonly unlock: { readonly method: string; readonly url: string };
  /** A server that knows no lock is used all the same. */
  readonly optional: boolean;
};
