/** What happens while a run is at work, by stable code. A code never changes its meaning. */

import type { Explanation } from "../model/said/explanation.ts";
import { problemsOf } from "../model/said/problem.ts";

export const runCodes = {
  RUN001: {
    summary: "Outcome of an interrupted operation is unknown",
    explanation:
      "An operation was begun, never ended, and cannot be observed, so nobody can tell " +
      "whether it took effect. Doing it again could do it twice.",
    fix: "Find out by hand, then say it: vmform state resolve ADDRESS --done, or --not-done.",
  },
  RUN002: {
    summary: "Interrupted operation cannot be settled",
    explanation:
      "An earlier run left an operation open, and the endpoint cannot be asked how it ended. " +
      "Nothing new is planned on top of it.",
    fix: "Make the endpoint reachable (vmform doctor helps) and run again.",
  },
  RUN003: {
    summary: "Recorded state belongs to another world",
    explanation:
      "State that was recorded against a simulator says nothing about real endpoints, nor " +
      "the other way round; mixing them would delete or create the wrong objects.",
    fix: "Use another state file (vmform.state.local.path), or restore the simulator setting.",
  },
  RUN004: {
    summary: "Configuration declares no resource, and objects are recorded",
    explanation:
      "Applying this would destroy what vmform made, and forget the rest. More likely the folder " +
      "is the wrong one, or a file is missing.",
    fix: "Restore the files. To destroy everything on purpose: vmform destroy.",
  },
  RUN005: {
    summary: "Another run is changing the state",
    explanation:
      "plan and drift take no lock. What the other run does meanwhile is not taken into " +
      "account, and such a plan cannot be saved.",
    fix: "Look again when it has ended.",
  },
  RUN006: {
    summary: "Output could not be computed",
    explanation:
      "The output needs a data source that was to be read during apply and could not be. The " +
      "resources themselves are done.",
    fix: "Apply again when the endpoint answers.",
  },
  RUN007: {
    summary: "Remote task of an interrupted operation still runs",
    explanation:
      "The server is still at work on what an earlier run began. Anything planned now would " +
      "come on top of it.",
    fix: "Wait and run again, or cancel the task with vmform action ADDRESS cancel-task.",
  },
  RUN010: {
    summary: "Interrupted operation was begun at another server",
    explanation:
      "The server that answers where the operation was begun is another one, by its own id. It " +
      "knows nothing of the operation, so what it says would settle nothing.",
    fix: "Bring the server back and run again, or look there and use vmform state resolve.",
  },
  RUN011: {
    summary: "Object of an interrupted operation is another one now",
    explanation:
      "Under the id of the object that the operation was begun on, there is another object by " +
      "now, as its UUID tells. Its attributes say nothing of the operation.",
    fix: "Find out what became of the recorded object, then use vmform state resolve.",
  },
  RUN016: {
    summary: "Operation of an interrupted run is open",
    explanation:
      "An earlier run began it and did not end it, and it may still happen. plan and drift do " +
      "not wait for it unless --settle is given; what they show of the object may change.",
    fix: "Run vmform apply, which settles it, or wait for it: --settle.",
  },
  RUN017: {
    summary: "Operation failed",
    explanation:
      "An operation of an apply has failed; what needed it was left out, everything else was " +
      "done. What was seen of it is recorded, so the next plan begins from there.",
    fix: "Mend what the message names and apply again.",
  },
  RUN018: {
    summary: "Object may still appear",
    explanation:
      "A create was begun and never seen to take effect, and the object may still appear. It " +
      "cannot be destroyed before, and is not forgotten, or nobody would know of it.",
    fix: "Destroy again later, or end the wait: vmform state resolve ADDRESS --not-done.",
  },
  RUN019: {
    summary: "Check does not hold",
    explanation:
      "A check of the configuration, which could be told only when the plan was applied, is " +
      "false. Everything was done; checks stop nothing.",
    fix: "Mend what its message names, or correct the condition.",
  },
  RUN020: {
    summary: "Precondition does not hold",
    explanation:
      "A precondition, which could be judged only while applying, is false. Nothing was done for " +
      "its object, nor for what depends on it; an output keeps its last value.",
    fix: "Mend what its message names, or correct the condition, and apply again.",
  },
  RUN021: {
    summary: "Postcondition does not hold",
    explanation:
      "A postcondition is false for what was read of an object, or of a data source. What was " +
      "done stays done and is recorded; nothing was done for what depends on it.",
    fix: "Mend what its message names, or correct the condition, and apply again.",
  },
  RUN030: {
    summary: "Left for another time",
    explanation:
      "By a policy, the operation may begin at other times only, and the apply did not wait for " +
      "them. Nothing of it was sent, nor of what comes after it. What had begun was ended: a " +
      "power window or a replacement is never left half done.",
    fix: "Apply again at the time that is told, or with --window wait.",
  },
  RUN031: {
    summary: "Policy warns",
    explanation:
      "A policy of level warn, which needed values known only while applying, does not hold. It " +
      "stops nothing.",
  },
} as const satisfies { readonly [code: string]: Explanation };

export const { problem, warning } = problemsOf(runCodes);
