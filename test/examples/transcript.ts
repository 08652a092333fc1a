/** The part of the demo's output that the README shows. */

const leftOut = "[...]";

/** Begins as a step of the demo does. */
const stepPattern = /^# (\d)\. /;
const progressPattern = /^(?:(?:Refresh|Look)\S* .*|\S+: .*(?:\.\.\.|complete after \S+))$/;

/**
 * The demo's output with `[...]` for what is left out: progress, whose order and times differ from
 * run to run; in step 1 the second of two clones; in step 2 the plan that step 1 has shown; in step
 * 5 the drift that step 4 has shown.
 */
export function transcriptOf(output: string): string {
  const lines: string[] = [];
  let step = "";
  let skippingUntil: RegExp | undefined;
  for (const line of output.trim().split("\n")) {
    step = stepPattern.exec(line)?.[1] ?? step;
    skippingUntil ??= skipFrom(step, line);
    if (skippingUntil?.test(line) === true) skippingUntil = undefined;
    else if (skippingUntil !== undefined || progressPattern.test(line)) {
      if (lines.at(-1) !== leftOut) lines.push(leftOut);
      continue;
    }
    lines.push(line);
  }
  return lines.join("\n");
}

/** Where the part ends that begins with this line and is left out; undefined for all others. */
function skipFrom(step: string, line: string): RegExp | undefined {
  if (step === "1" && line.startsWith('  # daemon_vm.app["b"]')) return /^Changes to outputs/;
  if (step === "2" && line.startsWith("vmform will perform")) return /^Plan: /;
  if (step === "5" && line.startsWith("Changed outside")) return /^Changes:/;
  return undefined;
}
