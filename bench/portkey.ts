import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { startChild } from './child.ts';
import { freePort, type Target, UPSTREAM_KEY, type Upstreams } from './targets.ts';

const VERSION = '1.15.2';
/** With the newest version in Portkey's own range, every stream fails with 500. */
const HONO_NODE_SERVER = '1.13.8';
const INSTALL_MS = 300_000;

/** Not a dependency of this repository: only the benchmark needs it. */
const home = path.join(import.meta.dirname, `../.cache/portkey-${VERSION}-${HONO_NODE_SERVER}`);
const program = path.join(home, 'node_modules/@portkey-ai/gateway/build/start-server.js');
/** Written last: without it the packages may be incomplete. */
const ready = path.join(home, 'ready');

export const hasPortkey = (): boolean => existsSync(ready);

/** Downloads Portkey's gateway from the package registry. Returns npm's output on failure. */
export function installPortkey(): string | undefined {
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  const manifest = {
    private: true,
    dependencies: { '@portkey-ai/gateway': VERSION },
    overrides: { '@hono/node-server': HONO_NODE_SERVER },
  };
  writeFileSync(path.join(home, 'package.json'), JSON.stringify(manifest, null, 2));
  const script = process.env['npm_execpath'];
  const npm = script?.endsWith('npm-cli.js') ? [process.execPath, script] : ['npm'];
  const args = ['install', '--prefix', home, '--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund', '--silent'];
  const [command = '', ...first] = npm;
  const done = spawnSync(command, [...first, ...args], {
    cwd: home,
    env: environment(),
    encoding: 'utf8',
    timeout: INSTALL_MS,
  });
  const wrong = done.status === 0 ? differsFromPinned() : `${done.error?.message ?? ''}${done.stderr}${done.stdout}`;
  if (wrong === undefined) writeFileSync(ready, VERSION);
  return wrong;
}

/** Removes the settings of the npm that started this process: they belong to another folder. */
function environment(): NodeJS.ProcessEnv {
  const foreign = /^npm_(config_|package_|lifecycle_|command)/i;
  const kept = /registry|cafile|proxy|userconfig|cache/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name) || kept.test(name)));
}

function differsFromPinned(): string | undefined {
  const pinned = { '@portkey-ai/gateway': VERSION, '@hono/node-server': HONO_NODE_SERVER };
  for (const [name, expected] of Object.entries(pinned)) {
    const manifest = readFileSync(path.join(home, 'node_modules', name, 'package.json'), 'utf8');
    const { version } = JSON.parse(manifest) as { version: string };
    if (version !== expected) return `npm installed ${name} ${version} instead of ${expected}`;
  }
  return undefined;
}

/** Portkey's gateway without its console. It checks no key; counts, charges and writes nothing. */
export function portkey(upstreams: Upstreams): Target {
  return {
    name: 'Portkey',
    async start({ nodeFlags = [], env = {}, place = 'target', upstream = 'simulated' } = {}) {
      const port = await freePort();
      const child = await startChild(place, [process.execPath, ...nodeFlags, program, `--port=${port}`, '--headless'], {
        ready: /Ready for connections/,
        env: { NODE_ENV: 'production', ...env },
      });
      const headers = {
        'x-portkey-provider': 'openai',
        'x-portkey-custom-host': `${upstreams[upstream].url}/v1`,
      };
      return { child, port, key: UPSTREAM_KEY, headers };
    },
  };
}
