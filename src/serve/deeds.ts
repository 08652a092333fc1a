/** What is done by forms: by whom it may be, what became of it, and back to its page. */

import type { Hono } from "hono";
import { type Deed, mayDo, type Person, type Role } from "../model/board/board.ts";
import { hrefOf } from "../render/board/board-parts.ts";
import { logOut } from "./login.ts";
import { createRefusals } from "./refusals.ts";
import { type Site, type SiteContext, type SiteEnv, say } from "./site.ts";

type Form = {
  readonly id: string;
  readonly plan: string;
  readonly kinds: readonly string[];
};

export function addDeeds(app: Hono<SiteEnv>, site: Site): void {
  const { board } = site;
  const isNoted = createRefusals(site.now);
  const add = (
    path: string,
    needed: Role,
    words: string,
    work: (form: Form, person: Person) => Promise<Deed>,
  ): void => {
    app.post(path, async (context) => {
      const { person } = context.get("session");
      const form = await formOf(context);
      if (!mayDo(person.role, needed)) {
        if (isNoted()) await noteRefusal(site, person, `${path} ${form.id}`);
        return refuse(site, context, needed);
      }
      if (!isUsable(form)) {
        const text = "The form names no run.";
        return say(site, context, 400, { title: "Nothing was done", text });
      }
      const deed = await work(form, person);
      context.get("session").told = deed.done
        ? { good: true, text: deed.told ?? words }
        : { good: false, text: `Nothing was done: ${deed.why} ${deed.fix}` };
      return context.redirect(hrefOf("run", { id: form.id }), 303);
    });
  };
  add("/run-approve", "approve", "Approved.", ({ id, plan, kinds }, person) =>
    board.approve(id, { planId: plan, kinds }, person),
  );
  add("/run-decline", "approve", "Declined. Nothing of it is done.", ({ id, plan }, person) =>
    board.decline(id, plan, person),
  );
  add("/run-cancel", "operate", "Cancelled. No worker takes it.", ({ id, plan }, person) =>
    board.cancel(id, plan, person),
  );
  app.post("/logout", (context) => logOut(site, context));
}

function noteRefusal({ board }: Site, { who, via }: Person, detail: string): Promise<void> {
  return board.note({ who, via, action: "refused", subject: "", detail: detail.slice(0, 200) });
}

function refuse(site: Site, context: SiteContext, needed: Role): Response | Promise<Response> {
  const { role } = context.get("session").person;
  const text = `That takes the role ${needed}; yours is ${role}.`;
  const onward = { href: "states", label: "All states" };
  return say(site, context, 403, { title: "Nothing was done", text, onward });
}

async function formOf(context: SiteContext): Promise<Form> {
  const body = await context.req.parseBody({ all: true });
  const texts = (name: string): readonly string[] => {
    const value = body[name] ?? [];
    return (Array.isArray(value) ? value : [value]).filter((one) => typeof one === "string");
  };
  const [id = ""] = texts("id");
  const [plan = ""] = texts("plan");
  return { id, plan, kinds: texts("kind") };
}

function isUsable({ id, plan, kinds }: Form): boolean {
  const all = [id, plan, ...kinds];
  return id !== "" && all.every((text) => text.length <= 1000 && !text.includes("\0"));
}
