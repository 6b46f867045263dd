import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { type Child, isInstalled, type Place, startChild } from './child.ts';
import { setUpHub } from './hub-setup.ts';
import type { Address } from './jobs.ts';

export interface Running extends Address {
  child: Child;
}

/** A program between caller and upstream. Started for each measurement and stopped after it. */
export interface Target {
  name: string;
  start(options?: StartOptions): Promise<Running>;
}

/** A provider behind the targets. */
export interface Upstream {
  url: string;
  /** For direct calls without a target. */
  address: Address;
  child: Child;
}

/** The simulated provider of the tests, and the one whose chunks contain their send time. */
export interface Upstreams {
  simulated: Upstream;
  stamped: Upstream;
}

interface StartOptions {
  /** Destination of calls, the simulated provider by default. Relay Hub selects by model. */
  upstream?: keyof Upstreams;
  nodeFlags?: readonly string[];
  env?: Record<string, string>;
  place?: Place;
}

const root = path.join(import.meta.dirname, '..');
const node = process.execPath;

export const UPSTREAM_KEY = 'sk-upstream-0001';

/** The simulated provider behind all targets. */
export async function startUpstream(): Promise<Upstream> {
  const command = [node, path.join(root, 'scripts/upstream.ts'), '--quiet', '--port', '0'];
  return upstreamOf(await startChild('around', command, { ready: /on http:\S+:(\d+) [^]*\n/ }));
}

export async function startStampedUpstream(): Promise<Upstream> {
  const command = [node, path.join(import.meta.dirname, 'stamped-upstream.ts')];
  return upstreamOf(await startChild('around', command, { ready: /port (\d+)\n/ }));
}

function upstreamOf(child: Child): Upstream {
  const port = Number(child.match[1]);
  return { url: `http://127.0.0.1:${port}`, address: { port, key: UPSTREAM_KEY }, child };
}

export function bareProxy(upstreams: Upstreams): Target {
  return {
    name: 'bare proxy',
    async start({ nodeFlags = [], env = {}, place = 'target', upstream = 'simulated' } = {}) {
      const command = [node, ...nodeFlags, path.join(import.meta.dirname, 'bare-proxy.ts'), upstreams[upstream].url];
      const child = await startChild(place, command, { ready: /port (\d+)\n/, env });
      return { child, port: Number(child.match[1]), key: UPSTREAM_KEY };
    },
  };
}

const PASSWORD = 'a-password-for-the-benchmark';

/** Relay Hub from the checkout `folder`, on a new SQLite database with channels, prices and a token. */
export async function relayHub(name: string, folder: string, data: string, upstreams: Upstreams): Promise<Target> {
  const main = path.join(folder, 'server/src/main.ts');
  if (!existsSync(main)) throw new Error(`there is no Relay Hub in ${folder}`);
  mkdirSync(data, { recursive: true });
  const own = {
    PORT: '0',
    HOST: '127.0.0.1',
    DATA_DIR: data,
    ROOT_PASSWORD: PASSWORD,
    LOG_LEVEL: 'error',
    OUTBOUND_PRIVATE: 'allow',
  };
  const start = async ({ nodeFlags = [], env = {}, place = 'target' }: StartOptions = {}): Promise<Running> => {
    const command = [node, ...nodeFlags, main];
    const child = await startChild(place, command, { ready: /is at http:\S+:(\d+)\n/, env: { ...own, ...env } });
    return { child, port: Number(child.match[1]), key: '' };
  };
  const first = await start();
  const { simulated, stamped } = upstreams;
  const channels = [
    { name: 'simulated', url: simulated.url, models: ['gpt-4o-mini', 'sim:*'] },
    { name: 'stamped', url: stamped.url, models: ['stamped:*'] },
  ];
  const key = await setUpHub(`http://127.0.0.1:${first.port}`, channels, PASSWORD);
  await first.child.stop();
  return { name, start: async (options) => ({ ...(await start(options)), key }) };
}

export const hasNginx = (): boolean => isInstalled('nginx', '-v');

/** nginx as a plain reverse proxy with one worker. */
export function nginx(folder: string, upstreams: Upstreams): Target {
  return {
    name: 'nginx',
    async start({ upstream = 'simulated' } = {}) {
      const port = await freePort();
      const file = path.join(folder, 'nginx.conf');
      writeFileSync(file, nginxConfig(folder, port, new URL(upstreams[upstream].url).host));
      const child = await startChild('target', ['nginx', '-p', folder, '-c', file, '-e', 'stderr'], {
        ready: undefined,
      });
      await answersOn(port);
      return { child, port, key: UPSTREAM_KEY };
    },
  };
}

function nginxConfig(folder: string, port: number, upstream: string): string {
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/nginx-${kind};`,
  );
  return `daemon off; master_process off; worker_processes 1; pid ${folder}/nginx.pid; error_log stderr crit;
events { worker_connections 4096; }
http {
  access_log off; keepalive_timeout 65; keepalive_requests 100000000; tcp_nodelay on;
  ${temp.join(' ')}
  upstream simulated { server ${upstream}; keepalive 512; keepalive_requests 100000000; }
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass http://simulated; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off; }
  }
}
`;
}

/** For programs that cannot choose a free port themselves. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }; // listens on TCP
      server.close(() => resolve(port));
    });
  });
}

async function answersOn(port: number): Promise<void> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const up = await fetch(`http://127.0.0.1:${port}/v1/models`).then(
      () => true,
      () => false,
    );
    if (up) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('nginx does not answer');
}
