import { enableCompileCache } from 'node:module';

// First of all: keeps compiled modules between starts. Threads find the cache by the environment; without it each would
// load the type stripper, which is 20 MB.
const { directory } = enableCompileCache();
if (directory !== undefined) process.env['NODE_COMPILE_CACHE'] ??= directory;

const { readStartCommand } = await import('#start/start-command.ts');
const options = readStartCommand();
const { readConfig, shareOf, ConfigError } = await import('./config.ts');
const { lockFolder } = await import('#start/folder-lock.ts');
const { giveBackMemory } = await import('#process/memory.ts');
const { takePlace } = await import('#process/siblings.ts');

/** Signals within this time of the first are one request to stop; a later one exits immediately. */
const ONE_REQUEST_MS = 1_000;

const say = (text: string): void => void process.stdout.write(`${text}\n`);

function tellRootPassword(password: string): void {
  say('');
  say('  First start. Sign in as  root');
  say(`  with the password        ${password}`);
  say('  It is shown only this once.');
  say('');
}

async function isTold(error: unknown): Promise<boolean> {
  const { MigrationError } = await import('./db/migrate.ts');
  const { DataKeyError } = await import('#start/first-start.ts');
  return error instanceof ConfigError || error instanceof MigrationError || error instanceof DataKeyError;
}

try {
  const config = readConfig({ ...process.env, ...options });
  const place = takePlace();
  const lock = place || config.databaseUrl !== undefined ? undefined : lockFolder(config.dataDir);
  const isPrimary = !place && config.workers > 1;
  // Each loads only what it needs.
  const server = isPrimary
    ? await (await import('./primary.ts')).startWorkers(config, options)
    : await (
        await import('./server.ts')
      ).startServer(place ? shareOf(config) : config, {
        tellRootPassword,
        siblings: place,
      });
  await giveBackMemory();

  let stoppingSince: number | undefined;
  const stop = async (listenMs: number): Promise<void> => {
    if (stoppingSince !== undefined) {
      // A supervisor may signal this process and its parents, which forward the signal.
      if (performance.now() - stoppingSince < ONE_REQUEST_MS) return;
      process.exit(1);
    }
    stoppingSince = performance.now();
    // The next process may start while this one finishes its calls, as it may with the port.
    const onClosed = (): void => {
      lock?.release();
      place?.closed();
    };
    await server.drain({ listenMs, graceMs: config.graceMs, onClosed });
    await server.close(0);
    process.exit(0);
  };
  if (place) {
    // Its primary process says when to stop; supervisors, and Ctrl+C, signal both.
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => {});
    place.onStop(stop);
    place.ready(server.port);
  } else {
    process.on('SIGTERM', () => void stop(config.drainMs));
    // Ctrl+C in a terminal: no load balancer has to notice.
    process.on('SIGINT', () => void stop(0));
    const host =
      config.host === undefined || config.host === '0.0.0.0' || config.host === '::' ? 'localhost' : config.host;
    say(`Relay Hub is at http://${host.includes(':') ? `[${host}]` : host}:${server.port}${config.basePath}`);
  }
} catch (error) {
  process.stderr.write(
    `Relay Hub does not start.\n${(await isTold(error)) ? (error as Error).message : String(error instanceof Error ? (error.stack ?? error) : error)}\n`,
  );
  process.exit(1);
}
