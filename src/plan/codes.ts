/** What planning has to say, by stable code. A code never changes its meaning and is used once. */

import type { Explanation } from "../model/said/explanation.ts";
import { problemsOf } from "../model/said/problem.ts";

export const planCodes = {
  PLN001: {
    summary: "Value must be known while planning",
    explanation:
      "The attribute decides which operations there are (an id, a power, a size), so a plan " +
      "cannot be made with a value that is only known after another operation.",
    fix:
      "Use a value that the configuration itself knows, or apply what it depends on first " +
      "with --target.",
  },
  PLN002: {
    summary: "Object exists already",
    explanation:
      "An object with this key exists and is recorded nowhere. It may be somebody else's, so " +
      "it is never taken over silently.",
    fix: "Import it with vmform import ADDRESS ID, or choose another key.",
  },
  PLN003: {
    summary: "Resource was renamed",
    explanation:
      "An address of the configuration means an object that recorded state holds at another " +
      "one: a resource was renamed, positions of a count have shifted, or two resources have " +
      "swapped their keys. Without a word of yours objects would be deleted and made anew, so " +
      "none of these addresses is touched, whatever the consent.",
    fix: "Add the moved entries that the message prints; they are followed all at once.",
  },
  PLN004: {
    summary: "Target of a move is recorded already",
    explanation:
      "A moved entry leads to an address that holds another object already, which no entry " +
      "leads away, and an address holds one.",
    fix:
      "Add an entry that says where the second object belongs, or forget it with vmform state " +
      "rm.",
  },
  PLN005: {
    summary: "Object could not be read",
    explanation:
      "The endpoint did not answer, refused, or gave a reply that cannot be understood. An " +
      "object that could not be read never counts as gone, so nothing is planned for it, nor " +
      "for what depends on it.",
    fix:
      "Mend what the message tells of the endpoint (vmform doctor helps) and plan again. " +
      "What is not blocked can be applied with --allow-partial.",
  },
  PLN006: {
    summary: "Provider changed",
    explanation:
      "The resource is recorded with another provider. Another provider is another endpoint, " +
      "where the object is not, so this would be a new object under an old name.",
    fix: "Give the resource a new name, or restore its provider.",
  },
  PLN007: {
    summary: "Destroying is prevented",
    explanation:
      "The plan would delete or replace an object whose lifecycle.prevent_destroy is set. " +
      "This protects what must not be lost by an edit somewhere else. An object whose resource " +
      "has left the configuration stays protected as it was when last applied, and so do all " +
      "where the configuration is not used (CFG045).",
    fix:
      "Undo the change that leads to it, remove prevent_destroy on purpose, or give up what left " +
      "by an entry of removed.",
  },
  PLN008: {
    summary: "Unknown type",
    explanation:
      "Recorded state holds an object of a type that this version of vmform does not know, " +
      "so it can neither be read nor deleted.",
    fix: "Use the version that recorded it, or forget the object with vmform state rm.",
  },
  PLN009: {
    summary: "Resources form a cycle",
    explanation:
      "Each resource of the circle has to exist before the next one, so none can be first. A " +
      "literal id that names another resource counts like a reference.",
    fix: "Remove one of the references of the circle.",
  },
  PLN010: {
    summary: "Operations form a cycle",
    explanation:
      "The resources can be ordered, but what has to be done with them cannot: power words, " +
      "replaces and content wait for each other in a circle.",
    fix:
      "Apply in two steps: leave one of the changes out with --exclude, or undo one, and " +
      "apply it afterwards.",
  },
  PLN011: {
    summary: "A power cycle is needed",
    explanation:
      "The change needs the VM in a power state that it does not have and is not going to " +
      "have. vmform turns no VM off or on for it uninvited.",
    fix:
      "Allow it with --allow power-cycle, or set the power that is needed in the " +
      "configuration.",
  },
  PLN012: {
    summary: "Power cannot be reached",
    explanation: "The interface knows no way from the present power of the VM to the wanted one.",
    fix: "Set another power, or bring the VM into another state by hand first.",
  },
  PLN013: {
    summary: "Most recorded objects are missing at once",
    explanation:
      "A large share of what is recorded has vanished since the last run. More often the " +
      "endpoint, the user or the organization is the wrong one than everything was deleted; " +
      "creating all of it again would be the worse mistake.",
    fix: "Check the settings of the provider. If the objects are really gone: --allow vanished.",
  },
  PLN014: {
    summary: "An earlier create is not settled",
    explanation:
      "A create was begun and never seen to take effect, and the object may still appear. " +
      "Its address cannot take another object before that is certain, or the first one would " +
      "be lost sight of.",
    fix:
      "Wait until its limit has passed and plan again, or end the wait with vmform state " +
      "resolve.",
  },
  PLN015: {
    summary: "Key is taken by the object to be replaced",
    explanation:
      "create_before_destroy makes the new object while the old one still exists, so both " +
      "need a key of their own.",
    fix: "Change the key together with the other change, or drop create_before_destroy.",
  },
  PLN016: {
    summary: "Address of an import is recorded already",
    explanation:
      "The address of the import holds another object already, and an address holds one.",
    fix: "Import it under another address, or remove the entry.",
  },
  PLN017: {
    summary: "Import of an address that is not configured",
    explanation:
      "An imported object is recorded at an address of the configuration, which says what it " +
      "is to be like; this one is not declared.",
    fix: "Declare the resource first, or let vmform import --all write it.",
  },
  PLN018: {
    summary: "Imported object is not the configured one",
    explanation:
      "The id of the import and what the configuration says of the object (its key, or what " +
      "it is looked up by) name different objects.",
    fix: "Correct the id of the import, or the key attributes of the configuration.",
  },
  PLN019: {
    summary: "Object to import does not exist",
    explanation:
      "Nothing with the id of the import exists at the endpoint, which was listed or asked " +
      "in full.",
    fix: "Correct the id, or remove the entry to have the object created or looked up.",
  },
  PLN020: {
    summary: "Container does not take content",
    explanation:
      "The VM must be configured in a certain way (folder sharing, for example) to take what " +
      "is declared for it.",
    fix: "Set the attribute that the message names in the resource of the container.",
  },
  PLN021: {
    summary: "Data source could not be read",
    explanation:
      "The query failed, so nothing is known of its result and nothing is planned for what " +
      "depends on it.",
    fix:
      "Mend what the message tells and plan again; what does not depend on it can be applied " +
      "with --allow-partial.",
  },
  PLN022: {
    summary: "Object of an import is recorded already",
    explanation: "One object has one address, and this object is recorded at another one.",
    fix: "Remove the entry, or lead the object to its new address with a moved entry.",
  },
  PLN023: {
    summary: "Object to adopt does not exist",
    explanation:
      "Objects of this type exist already and are looked up, never created. Nothing matches " +
      "what the resource is looked up by.",
    fix: "Correct what it is looked up by, or make the object outside of vmform first.",
  },
  PLN024: {
    summary: "Adopted object does not exist any more",
    explanation:
      "The recorded object is gone, and objects of this type are never created by vmform.",
    fix: "Correct what it is looked up by, or remove the resource: then it is forgotten.",
  },
  PLN025: {
    summary: "Recorded object is still owed its power",
    explanation:
      "The lookup now finds another object, but an unfinished run has turned the recorded " +
      "one off and not on again. Forgetting it now would leave it off.",
    fix: "Look up the recorded object again and apply, then change the lookup.",
  },
  PLN026: {
    summary: "One object has two addresses",
    explanation: "Two resources mean the same object, so they would undo each other's changes.",
    fix: "Remove one of the two, or look up another object.",
  },
  PLN027: {
    summary: "Several objects match",
    explanation:
      "What the resource is looked up by fits several objects, and none of them is taken by " +
      "chance.",
    fix: "Say more of the one that is meant, such as the name of its vApp, or its link.",
  },
  PLN028: {
    summary: "Change could not be examined",
    explanation:
      "What has to be known of the server before the change (versions, capabilities, running " +
      "tasks) could not be asked.",
    fix: "Mend what the message tells of the endpoint and plan again.",
  },
  PLN029: {
    summary: "Attached object cannot be replaced",
    explanation:
      "An object of this type exists already when it is adopted and is never made anew, so " +
      "--replace and replace_triggered_by have no meaning for it.",
    fix: "Leave out --replace or replace_triggered_by for it.",
  },
  PLN030: {
    summary: "Id of an import cannot be used",
    explanation: "The text is no id that an object of this type can have.",
    fix:
      "The page of the resource type says what it calls an object; see also vmform explain " +
      "TYPE.",
  },
  PLN031: {
    summary: "Endpoint is another one than recorded",
    explanation:
      "What is recorded was recorded at another server than the one that the provider speaks to " +
      "now, or at another address. Ids mean nothing at another server: a VM of the same id there " +
      "is somebody else's.",
    fix:
      "Correct the url of the provider. If it is the same server at another address, accept that " +
      "alone: vmform apply --refresh-only --allow endpoint.",
  },
  PLN045: {
    summary: "Move leads out of the configuration",
    explanation:
      "A moved entry leads a recorded object to an address that the configuration does not " +
      "declare. It is followed, and the object is planned like any other that left.",
    fix: "Correct the entry where the object was meant to stay.",
  },
  PLN035: {
    summary: "Named object does not exist",
    explanation:
      "A new object names another one, such as the VM that it is cloned from or shared into, and " +
      "a complete list of what exists does not hold it.",
    fix: "Correct the name, or make that object first.",
  },
  PLN036: {
    summary: "Replacement could not be made",
    explanation:
      "The new object would be cloned from one whose power does not allow it. A plain create is " +
      "tried as it is; a replacement would have deleted the old object by then.",
    fix: "Turn the source off first, or, where it is managed, allow a power cycle of it.",
  },
  PLN037: {
    summary: "Replacement is cloned from what it replaces",
    explanation: "The object that the new one is cloned from is deleted before it is made.",
    fix: "Set lifecycle.create_before_destroy, or name another object.",
  },
  PLN046: {
    summary: "One machine is wanted differently",
    explanation:
      "A machine may be reached through two interfaces, such as a cloud and the host manager " +
      "behind it. Two resources that mean it want different things of it (power, nested " +
      "virtualization, a datastore), and each apply would undo the other. Neither is touched.",
    fix: "Want the same of both, or leave the attribute out of one of them.",
  },
  PLN047: {
    summary: "Work needs another power",
    explanation:
      "Something on a VM can be done only in a certain power of it, such as the wipe of its " +
      "disks while it is on. No resource of the configuration stands for the VM, so nothing " +
      "here turns it on or off, and the server would refuse the work.",
    fix: "Turn the VM on or off first, or add a resource for it, with its power.",
  },
  PLN048: {
    summary: "Check does not hold",
    explanation:
      "A check of the configuration is false for what there is, or for what there will be once " +
      "the plan is applied. Checks stop nothing.",
    fix: "Mend what its message names, or correct the condition.",
  },
  PLN049: {
    summary: "Precondition does not hold",
    explanation:
      "A precondition in the lifecycle of a resource or data source, or of an output, is false. " +
      "Nothing is done for it, nor for what depends on it.",
    fix: "Mend what its message names, or correct the condition.",
  },
  PLN050: {
    summary: "Postcondition does not hold",
    explanation:
      "A postcondition is false for the object as it is, or as it will be once the plan is " +
      "applied. Nothing is done for it, nor for what depends on it.",
    fix: "Mend what its message names, or correct the condition.",
  },
  PLN051: {
    summary: "Precondition is judged late",
    explanation:
      "A precondition needs a value that exists only when the old object is gone: what it " +
      "depends on is replaced as well, after it. If it then does not hold, the object is not " +
      "made anew.",
    fix: "Use a value that is known while planning, or apply what it depends on first.",
  },
  PLN060: {
    summary: "Policy denies this",
    explanation:
      "A policy of level deny does not hold of something that the plan does. Nothing of the plan " +
      "is applied, with no consent and no --allow-partial: policies are judged of all that is " +
      "planned, also with --target, of a saved plan and of a destroy.",
    fix: "Change what is wanted, leave it out with --exclude, or have the policy changed.",
  },
  PLN061: {
    summary: "Policy warns",
    explanation: "A policy of level warn does not hold. It stops nothing.",
  },
  PLN062: {
    summary: "Policy needs consent",
    explanation:
      "A policy of level needs_consent does not hold, or it is not known yet whether it does. " +
      "It is done by whoever agrees to it by name.",
    fix: "Add --allow policy:NAME, or answer the question of apply with yes.",
  },
  PLN063: {
    summary: "Policy is not known yet",
    explanation:
      "A policy needs a value that is known only while applying. It is judged there, before " +
      "anything of the change concerned is sent; what is not known even then is refused, since " +
      "what is unknown is never allowed. A policy over data or the plan as a whole cannot be " +
      "judged so late: where it denies, the plan is refused.",
    fix: "Write the condition on what is known while planning, or apply in two steps.",
  },
  PLN064: {
    summary: "Policy cannot be evaluated",
    explanation:
      "The expression of a policy fails with the values of this plan: an attribute that the type " +
      "does not have, a text where a number is needed. It is never taken for a policy that " +
      "holds; only of level warn it stops nothing.",
    fix: "Correct the expression; when narrows what it is asked of, say to one type.",
  },
  PLN065: {
    summary: "Not at this time",
    explanation:
      "By a policy, what is named may begin at other times only. An apply begins it then " +
      "(--window wait) or leaves it for a later one (--window skip). What has begun is ended, " +
      "whatever the time: a power window or a replacement is never left half done.",
    fix: "Choose --window wait or --window skip, or apply at the time that is told.",
  },
} as const satisfies { readonly [code: string]: Explanation };

export const { problem, warning } = problemsOf(planCodes);
