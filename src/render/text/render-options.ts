/** How text is drawn. The caller looks at the terminal; nothing in this folder does. */

export type RenderOptions = {
  /** Columns to wrap at; left out when the output is piped, and then nothing is wrapped. */
  readonly width?: number;
  /** Whether ANSI colour codes may be written. */
  readonly color: boolean;
};
