import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import path from 'node:path';
import { ContentLog } from '#affinity/content-log.ts';
import { ReplyCache } from '#affinity/reply-cache.ts';
import type { FastifyInstance } from 'fastify';
import pino, { type Logger } from 'pino';
import { createApp } from './app.ts';
import type { Config } from './config.ts';
import { tellWitnesses } from './db/before-commit.ts';
import { migrate, MigrationError, refuseUntolerated } from './db/migrate.ts';
import { damagedFile, openStorage, type Storage } from './db/open.ts';
import { isDamage } from './db/outage.ts';
import type { Deps } from './deps.ts';
import { frontDoor } from './front-door.ts';
import { startServices } from './services.ts';
import { AuditTrail, isAudited } from './features/audit/audit-trail.ts';
import { sealChannels } from '#features/channel/keys/seal-channels.ts';
import { adoptPrivateNetworks } from './features/option/adopt-networks.ts';
import { checkDataKey, makeRootPassword, prepare } from '#start/first-start.ts';
import { BodyMemory } from '#http/limits/body-memory.ts';
import { Connections } from '#http/limits/connections.ts';
import { ClientConnections, listen, stopListening } from '#http/limits/drain.ts';
import { operatorReach } from '#http/outbound/reach.ts';
import { openRateLimiter } from '#http/limits/rate-limit.ts';
import { livingNodes, type OpenCalls, watchOpenCalls } from './jobs/open-calls.ts';
import { AutoSwitcher } from './live/auto-switcher.ts';
import { UsageWatch } from './live/usage-watch.ts';
import { CallHour } from './live/hour/call-hour.ts';
import { HourWatch } from './live/hour/hour-watch.ts';
import { Live } from './live/live.ts';
import { ChannelNotices } from './mail/channel-notices.ts';
import { openMailer } from './mail/mailer.ts';
import { collectSoon } from '#process/memory.ts';
import { noSiblings, type Siblings } from '#process/siblings.ts';
import { Meter } from './metrics/meter.ts';
import type { Telemetry } from './metrics/otlp/telemetry.ts';
import type { OtlpConfig } from '#process/otlp-config.ts';
import { OutOfFiles } from '#process/out-of-files.ts';
import { Book } from './quota/book.ts';
import { script as bookScript } from './quota/book-statements.ts';
import { journalFolder } from './quota/journal.ts';
import { PendingSums } from './quota/pending-sums.ts';
import { openRecall } from './quota/recall.ts';
import { checkDatabase, keepDatabase } from '#start/database-identity.ts';
import { refuseMoved } from '#start/moved.ts';
import { Spools, spoolFolder } from './relay/forms/spool.ts';
import { Refusals } from './refusals/refusals.ts';
import { keyUsageRows } from '#features/analytics/key-usage.ts';
import { newApiKeyRows } from '#features/new-api/key-rows.ts';
import { createRelay } from '#relay/routes/relay.ts';
import { openUpstreams, type Upstreams } from '#relay/upstream/upstreams.ts';
import { openSecrets } from './secrets.ts';
import type { Settings } from './settings.ts';
import { closeSoon, listenProblem, reach } from '#start/start-problems.ts';
import { taskRows } from './tasks/task-front.ts';
import { learnTypicalOutputs } from './usage/learn-typical-outputs.ts';
import { Tokenizer } from './usage/tokenizer.ts';

const GRACE_MS = 25_000;
/** Larger SQLite files are checked in the background after the start. */
const VERIFIED_AT_START = 128 * 1024 * 1024;
/** Timeout of the final checkpoint of SQLite. */
const CLOSE_SQLITE_MS = 60_000;

export interface RunningServer {
  port: number;
  deps: Deps;
  /**
   * Lets load balancers move on before `close`: `/readyz` answers 503 at once, the listener stays open for `listenMs`,
   * and responses close their connections. Resolves when the last call has ended, or after `graceMs`. `onClosed` is called
   * when the listener is closed.
   */
  drain(times: { listenMs: number; graceMs: number; onClosed?: () => void }): Promise<void>;
  /** Refuses new calls, waits for running ones and flushes the queues. */
  close(graceMs?: number): Promise<void>;
}

interface StartOptions {
  /**
   * Gets the random password of a new `root`, made only when the server listens: after a failed start it would be
   * unknown.
   */
  tellRootPassword?: (password: string) => void;
  /** The other workers, if there are any. */
  siblings?: Siblings | undefined;
  /** `Deps.jobs`. */
  jobs?: boolean;
}

