import { readCommand } from '../server/src/process/command-line.ts';
readCommand({
  name: 'health',
  about:
    'Exits with 0 if the server at HOST and PORT of this machine answers `/readyz` with 200: for health checks of containers.',
});

const host = process.env['HOST'] || '127.0.0.1';
const isAny = host === '0.0.0.0' || host === '::';
const name = isAny ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
const url = `http://${name}:${process.env['PORT'] || '3000'}/readyz`;
try {
  const { status } = await fetch(url, { signal: AbortSignal.timeout(5_000) });
  if (status !== 200) throw new Error(`status ${status}`);
} catch (error) {
  process.stderr.write(`${url}: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
