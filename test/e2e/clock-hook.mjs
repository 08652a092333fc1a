/**
 * Preloaded into the command (`node --import`): its clock is `CLOCK_SET_MS` off, from the beginning,
 * or where `CLOCK_ON_SIGNAL` is set from SIGUSR2 on.
 */

const byMs = Number(process.env.CLOCK_SET_MS);
const now = Date.now.bind(Date);
const System = Date;
let isSet = process.env.CLOCK_ON_SIGNAL === undefined;
process.on("SIGUSR2", () => {
  isSet = true;
});

globalThis.Date = class extends System {
  constructor(...parts) {
    if (parts.length === 0) super(System.now());
    else super(...parts);
  }
};
System.now = () => (isSet ? now() + byMs : now());
