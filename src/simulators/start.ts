/** Entry of the simulators: starts them on loopback over real HTTP. Nothing else is public. */

import { setMaxListeners } from "node:events";
import {
  type ApplianceSessionReport,
  applianceStateOf,
  reportApplianceSessions,
} from "./appliance/appliance-state.ts";
import { type CloudSessionReport, reportSessions } from "./cloud/session/sessions.ts";
import { cloudStateOf, replaceCloudState } from "./cloud/world/cloud-state.ts";
import { answerControl, isControl } from "./control.ts";
import {
  applyChange,
  type DatastoreSpace,
  type OutsideChange,
  type SimulatorCore,
  snapshotOf,
  spaceOf,
} from "./core.ts";
import { replaceState, stateOf } from "./daemon/daemon-state.ts";
import { dispatch } from "./dispatch.ts";
import {
  type FaultPlan,
  type FaultScript,
  type FaultUse,
  noFaults,
  readFaults,
  usesOfFaults,
} from "./faults.ts";
import {
  applianceInterface,
  cloudInterface,
  daemonInterface,
  managerInterface,
  type SimulatedInterface,
} from "./interfaces.ts";
import { createClock, type SimulatorClock, watchChanges } from "./kit/clock.ts";
import { sourceOfData } from "./kit/document.ts";
import { createRequestLog, type LoggedRequest } from "./kit/request-log.ts";
import { type HttpServer, startHttpServer } from "./kit/server.ts";
import { managerStateOf, replaceManagerState } from "./manager/world/manager-state.ts";
import { type ManagerSessionReport, reportManagerSessions } from "./manager/world/session.ts";
import { readWorldSource, type World, type WorldSource } from "./world.ts";
import { openWorldStore, volatileStore } from "./world-store.ts";

export type SimulatorOptions = {
  /** Of the daemon; 0, the default, takes a free port. */
  readonly port?: number;
  /** Of the cloud, which has a listener of its own; 0, the default, takes a free port. */
  readonly cloudPort?: number;
  /** Of the manager, likewise. */
  readonly managerPort?: number;
  /** Of the appliance, likewise. */
  readonly appliancePort?: number;
  readonly host?: "127.0.0.1";
  /** Path of a world file, or its content; not looked at when a persisted world exists. */
  readonly world: WorldSource;
  /** File that holds the world between runs; saved before each reply that tells of a change. */
  readonly persist?: string;
  /** Path of a fault script, or its content. */
  readonly faults?: string | FaultScript;
  /** Wins over the world's seed. */
  readonly seed?: number;
  /** A clock of the caller's; by default one that goes on from the persisted world's. */
  readonly clock?: SimulatorClock;
  /** Simulated milliseconds per real one, for the default clock; 0 stands still. */
  readonly timeScale?: number;
  /** File that receives one JSON line per ended request. */
  readonly log?: string;
};

export type RunningSimulators = {
  readonly origins: {
    readonly daemon: string;
    readonly cloud: string;
    readonly manager: string;
    readonly appliance: string;
  };
  readonly clock: SimulatorClock;
  log(): readonly LoggedRequest[];
  /** The world as it is now. */
  world(): World;
  /** The cloud's sessions since the start: they are not part of the world. */
  sessions(): CloudSessionReport;
  managerSessions(): ManagerSessionReport;
  applianceSessions(): ApplianceSessionReport;
  /** Replaces the fault script by one given by its path or content; counts begin anew. */
  setFaults(faults: string | FaultScript | undefined): void;
  /** Rules of the fault script in their order. */
  faults(): readonly FaultUse[];
  /** Space of each datastore now, with what moves there at this moment. */
  space(): readonly DatastoreSpace[];
  /** Changes the world behind the clients' backs, and saves it. */
  change(change: OutsideChange | ((world: World) => World)): Promise<void>;
  /**
   * Ends every connection and gives the world back. Work in progress stays in the world. Throws the
   * first internal error of a request, if there was one.
   */
  stop(): Promise<void>;
};

/**
 * Starts the simulators. Throws `SimulatorInputError` for a world, persisted world or fault script
 * that is not acceptable and for a world that another process has; the listener's error for a port
 * that is taken.
 */
