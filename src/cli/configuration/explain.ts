/** `vmform explain` on the command line. */

import type { Command } from "commander";
import { type Explained, explainCommand } from "../../commands/configuration/explain.ts";
import type { ValueMap } from "../../model/value/value.ts";
import {
  attributeJson,
  attributeText,
  codeText,
  schemaText,
} from "../../render/state/explain-text.ts";
import type { RenderOptions } from "../../render/text/render-options.ts";
import { action, type Done } from "../action.ts";
import { exitCodes } from "../exit-codes.ts";
import { addCommon } from "../options.ts";
import type { Shell } from "../run.ts";

export function addExplain(program: Command, shell: Shell, done: Done): void {
  const command = program
    .command("explain")
    .argument("<subject>", "a code such as CFG013, a type, a provider, or TYPE.ATTRIBUTE")
    .description("explain a diagnostic code, a type or an attribute");
  addCommon(command).action(
    action(shell, done, async ({ view, environment }, _flags, [subject]) => {
      const explained = explainCommand(environment, subject);
      view.text(explainedText(explained, view.options));
      view.document(explainedJson(explained));
      return exitCodes.ok;
    }),
  );
}

function explainedText(explained: Explained, options: RenderOptions): string {
  switch (explained.kind) {
    case "code":
      return codeText(explained.code, explained, options);
    case "schema":
      return schemaText(explained, options);
    case "attribute":
      return attributeText(explained, options);
  }
}

function explainedJson(explained: Explained): ValueMap {
  switch (explained.kind) {
    case "code": {
      const { code, summary, explanation, fix } = explained;
      return { code, summary, explanation, ...(fix === undefined ? {} : { fix }) };
    }
    case "attribute":
      return { of: explained.of, ...attributeJson(explained) };
    case "schema": {
      const { name, of, ownership, schema, actions } = explained;
      const attributes = Object.values(schema.attributes);
      return {
        name,
        of,
        ...(ownership === undefined ? {} : { ownership }),
        description: schema.description,
        attributes: attributes.map((attribute) => attributeJson({ attribute, limits: {} })),
        actions,
      };
    }
  }
}
