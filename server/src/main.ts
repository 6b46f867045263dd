import { enableCompileCache } from 'node:module';

// First of all: keeps compiled modules between starts. Threads find the cache by the environment; without it each would
// load the type stripper, which is 20 MB.
const { directory } = enableCompileCache();
if (directory !== undefined) process.env['NODE_COMPILE_CACHE'] ??= directory;

const { readStartCommand } = await import('#start/start-command.ts');
const options = readStartCommand();
const { readConfig, ConfigError } = await import('./config.ts');
const { startServer } = await import('./server.ts');
const { MigrationError } = await import('./db/migrate.ts');
const { DataKeyError } = await import('#start/first-start.ts');
const { lockFolder } = await import('#start/folder-lock.ts');
const { giveBackMemory } = await import('#process/memory.ts');

/** Signals within this time of the first are one request to stop; a later one exits immediately. */
const ONE_REQUEST_MS = 1_000;

const say = (text: string): void => void process.stdout.write(`${text}\n`);

try {
  const config = readConfig({ ...process.env, ...options });
  const lock = config.databaseUrl === undefined ? lockFolder(config.dataDir) : undefined;
  const server = await startServer(config, (password) => {
    say('');
    say('  First start. Sign in as  root');
    say(`  with the password        ${password}`);
    say('  It is shown only this once.');
    say('');
  });
  await giveBackMemory();
  const host =
    config.host === undefined || config.host === '0.0.0.0' || config.host === '::' ? 'localhost' : config.host;
  say(`Relay Hub is at http://${host.includes(':') ? `[${host}]` : host}:${server.port}${config.basePath}`);

  let stoppingSince: number | undefined;
  const stop = async (listenMs: number): Promise<void> => {
    if (stoppingSince !== undefined) {
      // A supervisor may signal this process and its parents, which forward the signal.
      if (performance.now() - stoppingSince < ONE_REQUEST_MS) return;
      process.exit(1);
    }
    stoppingSince = performance.now();
    // The next process may start while this one finishes its calls, as it may with the port.
    await server.drain({ listenMs, graceMs: config.graceMs, onClosed: () => lock?.release() });
    await server.close(0);
    process.exit(0);
  };
  process.on('SIGTERM', () => void stop(config.drainMs));
  // Ctrl+C in a terminal: no load balancer has to notice.
  process.on('SIGINT', () => void stop(0));
} catch (error) {
  const told = error instanceof ConfigError || error instanceof MigrationError || error instanceof DataKeyError;
  process.stderr.write(
    `Relay Hub does not start.\n${told ? error.message : String(error instanceof Error ? (error.stack ?? error) : error)}\n`,
  );
  process.exit(1);
}
