import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import pino from 'pino';
import { createApp } from './app.ts';
import type { Config } from './config.ts';
import { tellWitnesses } from './db/before-commit.ts';
import { migrate } from './db/migrate.ts';
import { openStorage } from './db/open.ts';
import type { Deps } from './deps.ts';
import { AuditTrail, isAudited } from './features/audit/audit-trail.ts';
import { sealChannels } from './features/channel/seal-channels.ts';
import { checkDataKey, prepare } from './first-start.ts';
import { createServer } from './http/node-http.ts';
import { originForm } from './http/origin-form.ts';
import { openRateLimiter } from './http/rate-limit.ts';
import { livingNodes, watchOpenCalls } from './jobs/open-calls.ts';
import { watchBalances } from './jobs/watch-balances.ts';
import { watchTelegram } from './jobs/watch-telegram.ts';
import { AutoSwitcher } from './live/auto-switcher.ts';
import { Live } from './live/live.ts';
import { ChannelNotices } from './mail/channel-notices.ts';
import { openMailer } from './mail/mailer.ts';
import { Meter } from './metrics/meter.ts';
import { Book } from './quota/book.ts';
import { journalFolder } from './quota/journal.ts';
import { openRecall } from './quota/recall.ts';
import { checkDatabase, keepDatabase } from './own-database.ts';
import { Spools, spoolFolder } from './relay/forms/spool.ts';
import { createRelay } from './relay/relay.ts';
import { openUpstreams } from './relay/upstreams.ts';
import { watchDays } from './roll-ups/watch-days.ts';
import { openSecrets } from './secrets.ts';
import { closeSoon, listenProblem, reach, soon } from './start-problems.ts';
import { Tokenizer } from './usage/tokenizer.ts';

const GRACE_MS = 25_000;

export interface RunningServer {
  port: number;
  deps: Deps;
  /** Stops taking calls, lets those under way finish, writes what is left. */
  close(graceMs?: number): Promise<void>;
}

/**
 * Opens the database, brings it up to date, and listens. Throws when any of it must not go on. A random password of
 * `root` is told as soon as it is stored: whatever ends the start after that, nobody could find it out any more.
 */
export async function startServer(
  config: Config,
  tellRootPassword: (password: string) => void = () => {},
): Promise<RunningServer> {
  const { app, deps, close } = await openServer(config, tellRootPassword);
  try {
    await app.listen({ port: config.port, ...(config.host !== undefined && { host: config.host }) });
  } catch (error) {
    await close(0);
    throw listenProblem(error, config);
  }
  return { port: (app.server.address() as AddressInfo).port, deps, close };
}

/** All of the server but its port. */
async function openServer(
  config: Config,
  tellRootPassword: (password: string) => void,
): Promise<Omit<RunningServer, 'port'> & { app: FastifyInstance }> {
  const log = pino({
    level: config.logLevel,
    redact: ['*.authorization', '*.cookie', '*.key', '*.password', 'req.headers'],
  });
  const now = () => Math.floor(Date.now() / 1000);
  const secrets = openSecrets(config.secretKey);
  const storage = openStorage(config);
  try {
    const { db, patient } = storage;
    await reach(db, config);
    tellWitnesses(db);
    // Another process may be at it, and whoever starts meanwhile waits for it.
    await checkDatabase(patient, config.dataDir);
    await checkDataKey(patient, secrets);
    await migrate(patient, await livingNodes(patient));
    await keepDatabase(db, config.dataDir);
    await sealChannels(db, secrets);
    const { rootPassword } = await prepare(db, secrets, config.rootPassword, now());
    if (rootPassword !== undefined) tellRootPassword(rootPassword);
    const live = await Live.open(db, secrets, log);
    const nodeId = randomUUID();
    const openCalls = await watchOpenCalls({ config, db, log, nodeId, now, runBook: storage.runBook });
    // From here on the key is not changed any more; until here it may have been.
    await checkDataKey(db, secrets);
    const meter = new Meter();
    const mailer = openMailer(live, log);
    const notices = new ChannelNotices({ config, db, live, mailer, log });
    const deps: Deps = {
      config,
      db,
      storage,
      log,
      secrets,
      live,
      autoSwitcher: new AutoSwitcher({ db, live, log, notices, now }),
      book: new Book({
        run: meter.timed(storage.runBook),
        recall: openRecall(db, nodeId),
        folder: journalFolder(config.dataDir),
        node: nodeId,
        log,
      }),
      meter,
      upstreams: openUpstreams(config.outboundPrivate),
      spools: new Spools(spoolFolder(config.dataDir)),
      limiter: await openRateLimiter(config.redisUrl, log),
      follow: (endpoint, request) => (isAudited(endpoint) ? new AuditTrail(endpoint, request, deps) : undefined),
      mailer,
      notices,
      tokenizer: new Tokenizer({ approximate: () => live.settings.ApproximateTokenEnabled }),
      nodeId,
      startedTime: now(),
      lifecycle: { stopping: false },
      now,
    };
    openCalls.start(deps.book);
    const days = watchDays({ db: patient, log, now });
    const telegram = watchTelegram(deps);
    const balances = watchBalances(deps);
    const relay = createRelay(deps);
    const frontDoor = (management: RequestListener): Server => {
      const options = {
        keepAliveTimeout: 65_000,
        requestTimeout: 0,
        shouldUpgradeCallback: (request: IncomingMessage) => relay.upgrades(request.url ?? '/'),
      };
      const server = createServer(options, (request, response) => {
        request.url = originForm(request.url ?? '/');
        if (relay.owns(request.url)) relay.handle(request, response);
        else management(request, response);
      });
      server.on('upgrade', (request, socket, head) => relay.upgrade(request, socket, head));
      // Whatever else somebody expects beside 100-continue: the answer is the usual one.
      server.on('checkExpectation', (request, response) => server.emit('request', request, response));
      return server;
    };
    const app = await createApp(deps, (management) => frontDoor(management));
    await app.ready();

    return {
      app,
      deps,
      async close(graceMs = GRACE_MS) {
        deps.lifecycle.stopping = true;
        const closed = app.close();
        await relay.stop(graceMs);
        app.server.closeAllConnections();
        await closed;
        await telegram.stop();
        await balances.stop();
        live.close();
        await openCalls.stop(await deps.book.close());
        await soon(days.stop());
        await deps.autoSwitcher.settled();
        await notices.close();
        await deps.limiter.close();
        await deps.tokenizer.close();
        await deps.upstreams.close();
        await closeSoon(storage);
      },
    };
  } catch (error) {
    await closeSoon(storage);
    throw error;
  }
}
