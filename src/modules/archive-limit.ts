/** How much an archive may hold: what grows to many times its size when unpacked ends here. */

const bytesMax = 1_000_000_000;
const entriesMax = 100_000;

export class ArchiveLimit {
  #bytes = 0;
  #entries = 0;
  #problem: string | undefined;

  /** Whether it has room for one more; what unpacks may not be able to stop. */
  has(name: string, bytes: number): boolean {
    this.#bytes += bytes;
    this.#entries += 1;
    if (this.#entries > entriesMax) this.#problem ??= `it holds more than ${entriesMax} files`;
    else if (this.#bytes > bytesMax) {
      this.#problem ??= `it holds more than ${bytesMax} bytes, with ${JSON.stringify(name)}`;
    }
    return this.#problem === undefined;
  }

  /** Throws an `Error` with the reason where something did not fit. */
  check(): void {
    if (this.#problem !== undefined) throw new Error(this.#problem);
  }
}
