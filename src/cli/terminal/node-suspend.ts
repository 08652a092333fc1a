/** Stopping this process by Ctrl-Z, and going on with it, so that the terminal is given back. */

type Suspension = { readonly stop: () => void; readonly go: () => void };

/** Where nothing stops the process, such as a shell without job control, it goes on after this. */
const notStoppedMs = 500;

/** Until the function it returns is called. Windows knows no such thing. */
export function onSuspend({ stop, go }: Suspension): () => void {
  if (process.platform === "win32") return () => {};
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const suspend = (): void => {
    stopped = true;
    stop();
    // Without anybody who hears it, the signal does what it always does.
    process.off("SIGTSTP", suspend);
    process.kill(process.pid, "SIGTSTP");
    timer = setTimeout(resume, notStoppedMs);
    timer.unref();
  };
  const resume = (): void => {
    clearTimeout(timer);
    if (!stopped) return;
    stopped = false;
    process.on("SIGTSTP", suspend);
    go();
  };
  process.on("SIGTSTP", suspend);
  process.on("SIGCONT", resume);
  return () => {
    clearTimeout(timer);
    process.off("SIGTSTP", suspend);
    process.off("SIGCONT", resume);
  };
}
