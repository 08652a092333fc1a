import { Command } from "commander";
import { expect, test } from "vitest";
import { narrowHelp } from "../../../src/cli/narrow-help.ts";

const description =
  "consent to disruptions, comma-separated: power-off, power-cycle, replace, destroy, reclaim";

function helpIn(width: number): string {
  return new Command("vmform")
    .description("Plan, apply and drift reports for virtualization management, from YAML.")
    .configureHelp({ ...narrowHelp, helpWidth: width })
    .option("--allow <kinds>", description)
    .option("--json", "machine-readable output")
    .helpInformation();
}

test.each([28, 40, 60, 80, 120])("in %d columns no line is wider, and no word is cut", (width) => {
  const help = helpIn(width);
  expect(Math.max(...help.split("\n").map((line) => line.length))).toBeLessThanOrEqual(width);
  expect(help.replaceAll(/\s+/g, " ")).toContain(`--allow <kinds> ${description} `);
});

test("where there is room, descriptions stand beside their words", () => {
  expect(helpIn(80)).toContain("  --json           machine-readable output\n");
  expect(helpIn(40)).toContain("  --json\n      machine-readable output\n");
});
