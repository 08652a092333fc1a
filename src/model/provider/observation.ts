/** What a read returned: three-valued existence, and per attribute what could not be read. */

import type { Address } from "../value/address.ts";
import type { Attributes } from "../value/value.ts";

/**
 * `by rule`: the interface never gives this attribute in this situation (a powered-off VM's name);
 * the recorded value stands and drift stays 0. `failed`: it should have been readable.
 */
export type UnreadableReason = "by rule" | "failed";

export type Observation =
  | {
      readonly status: "found";
      readonly identity: string;
      /** Only what was read; an attribute neither here nor in `unreadable` was not asked for. */
      readonly attributes: Attributes;
      readonly unreadable: { readonly [attribute: string]: UnreadableReason };
      /**
       * Why an attribute could not be read, or is not there yet, where there is more to tell than
       * that.
       */
      readonly reasons?: { readonly [attribute: string]: string };
    }
  /**
   * Gone, and how that was proved, such as "absent from the complete list of 20 VMs". `another`:
   * there is an object under its identity, which is another one. `instead`: somebody has put
   * another of its kind in its place.
   */
  | {
      readonly status: "missing";
      readonly proof: string;
      readonly another?: true;
      readonly instead?: true;
    }
  /**
   * `by rule`: a shared folder of a VM that is off. `failed`: an error, in its own words; `matches`
   * when a lookup found several objects, each as a person would name it; `endpoint` when nothing of
   * its provider could be read; `unset` when what it belongs to is not what `container.requires` of
   * its type says, which hides it from everybody.
   */
  | {
      readonly status: "unreadable";
      readonly rule: UnreadableReason;
      readonly reason: string;
      readonly matches?: readonly string[];
      readonly endpoint?: true;
      readonly unset?: true;
      /** Identifiers of what it belongs to, which tell whether it can be the recorded one. */
      readonly knownBy?: Attributes;
    };

/** One object to read. */
export type Wanted = {
  readonly address: Address;
  readonly type: string;
  /** Empty when the object is looked up. */
  readonly identity: string;
  /** What an object not recorded yet is looked up by, such as its name. */
  readonly lookup?: Attributes;
  /** What was last read of a recorded object; an interface may prove by it what is gone. */
  readonly recorded?: Attributes;
  /** Attributes beyond the cheap ones that somebody needs, such as `ip_address`. */
  readonly attributes: readonly string[];
};
