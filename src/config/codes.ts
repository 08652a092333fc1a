/**
 * Every problem a configuration can have. The key is the stable code: it is printed with each
 * diagnostic, never changes its meaning and is never used again.
 */

import type { Explanation } from "../model/said/explanation.ts";
import { problemsOf } from "../model/said/problem.ts";
import { moduleCodes } from "./module-codes.ts";
import { testCodes } from "./test-codes.ts";

export const configurationCodes = {
  CFG001: {
    summary: "The file is not UTF-8",
    explanation:
      "Configuration files are UTF-8, with or without a byte order mark. UTF-16 (what some " +
      "editors and PowerShell's `>` write) and other encodings are refused, since guessing " +
      "would change names.",
  },
  CFG002: {
    summary: "The file is not valid YAML",
    explanation:
      "The text breaks a rule of YAML 1.2. One mistake often makes the lines after it wrong " +
      "too: mend the first place and look again.",
  },
  CFG003: {
    summary: "Tab in the indentation",
    explanation: "YAML indents with spaces only. Replace each tab in front of the text by spaces.",
  },
  CFG004: {
    summary: "Key given twice",
    explanation:
      "Within a map, and within a block over all files of the folder, a key stands once. " +
      "The last one would win silently, and what the first one said would be lost.",
  },
  CFG005: {
    summary: "Expression must be quoted",
    explanation:
      "YAML has its own meaning for `: `, ` #`, `{`, `[` and `,`; an unquoted expression " +
      "that holds one of them is cut into pieces. Put quotes around the whole value.",
  },
  CFG006: {
    summary: "Invisible character",
    explanation:
      "No-break spaces and other invisible characters look like a space but are part of the " +
      "text for YAML, so that a key or value is not what it seems. In a quoted text they " +
      "are allowed.",
  },
  CFG007: {
    summary: "Alias cannot be used",
    explanation:
      "`*name` stands for the node marked `&name` earlier in the same file. A text that " +
      "begins with `*` must be quoted. What aliases expand to is limited, since a few lines " +
      "can stand for billions of nodes.",
  },
  CFG008: {
    summary: "YAML feature that is not supported",
    explanation:
      "Tags such as !Ref have no meaning here, and a key is a text. Expressions are written " +
      "${…}.",
  },
  CFG009: {
    summary: "Nested too deeply",
    explanation: "Maps and lists nest at most 100 levels deep.",
  },
  CFG010: {
    summary: "Unknown block",
    explanation:
      "The top level of a file holds the blocks vmform, providers, variables, locals, data, " +
      "resources, outputs and moved.",
  },
  CFG012: {
    summary: "Wrong kind of node",
    explanation:
      "A map (`name: value` lines), a list (`- value` lines) or a single value is needed.",
  },
  CFG013: {
    summary: "Unknown attribute",
    explanation:
      "The block has no attribute of that name. Unknown names are never ignored, since a " +
      "misspelt one would change what is built.",
  },
  CFG014: {
    summary: "Name cannot be used",
    explanation:
      "Names are letters, digits and underscores, not starting with a digit, and none that " +
      "expressions reserve (such as in, null, for). Resources are named type.name.",
  },
  CFG015: {
    summary: "Value of the wrong type",
    explanation:
      "Values are never converted by guessing: booleans are true and false only, numbers " +
      "are written without quotes.",
  },
  CFG016: {
    summary: "Not one of the allowed words",
    explanation:
      "The attribute takes one of a few words, written as they stand; on and off are words, " +
      "not booleans.",
  },
  CFG017: {
    summary: "Ambiguous number",
    explanation:
      "Where no type is declared, a text that reads as a number but would be printed " +
      "differently (0123, 5.10, 1e3, 0x1F) may be a name or a number. Quote it if it is a " +
      "text, or write the number plainly.",
  },
  CFG018: {
    summary: "Required attribute is missing",
    explanation: "The block cannot work without it; null counts as missing.",
  },
  CFG019: {
    summary: "Attribute cannot be set",
    explanation: "The remote side sets it; it can be read in expressions and outputs.",
  },
  CFG020: {
    summary: "Value breaks a rule of its attribute",
    explanation: "The schema of the block demands a form, a length or a range.",
  },
  CFG021: {
    summary: "Unknown resource type",
    explanation: "Resources are named type.name, where the type belongs to a provider.",
  },
  CFG022: {
    summary: "Malformed expression",
    explanation: "What stands in ${…} is a CEL expression; write $${ for a literal ${.",
  },
  CFG023: {
    summary: "Expression not allowed here",
    explanation:
      "The place is read before expressions can be evaluated (settings of vmform, " +
      "lifecycle, defaults), or before the resources it refers to are known (validation of " +
      "variables).",
  },
  CFG024: {
    summary: "Reference to something that does not exist",
    explanation:
      "The configuration declares no such variable, local, resource, instance or attribute.",
  },
  CFG025: {
    summary: "Expression does not fit",
    explanation: "The expression fails, or gives a value of another type than the place takes.",
  },
  CFG026: {
    summary: "Variable has no value",
    explanation:
      "A variable without a default needs a value: --var NAME=VALUE, a file given with " +
      "--var-file, or the environment variable VMFORM_VAR_NAME.",
  },
  CFG027: {
    summary: "Value for an undeclared variable",
    explanation:
      "Values given by --var and --var-file must belong to a variable of the configuration.",
  },
  CFG028: {
    summary: "Value does not fit its variable",
    explanation: "The value given from outside cannot be read as the variable's type.",
  },
  CFG029: {
    summary: "Variable breaks its own condition",
    explanation: "A validation of the variable is false for this value.",
  },
  CFG030: {
    summary: "Values depend on each other in a circle",
    explanation:
      "Locals may stand in any order, but none may need itself, directly or through others.",
  },
  CFG031: {
    summary: "Resources depend on each other in a circle",
    explanation:
      "A resource that refers to another, or names it in depends_on, is made after it; a " +
      "circle has no first one.",
  },
  CFG032: {
    summary: "Instances cannot be counted",
    explanation:
      "count takes an integer from 0, for_each a map or a list of different texts. A " +
      "resource has one of them at most.",
  },
  CFG033: {
    summary: "Needed for the plan, and not known",
    explanation:
      "count, for_each and settings of providers may use resources and data sources whose values " +
      "are known while planning. This one comes of something that is still to be applied, or " +
      "that cannot be read.",
  },
  CFG034: {
    summary: "Secret in plain text",
    explanation:
      "A secret written into the configuration would be kept in recorded state. Write a " +
      "reference, { env: NAME }, { file: PATH }, { command: […] } or { vault: … }: only this is " +
      "recorded, and the secret is read when it is used.",
  },
  CFG035: {
    summary: "Sensitive value in a place that is not",
    explanation:
      "The value would be stored, shown and sent as plain text. Use it only where a " +
      "sensitive value belongs.",
  },
  CFG036: {
    summary: "Two resources are the same object",
    explanation:
      "Two addresses of one provider have equal key attributes, so both would manage one " +
      "remote object and undo each other's changes.",
  },
  CFG037: {
    summary: "Unknown provider",
    explanation:
      "A provider is named as in the providers block, with its alias if it has one, and " +
      "must be the one its resource type belongs to.",
  },
  CFG038: {
    summary: "Move cannot be made",
    explanation:
      "A moved entry leads from one address to another of the same type, and each address is " +
      "moved once. What moved more than once has an entry for each step.",
  },
  CFG039: {
    summary: "Other version of vmform required",
    explanation: "vmform.required_version names the versions this configuration is written for.",
  },
  CFG040: {
    summary: "Configuration is empty",
    explanation:
      "No file declares anything. If state is recorded, planning this would delete every " +
      "recorded object.",
  },
  CFG041: {
    summary: "No configuration files",
    explanation: "The folder has no file whose name ends in .vmform.yaml or .vmform.yml.",
  },
  CFG042: {
    summary: "Entry of removed cannot be followed",
    explanation:
      "An entry of removed names a resource or an instance that left the configuration; as " +
      "long as it is declared, it is wanted.",
  },
  CFG043: {
    summary: "Entry of imports cannot be followed",
    explanation:
      "An entry of imports leads from an object that exists to one instance of the " +
      "configuration, which says what it is to be like. One object has one address.",
  },
  CFG044: {
    summary: "Unknown type of data sources",
    explanation: "Data sources are named type.name, where the type belongs to a provider.",
  },
  CFG045: {
    summary: "Configuration is not used",
    explanation:
      "To destroy, a sound configuration decides. One that has errors, or declares no resource " +
      "while objects are recorded that it does not give up by removed entries, is not used but " +
      "for its block vmform: settings of providers and protection (prevent_destroy) are those " +
      "of the last apply.",
  },
  CFG046: {
    summary: "Object of another provider",
    explanation:
      "An attribute names an object (the VM of a folder, a disk or a snapshot, the parent of a " +
      "clone) that is managed with another provider. Another provider is another endpoint, " +
      "where an object of that name may exist and be somebody else's.",
  },
  CFG047: {
    summary: "Server is trusted unseen",
    explanation:
      "With allow_unverified_ssl any certificate is taken, and plain http to other computers: " +
      "whoever stands between reads the password and changes what is read. Set ca_file (the " +
      "authority of the certificate) or thumbprint (its fingerprint) instead.",
  },
  CFG048: {
    summary: "Not all was checked",
    explanation:
      "A variable without default has no value. vmform validate needs none, and checks whatever " +
      "does not depend on it; --var, --var-file or the environment give a value to check the " +
      "rest. A plan needs them all.",
  },
  CFG049: {
    summary: "Text may not be what was meant",
    explanation:
      "A value looks like an expression of another tool (`{{ vars.x }}`, `$vars.x`) and is a " +
      "plain text here, or YAML has cut it at ` #`. Expressions are written ${vars.x}; quotes " +
      "keep a # in a value.",
  },
  CFG050: {
    summary: "Value changes with each plan",
    explanation:
      "timestamp() is the time of the plan: one value for a whole plan, which an apply of the " +
      "saved plan uses as well, and another one for the next plan. What is made of it differs " +
      "each time, unless lifecycle.ignore_changes keeps the first.",
  },
  CFG051: {
    summary: "Variable is not used",
    explanation:
      "A variable is declared, and no expression of the configuration names it: its use is " +
      "misspelt, or it is left over. What is given for it has no effect.",
  },
  CFG052: {
    summary: "Environment gives a name that is none",
    explanation:
      "A variable VMFORM_VAR_NAME of the environment belongs to no variable of the " +
      "configuration, but is near one that the environment does not name. Other names in it may " +
      "be for other configurations, and are not told.",
  },
  CFG053: {
    summary: "Ephemeral value in a place that is recorded",
    explanation:
      "An ephemeral variable is kept nowhere: not in recorded state, nor in a saved plan or " +
      "journal. What is computed from it may stand in locals and validations, and in no " +
      "attribute, setting, output, count or for_each.",
  },
  CFG054: {
    summary: "Condition names its own object",
    explanation:
      "A precondition is judged before anything is done for its object, and so cannot ask what " +
      "becomes of it. A postcondition asks that with self.",
  },
  CFG055: {
    summary: "Protection must be known beforehand",
    explanation:
      "Whether an object may be destroyed is known before anything is asked, also to destroy: " +
      "an answer that fails to come must not lift a protection. prevent_destroy may use " +
      "variables, each, count, and locals that need no resource.",
  },
  CFG056: {
    summary: "No such time limit",
    explanation:
      "timeouts names a group of operations that the type does not have: what is attached is " +
      "never created or deleted, and only some types have power, values that are waited for, or " +
      "remote tasks.",
  },
  CFG070: {
    summary: "Policy without one rule",
    explanation:
      "A policy has either a condition, which must be true, or a window, which says when " +
      "something may begin; when says of what it is asked. With neither it would never refuse " +
      "anything, and with both nobody could tell which of them has.",
    fix: "Give it a condition or a window; two policies for both.",
  },
  CFG071: {
    summary: "Window over what never begins",
    explanation:
      "A window says when an operation may begin. Data sources are read at any time, and a plan " +
      "as a whole begins with its first operation.",
    fix: "Write over: operations or over: changes; or a condition on time.",
  },
  CFG072: {
    summary: "Time zone of a policy",
    explanation:
      "A policy that the time decides says in which zone, by a name of the IANA database. The " +
      "zone of the computer is never taken: the same configuration is applied from laptops and " +
      "from servers. Daylight saving follows from the name, so offsets such as +02:00 are none.",
    fix: "Write time_zone: Europe/Berlin, say, or time_zone: UTC.",
  },
  CFG073: {
    summary: "Expression of a policy is wrong",
    explanation:
      "An expression of a policy names something that is not there, has the wrong type, or " +
      "compares with a word that can never be there. Policies name what is planned (change, " +
      "operation, data, plan) and time alone, so that they are judged also where the rest of " +
      "the configuration is not read: of a saved plan, and of a destroy.",
    fix: "Correct it by the table of names in docs/policies.md.",
  },
  CFG074: {
    summary: "Other block in a file of policies",
    explanation:
      "Files whose names end in .vmformpolicy.yaml hold the block policies alone, so that they " +
      "can belong to other people than the configuration beside them.",
    fix: "Move the block to a file whose name ends in .vmform.yaml.",
  },
  CFG075: {
    summary: "Policies cannot be read",
    explanation:
      "A file that holds policies, or may hold them, cannot be read. What it forbids is not " +
      "known, so nothing is planned or applied, whatever else would be sound.",
    fix: "Mend the file; vmform validate tells all that is wrong.",
  },
  ...moduleCodes,
  ...testCodes,
  CFG116: {
    summary: "Site cannot be reached from this configuration",
    explanation:
      "With via the calls of a provider travel by the database of recorded state, so that it has " +
      "to be in PostgreSQL. They are not encrypted there, so it must not promise that.",
    fix: "Keep recorded state in vmform.state.postgres, without encryption, or leave out via.",
  },
} as const satisfies { readonly [code: string]: Explanation };

export type ConfigurationCode = keyof typeof configurationCodes;

export const configurationProblems = problemsOf(configurationCodes);