/** Opens and migrates the database, and listens. Throws if it cannot start. */
export async function startServer(
  config: Config,
  { tellRootPassword = () => {}, siblings = noSiblings, jobs = true }: StartOptions = {},
): Promise<RunningServer> {
  const { app, ...server } = await openServer(config, siblings, jobs);
  try {
    const port = await listen(app.server, config.port, config.host);
    const password = await makeRootPassword(server.deps.db, config.rootPassword);
    if (password !== undefined) tellRootPassword(password);
    return { port, ...server };
  } catch (error) {
    await server.close(0);
    throw listenProblem(error, config);
  }
}

/** Everything but the listener. */
async function openServer(
  config: Config,
  siblings: Siblings,
  jobs: boolean,
): Promise<Omit<RunningServer, 'port'> & { app: FastifyInstance }> {
  const log = pino({
    level: config.logLevel,
    redact: ['*.authorization', '*.cookie', '*.key', '*.password', 'req.headers'],
  });
  const storage = openStorage(config);
  try {
    const { deps, openCalls } = await openDeps(config, log, { storage, siblings, jobs });
    const services = startServices(deps, openCalls, storage.patient);
    return await openFront(deps, services, () =>
      closeSoon(storage, config.databaseUrl === undefined ? CLOSE_SQLITE_MS : undefined),
    );
  } catch (error) {
    await closeSoon(storage);
    throw config.databaseUrl === undefined && isDamage(error)
      ? damagedFile(path.join(config.dataDir, 'relay-hub.db'), error)
      : error;
  }
}

/** Brings the database to this version, and registers this node. */
async function openDeps(
  config: Config,
  log: Logger,
  { storage, siblings, jobs }: { storage: Storage; siblings: Siblings; jobs: boolean },
): Promise<{ deps: Deps; openCalls: OpenCalls }> {
  const now = () => Math.floor(Date.now() / 1000);
  const secrets = openSecrets(config.secretKey);
  const { db, patient } = storage;
  await reach(db, config);
  tellWitnesses(db);
  // Another process may be migrating, and concurrent starts wait for it.
  const verified = siblings.checked || (await storage.verify(VERIFIED_AT_START));
  await checkDatabase(patient, config);
  await checkDataKey(patient, secrets);
  await migrate(patient, await livingNodes(patient));
  await refuseMoved(db);
  await keepDatabase(db, config.dataDir);
  await sealChannels(db, secrets);
  await adoptPrivateNetworks({ db, secrets, config, log, now: now() });
  await prepare(db, secrets, config.rootPassword, now());
  const nodeId = randomUUID();
  const live = await Live.open({ db, secrets, log, basePath: config.basePath, nodeId });
  live.join(siblings);
  const runBook = storage.prepare(bookScript);
  const openCalls = await watchOpenCalls({
    config,
    db,
    log,
    nodeId,
    now,
    runBook,
    onPresumedDead: () => endIfUntolerated(patient, log),
  });
  // The data key may have been rotated until here, the database moved, or an upgrade finished; this node is registered
  // now, which prevents it.
  await refuseUntolerated(patient);
  await checkDataKey(db, secrets);
  await refuseMoved(db);
  const meter = new Meter();
  const outOfFiles = new OutOfFiles(log);
  const mailer = openMailer({ config, live }, log);
  const notices = new ChannelNotices({ config, db, live, mailer, log });
  const hour = new CallHour({ db, log, nodeId, now });
  const deps: Deps = {
    config,
    db,
    storage,
    log,
    secrets,
    live,
    autoSwitcher: new AutoSwitcher({ db, live, log, notices, now }),
    usageWatch: new UsageWatch({ db, log, meter, notices, now }),
    book: new Book({
      run: meter.timed(runBook),
      recall: openRecall(db, nodeId),
      folder: journalFolder(config.dataDir),
      node: nodeId,
      log,
      // An SQLite file is not away for a while: it is full or damaged.
      line: { graceMs: config.databaseUrl === undefined ? 0 : config.databaseGrace * 1000, credits: config.creditLine },
    }),
    pendingSums: new PendingSums(storage, log),
    meter,
    telemetry: config.otlp && (await openTelemetry(config.otlp, { live, log, nodeId })),
    refusals: new Refusals({ db, log, now }),
    hour,
    hourWatch: new HourWatch({ db, live, log, nodeId, hour, now }),
    upstreams: upstreamsFor(config, live),
    connections: new Connections(config.connections, config.trustedProxies, log, outOfFiles),
    bodies: new BodyMemory(config.bodyMemory, collectSoon),
    outOfFiles,
    spools: new Spools(spoolFolder(config.dataDir)),
    limiter: await openRateLimiter(config.redisUrl, log, config.databaseUrl === undefined ? undefined : db, siblings),
    follow: (endpoint, request) => (isAudited(endpoint) ? new AuditTrail(endpoint, request, deps) : undefined),
    mailer,
    unwritten: { incident: undefined },
    notices,
    tokenizer: new Tokenizer({ approximate: () => live.settings.ApproximateTokenEnabled }),
    replyCache: new ReplyCache({ db, secrets, secretKey: config.secretKey, redisUrl: config.redisUrl, log, now }),
    contentLog: new ContentLog({ dataDir: config.dataDir, secrets, log }),
    typicalOutputs: await learnTypicalOutputs(db),
    nodeId,
    startedTime: now(),
    lifecycle: { stopping: false },
    siblings,
    jobs,
    now,
  };
  storage.damage.onFound = (reason) =>
    log.fatal({ reason }, 'the database is damaged and calls are refused; restore it from a backup');
  // Damage is reported in the process log and by /readyz.
  if (!verified) void storage.verify().catch(() => {});
  return { deps, openCalls };
}

