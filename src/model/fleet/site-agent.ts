/** What stands at a site, for whoever looks. */

export type SiteAgent = {
  readonly version: string;
  /** What calls look like to it. */
  readonly protocol: number;
  readonly readOnly: boolean;
  /** Of its machine. */
  readonly host: string;
  /** Milliseconds since the epoch, by the clock of the database. */
  readonly sinceMs: number;
  /** How far its clock was ahead of that of the database when it last looked, milliseconds. */
  readonly skewMs: number;
  /**
   * It has the place of the site, and has given no sign of life since: it is stopped, hangs, or is
   * cut off. Absent: it is well.
   */
  readonly silentSinceMs?: number;
};

export type SiteLook = {
  readonly site: string;
  /** Absent: none is there. */
  readonly agent?: SiteAgent;
};

export type SitesLook = {
  readonly sites: readonly SiteLook[];
  /** How far the clock of this machine is ahead of that of the database, milliseconds. */
  readonly skewMs: number;
  /** Of this vmform: what calls look like to it, and what it is. */
  readonly protocol: number;
  readonly version: string;
};
