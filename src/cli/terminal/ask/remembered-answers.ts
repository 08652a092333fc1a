/** A command that reads the configuration twice asks a person for each value once. */

import type { CommandEnvironment } from "../../../commands/environment.ts";

export function rememberingAnswers(environment: CommandEnvironment): CommandEnvironment {
  const { askVariable } = environment;
  if (askVariable === undefined) return environment;
  const answers = new Map<string, string>();
  return {
    ...environment,
    askVariable: async (variable) => {
      const known = answers.get(variable.name);
      if (known !== undefined) return known;
      const answer = await askVariable(variable);
      if (answer !== undefined) answers.set(variable.name, answer);
      return answer;
    },
  };
}
