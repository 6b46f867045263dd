import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '#testing/postgres-for-tests.ts';
import { untilOpen } from './until-open.ts';

/** Whether Caddy is installed; CI does not need it. */
export const hasCaddy = (): boolean => spawnSync('caddy', ['version']).status === 0;

const siteFile = path.join(import.meta.dirname, '../../deploy/Caddyfile');

/** Caddy with the site of the deploy kit in front of one node, with a certificate of its local authority. */
export async function startCaddySite(nodePort: number, basePath = '') {
  const [plain, port] = [await freePort(), await freePort()];
  const folder = mkdtempSync(path.join(tmpdir(), 'relay-hub-caddy-'));
  const file = path.join(folder, 'Caddyfile');
  const ports = `{\n admin off\n skip_install_trust\n http_port ${plain}\n https_port ${port}\n}\n`;
  writeFileSync(file, ports + readFileSync(siteFile, 'utf8'));
  const child = spawn('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], {
    stdio: 'ignore',
    env: {
      ...process.env,
      XDG_DATA_HOME: folder,
      XDG_CONFIG_HOME: folder,
      HUB_NODES: `127.0.0.1:${nodePort}`,
      BASE_PATH: basePath,
    },
  });
  const exited = once(child, 'exit');
  await Promise.race([untilOpen(port), exited.then(() => Promise.reject(new Error('Caddy ended')))]);
  return {
    url: `https://localhost:${port}`,
    plainUrl: `http://localhost:${plain}`,
    ca: readFileSync(path.join(folder, 'caddy/pki/authorities/local/root.crt'), 'utf8'),
    async stop() {
      child.kill('SIGTERM');
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