export async function startSimulators(options: SimulatorOptions): Promise<RunningSimulators> {
  const stopping = new AbortController();
  // Every request that waits listens to it.
  setMaxListeners(0, stopping.signal);
  const errors: unknown[] = [];
  const core = await openCore(options, stopping.signal);
  const servers: HttpServer[] = [];
  const serve = async (simulated: SimulatedInterface, port: number): Promise<string> => {
    const server = await startHttpServer({
      host: options.host ?? "127.0.0.1",
      port,
      async handle(request, connection) {
        if (isControl(request)) connection.reply(await answerControl(core, request));
        else await dispatch(core, simulated, request, connection);
      },
      onError(error) {
        if (stopping.signal.aborted) return;
        errors.push(error);
        process.emitWarning(error instanceof Error ? error : String(error));
      },
    });
    servers.push(server);
    return server.origin;
  };
  const stopServers = (): Promise<unknown> => Promise.all(servers.map((server) => server.stop()));
  let origins: RunningSimulators["origins"];
  try {
    core.faults = faultsOf(options.faults);
    await core.store.save();
    origins = {
      daemon: await serve(daemonInterface, options.port ?? 0),
      cloud: await serve(cloudInterface, options.cloudPort ?? 0),
      manager: await serve(managerInterface, options.managerPort ?? 0),
      appliance: await serve(applianceInterface, options.appliancePort ?? 0),
    };
  } catch (error) {
    await stopServers();
    await core.store.close();
    throw error;
  }
  return {
    origins,
    clock: core.clock,
    log: () => core.log.entries(),
    world: () => snapshotOf(core),
    sessions: () => reportSessions(core.cloud, core.clock.now()),
    applianceSessions: () => reportApplianceSessions(core.appliance, core.clock.now()),
    managerSessions: () => reportManagerSessions(core.manager, core.clock.now()),
    setFaults: (faults) => void (core.faults = faultsOf(faults)),
    faults: () => usesOfFaults(core.faults),
    space: () => spaceOf(core),
    async change(change) {
      if (typeof change === "function") await replaceWorld(core, change(snapshotOf(core)));
      else await applyChange(core, sourceOfData(change, "change"));
    },
    async stop() {
      stopping.abort();
      await stopServers();
      await core.store.close();
      if (errors.length > 0) throw errors[0];
    },
  };
}

async function replaceWorld(core: SimulatorCore, world: World): Promise<void> {
  replaceState(core.daemon, world.daemon);
  replaceCloudState(core.cloud, world.cloud);
  replaceManagerState(core.manager, world.manager);
  core.appliance.world = world.appliance;
  await core.store.save();
}

function faultsOf(faults: SimulatorOptions["faults"]): FaultPlan {
  return faults === undefined ? noFaults : readFaults(faults);
}

/** The persisted world if there is one, else the source's; and everything that goes with it. */
async function openCore(options: SimulatorOptions, signal: AbortSignal): Promise<SimulatorCore> {
  let opened: SimulatorCore | undefined;
  const snapshot = (): World => {
    if (opened === undefined) throw new Error("the world is saved before it is there");
    return snapshotOf(opened);
  };
  const store =
    options.persist === undefined ? volatileStore : await openWorldStore(options.persist, snapshot);
  try {
    const world = store.saved ?? readWorldSource(options.world, options.seed, options.clock?.now());
    const { seed } = world;
    const clock = options.clock ?? clockOf(world, options.timeScale ?? 1);
    const changes = watchChanges(clock, signal);
    opened = {
      seed,
      clock,
      daemon: stateOf(world.daemon, seed),
      cloud: cloudStateOf(world.cloud, seed),
      manager: managerStateOf(world.manager, seed),
      appliance: applianceStateOf(world.appliance, seed),
      log: createRequestLog(options.log),
      store: {
        ...store,
        async save() {
          await store.save();
          changes.announce();
        },
      },
      changes,
      signal,
      faults: noFaults,
    };
    return opened;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Time goes on between runs, at the same pace; it never goes back with the host's. */
function clockOf(world: Pick<World, "clock">, timeScale: number): SimulatorClock {
  const passedMs = Math.max(0, Date.now() - world.clock.realMs) * timeScale;
  return createClock({ startMs: world.clock.simulatedMs + passedMs, timeScale });
}
