/** Single keys from the terminal of this process, which is put back as it was. */

/** Arrows and the like: several characters for one key, none of which stands for itself. */
const sequences = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|O.|.)?/gs;

/** Keys that the terminal turns into signals, while it does not hand over single keys. */
const signalKeys: { readonly [key: string]: NodeJS.Signals } = {
  "\u0003": "SIGINT",
  "\u001c": "SIGQUIT",
};
const suspendKey = "\u001a";

/** Until the function it returns is called, or the process ends. Standard input is a terminal. */
export function takeKeys(listener: (key: string) => void): () => void {
  const { stdin } = process;
  const take = (key: string): void => {
    const signal = signalKeys[key];
    if (signal !== undefined) process.kill(process.pid, signal);
    else if (key === suspendKey) suspend();
    else listener(key);
  };
  const hear = (chunk: Buffer): void => {
    for (const key of chunk.toString("utf8").replaceAll(sequences, "")) take(key);
  };
  // The terminal went away: its signal says so, too.
  const ignore = (): void => {};
  stdin.setRawMode(true);
  stdin.on("data", hear);
  stdin.on("error", ignore);
  stdin.resume();
  let taking = true;
  const resume = (): void => {
    if (taking) stdin.setRawMode(true);
  };
  const suspend = (): void => {
    stdin.setRawMode(false);
    process.once("SIGCONT", resume);
    process.kill(process.pid, "SIGTSTP");
  };
  return () => {
    if (!taking) return;
    taking = false;
    process.off("SIGCONT", resume);
    stdin.pause();
    stdin.off("data", hear);
    stdin.off("error", ignore);
    stdin.setRawMode(false);
  };
}
