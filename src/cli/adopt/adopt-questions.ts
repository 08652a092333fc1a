/** What `vmform adopt` asks: which types, which of them, and whether to go on. */

import type { Refuse, Wanted } from "../../commands/adopt/find.ts";
import { CommandError } from "../../commands/environment.ts";
import type { TypeCount } from "../../commands/import/import-all.ts";
import { plural } from "../../lib/text.ts";
import type { Asker } from "../terminal/ask/questions.ts";
import type { View } from "../terminal/view.ts";

const all = "all";

export async function chooseWanted(
  asker: Asker,
  counts: readonly TypeCount[],
  refuse: Refuse,
): Promise<Wanted> {
  const choices = counts.map(({ type, unmanaged }) => ({
    name: type,
    about: plural(unmanaged, "object"),
  }));
  const chosen = await asker.choose({
    text: "What is to be managed, by number or name",
    choices: [...choices, { name: all, about: "everything" }],
    many: true,
    usual: all,
  });
  const types = chosen.includes(all) ? counts.map(({ type }) => type) : chosen;
  const filter = await asker.text({
    text: 'Only those of which this is true, such as object.name.startsWith("web")',
    usual: all,
    problem: (text) => (text === all ? undefined : refuse(text, types)),
  });
  return {
    ...(chosen.includes(all) ? {} : { types }),
    ...(filter === all ? {} : { filter }),
  };
}

/** Throws `CommandError` where nobody can be asked. */
export async function agreeTo(
  asker: Asker,
  view: View,
  {
    objects,
    file,
    isAgreed,
  }: { readonly objects: number; readonly file: string; readonly isAgreed: boolean },
): Promise<boolean> {
  if (isAgreed) return true;
  if (!view.asks) {
    throw new CommandError(
      `Nobody can be asked here whether to write ${plural(objects, "object")} to ${file}.`,
      "Use --yes; --type and --filter say which of them.",
      "approval",
    );
  }
  const answer = await asker.text({
    text: `Write configuration of ${plural(objects, "object")} to ${file}, and record them?`,
    usual: "yes",
    problem: (text) => (["yes", "no"].includes(text) ? undefined : "Write yes or no."),
  });
  return answer === "yes";
}