/** Ends this process if an upgrade was finished without it: its statements would fail. */
async function endIfUntolerated(db: Deps['db'], log: Logger): Promise<void> {
  try {
    await refuseUntolerated(db);
  } catch (error) {
    if (!(error instanceof MigrationError)) throw error;
    log.fatal({ err: error }, 'the database was upgraded while this process stood still');
    process.exit(1);
  }
}

/** The relay and the management API behind one HTTP server, which does not listen yet. */
async function openFront(
  deps: Deps,
  services: { stop(): Promise<void> },
  closeStorage: () => Promise<void>,
): Promise<Omit<RunningServer, 'port'> & { app: FastifyInstance }> {
  const { lifecycle } = deps;
  const relay = createRelay(deps, [...taskRows, ...keyUsageRows, ...newApiKeyRows]);
  /** Connections with a request of the management API or the console. */
  const managed = new Set<Socket>();
  const app = await createApp(deps, (management) => frontDoor(deps, relay, managed, management));
  await app.ready();
  const { server } = app;
  const connections = new ClientConnections(server, function* () {
    yield* managed;
    yield* relay.busy();
  });
  return {
    app,
    deps,
    async drain({ listenMs, graceMs, onClosed }) {
      lifecycle.stopping = true;
      const endMs = performance.now() + graceMs;
      await sleep(Math.min(listenMs, graceMs));
      stopListening(server);
      onClosed?.();
      const leftMs = Math.max(0, endMs - performance.now());
      await Promise.all([connections.quiet(leftMs), relay.endSessions(leftMs)]);
    },
    async close(graceMs = GRACE_MS) {
      lifecycle.stopping = true;
      stopListening(server);
      const closed = app.close();
      await relay.stop(graceMs);
      server.closeAllConnections();
      deps.connections.close();
      await closed;
      await services.stop();
      await closeStorage();
    },
  };
}

/** Loaded only where something is exported. */
async function openTelemetry(
  config: OtlpConfig,
  { live, log, nodeId }: Pick<Deps, 'live' | 'log' | 'nodeId'>,
): Promise<Telemetry> {
  const { Telemetry: Opened } = await import('./metrics/otlp/telemetry.ts');
  return new Opened({ config, nodeId, log, providerOf: (id) => live.routes.channel(id)?.provider.id });
}

/** Connections that follow the private networks in the settings, within a second of a change. */
function upstreamsFor(config: Config, live: Live): Upstreams {
  const upstreams = openUpstreams(operatorReach({ config, live }));
  const rules = ({ OutboundPrivateNetworks: networks }: Settings): string => networks.rules.join('\n');
  live.onSettings = (before) => {
    if (rules(before) !== rules(live.settings)) upstreams.checkAnew();
  };
  return upstreams;
}
