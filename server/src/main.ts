import { enableCompileCache } from 'node:module';

// Before anything else is loaded: compiled modules are kept between starts. Threads learn of it by the environment;
// without it, each of them would load the compiler that takes the types away, which is 20 MB.
const { directory } = enableCompileCache();
if (directory !== undefined) process.env['NODE_COMPILE_CACHE'] ??= directory;

const { readConfig, ConfigError } = await import('./config.ts');
const { startServer } = await import('./server.ts');
const { MigrationError } = await import('./db/migrate.ts');
const { DataKeyError } = await import('./first-start.ts');
const { giveBackMemory } = await import('./memory.ts');

const say = (text: string): void => void process.stdout.write(`${text}\n`);

try {
  const config = readConfig(process.env);
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
  say(`Relay Hub is at http://${host.includes(':') ? `[${host}]` : host}:${server.port}`);

  let stopping = false;
  const stop = async (): Promise<void> => {
    // A second signal does not wait for calls any more.
    if (stopping) process.exit(1);
    stopping = true;
    await server.close();
    process.exit(0);
  };
  process.on('SIGTERM', () => void stop());
  process.on('SIGINT', () => void stop());
} catch (error) {
  const told = error instanceof ConfigError || error instanceof MigrationError || error instanceof DataKeyError;
  process.stderr.write(
    `Relay Hub does not start.\n${told ? error.message : String(error instanceof Error ? (error.stack ?? error) : error)}\n`,
  );
  process.exit(1);
}
