/**
 * Disks of an appliance by release: number, size, purpose (specification, section C). The disks
 * that came after 6.5 are not in the specification.
 */

export const applianceReleases = ["6.5", "6.7", "7.0"] as const;
export type ApplianceRelease = (typeof applianceReleases)[number];

export type ApplianceDisk = {
  /** From 1; also the number in the label of the virtual disk. */
  readonly number: number;
  readonly sizeKb: number;
  /** Name of the partition that grows with the disk. */
  readonly partition: string;
};

const gibibyteKb = 1024 * 1024;

const disks: readonly (readonly [partition: string, sizeGb: number, since?: ApplianceRelease])[] = [
  ["root", 12],
  ["packages", 1.8],
  ["swap", 25],
  ["core", 25],
  ["log", 10],
  ["db", 10],
  ["dblog", 15],
  ["seat", 10],
  ["netdump", 1],
  ["autodeploy", 10],
  ["imagebuilder", 10],
  ["updatemgr", 100],
  ["archive", 50, "6.7"],
  ["vtsdb", 10, "7.0"],
  ["vtsdblog", 5, "7.0"],
  ["lifecycle", 100, "7.0"],
];

export function applianceDisks(release: ApplianceRelease): readonly ApplianceDisk[] {
  return disks
    .filter(([, , since]) => since === undefined || since <= release)
    .map(([partition, sizeGb], index) => ({
      number: index + 1,
      // Whole mebibytes, as virtual disks have.
      sizeKb: Math.round((sizeGb * gibibyteKb) / 1024) * 1024,
      partition,
    }));
}
