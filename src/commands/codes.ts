/** What a command itself has to say, by stable code. A code never changes its meaning. */

import type { Explanation } from "../model/said/explanation.ts";
import { problemsOf } from "../model/said/problem.ts";
import { testRunCodes } from "./test-codes.ts";

export const commandCodes = {
  CLI001: {
    summary: "Command cannot go on",
    explanation:
      "Something that the command needs is not there or does not fit; the message says what.",
    fix: "The message names the way out.",
  },
  CLI002: {
    summary: "Command line not understood",
    explanation:
      "An unknown command or option, an argument too many or too few, or options that " +
      "exclude each other. Nothing was done.",
    fix: "See vmform COMMAND --help.",
  },
  CLI003: {
    summary: "File cannot be used",
    explanation:
      "The system does not let vmform read or write a file, or the file is not what was " +
      "expected.",
    fix: "Mend what the system reports: the name, the permissions, the space.",
  },
  CLI004: {
    summary: "Nobody has approved",
    explanation:
      "The command changes something and asks first, but there is no terminal to ask at.",
    fix: "Use --auto-approve, or save a plan with vmform plan --out FILE and apply that file.",
  },
  CLI005: {
    summary: "Consent is missing",
    explanation:
      "The plan or action disrupts somebody (turns a VM off, deletes an object), and " +
      "--auto-approve alone covers no disruption.",
    fix: "If that is what you want, add --allow with the kinds that the message names.",
  },
  CLI006: {
    summary: "Saved plan cannot be used",
    explanation:
      "A saved plan is applied once, to exactly the state it was made against, and never " +
      "after it was changed.",
    fix: "Make a new plan with vmform plan --out FILE.",
  },
  CLI007: {
    summary: "Plan cannot be saved",
    explanation:
      "Such a plan could not be applied later: it has errors, another run is at work, " +
      "operations are open, or it would hold a secret.",
    fix: "Mend the reason that the message gives, then plan again.",
  },
  CLI008: {
    summary: "Interrupted",
    explanation: "The command was asked to stop before anything was begun.",
    fix: "Run it again; nothing was changed.",
  },
  CLI009: {
    summary: "Action failed",
    explanation:
      "The action was sent, or could not be, and did not end in success. Nothing of it is " +
      "recorded.",
    fix: "Look at what it has changed with vmform plan.",
  },
  CLI010: {
    summary: "No screen ticket",
    explanation: "The interface gives no ticket for the screen of this object, now or at all.",
    fix: "Turn the VM on first; the message tells what the server said.",
  },
  CLI011: {
    summary: "Recorded provider settings are used",
    explanation:
      "The configuration has errors, so what it says of the provider was not read. The " +
      "settings of the last apply may be out of date.",
    fix: "See what is wrong with it: vmform validate.",
  },
  CLI012: {
    summary: "Object is not where it was recorded",
    explanation:
      "The provider speaks to another server than the object was recorded at, or there is " +
      "another object under its id. What is done by hand is done to the recorded object alone.",
    fix: "See what is there with vmform plan, which says what it needs.",
  },
  FMT001: {
    summary: "Layout cannot be made regular",
    explanation:
      "After the layout was changed, the file would not say the same as before, so it was " +
      "left as it is. This is a fault of vmform.",
    fix: "Please report the file.",
  },
  CLI013: {
    summary: "Nothing is recorded",
    explanation:
      "Recorded state is missing or holds no object, so drift compared nothing. A wrong folder " +
      "or state path looks just like it.",
    fix: "Apply the configuration first, choose the right folder, or add --allow-empty.",
  },
  CLI014: {
    summary: "File would be overwritten",
    explanation:
      "An output is written to a new file, or over an earlier output of the same kind: a saved " +
      "plan, a drift report of that form. Anything else that is there, such as configuration or " +
      "recorded state, would be lost.",
    fix: "Name another file, or remove that one first.",
  },
  CLI020: {
    summary: "Provider settings are not recorded",
    explanation:
      "To destroy without a configuration that can be used, objects are reached by the settings " +
      "of the last apply, and of this provider there are none.",
    fix: "Mend the configuration; a sound one says how to reach the provider.",
  },
  CLI025: {
    summary: "Not everything may begin now",
    explanation:
      "By a policy of level deny some of the plan may begin at other times only. Whether the " +
      "apply waits for them, which may take days and keeps recorded state locked, or leaves " +
      "them undone, is never decided for you. Nothing was done.",
    fix: "Add --window wait or --window skip, or apply at the time that the plan tells.",
  },
  CLI026: {
    summary: "Consent to no policy",
    explanation:
      "--allow policy:NAME consents to what a policy of level needs_consent does not hold of. " +
      "There is none of that name, or it has another level, so the consent would have no effect.",
    fix: "Give the name as the plan shows it.",
  },
  CLI027: {
    summary: "Configuration of an import cannot be generated",
    explanation:
      "plan --generate-config-out writes a resource for every entry of imports that has none, as " +
      "its object was read. Of this entry it could not, so nothing was written.",
    fix: "Do what the message says, or declare the resource by hand.",
  },
  CLI028: {
    summary: "Part of the configuration is left out",
    explanation:
      "Which instances a resource or a module has, or how a provider is reached, comes of what " +
      "has to be read first. This command reads nothing, so it leaves out whatever needs that.",
    fix: "vmform plan reads it, and shows the whole.",
  },
  CLI029: {
    summary: "Only owed power is given back",
    explanation:
      "A policy denies the plan, of which nothing is applied. An interrupted run has turned a VM " +
      "off and still owes it its power, which the policy does not deny: that is planned alone " +
      "and applied once it is agreed to. The apply ends with exit code 1 all the same. Of a " +
      "destroy and of a saved plan that are denied, power is given back and nothing else is done.",
    fix: "Change what is wanted, or leave out what is denied with --exclude.",
  },
  CLI030: {
    summary: "Power is still owed",
    explanation:
      "A policy denies the plan, of which nothing is applied. An interrupted run has turned a VM " +
      "off and still owes it its power, and that cannot be given back alone: a policy denies it, " +
      "the VM cannot be read, or it is to be made anew.",
    fix: "vmform plan --target ADDRESS shows what stands against it.",
  },
  CLI031: {
    summary: "Not a workspace",
    explanation:
      "Each workspace has recorded state of its own. A slip in its name would be taken for one " +
      "where nothing is recorded, and everything would be made once more. Names are letters, " +
      "digits, hyphens and underscores.",
    fix: "vmform workspace list tells which there are, and vmform workspace new NAME makes one.",
  },
  CLI032: {
    summary: "Rule that ignores drift has expired",
    explanation:
      "A rule of vmform.drift.ignore holds until the end of its day, in UTC. Later it ignores " +
      "nothing, and what it has ignored is drift again.",
    fix: "Deal with the difference and remove the rule, or agree on another day with its owner.",
  },
  CLI033: {
    summary: "Rule ignores nothing",
    explanation:
      "What a rule of vmform.drift.ignore names is not recorded, or does not differ at present. " +
      "A rule that is left behind would hide the next difference, which is another one.",
    fix: "Remove the rule, or correct its address or attribute.",
  },
  CLI034: {
    summary: "Not what was shown any more",
    explanation:
      "vmform drift --accept writes what it has shown and nothing else. Between that and the " +
      "answer the value was changed once more, or a file of the configuration. Nothing was " +
      "written.",
    fix: "Give the command again, and look at what it shows then.",
  },
  CLI051: {
    summary: "Recorded state is kept elsewhere by now",
    explanation:
      "It was brought to another store with vmform state migrate, or is still arriving from one. " +
      "Of two copies of one history only one may go on: what another run records in this one, " +
      "the other would never know, and both would manage the same objects. So nothing is done " +
      "with this copy, whoever has the configuration that names it.",
    fix:
      "Name the store that the message tells in vmform.state. A migration that was stopped goes " +
      "on when it is run again. Where nobody uses the other copy any more, " +
      "vmform state migrate --reclaim makes this one count again.",
  },
  CLI052: {
    summary: "Recorded state cannot be migrated",
    explanation:
      "What is in the other store is of another history, or has entries that this one lacks, so " +
      "that to replace it would lose something; or what was read back was not what was written. " +
      "The place that counted before counts still.",
    fix: "Do what the message says, and run the command again.",
  },
  CLI053: {
    summary: "History of runs is incomplete",
    explanation:
      "What a run has done is recorded as always; only the record that vmform runs and blame " +
      "tell it by could not be saved. Nothing fails for that.",
    fix: "Mend what the message tells.",
  },
  CLI054: {
    summary: "Recorded state may be at another place",
    explanation:
      "Nothing is recorded yet where vmform.state says, and this machine knows of another place " +
      "that has recorded objects: the file that is used where vmform.state says nothing, or a " +
      "store of which there is a mirror. Where the setting was changed and nothing was brought " +
      "along, all of that would be made a second time. A plan warns of it; what would record " +
      "something is refused. A file elsewhere, or a store that another machine has used, is not " +
      "known of.",
    fix:
      "Bring it along with vmform state migrate --from PLACE. Where it is of something else, " +
      "move the file away, or discard the mirror with vmform state mirror --discard NAME.",
  },
  CLI060: {
    summary: "More than was approved",
    explanation:
      "What is left of an approved plan was planned anew, since something was done or changed " +
      "meanwhile. It is applied without being asked about only where each of its requests, and " +
      "each disruption, is among those approved: the same object, the same verb, the same " +
      "values. Nothing was done beyond what is told.",
    fix: "Look at what is planned now with vmform plan, and approve that.",
  },
  CLI035: {
    summary: "Hook was not told",
    explanation:
      "A program or server of vmform.on could not be told what has happened, as often as it was " +
      "tried. The run and its exit code are what they are without it.",
    fix: "See whether the program or the server is what the configuration names.",
  },
  ...testRunCodes,
} as const satisfies { readonly [code: string]: Explanation };

export const { problem, warning } = problemsOf(commandCodes);
