import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '#testing/postgres-for-tests.ts';
import { testCertificate } from './tls-for-tests.ts';
import { untilOpen } from './until-open.ts';

// Debian has it in a folder that ordinary users do not have in their PATH.
const nginx = ['nginx', '/usr/sbin/nginx'].find((program) => spawnSync(program, ['-v']).status === 0);

/** Whether nginx is installed; required in CI. */
export function hasNginx(): boolean {
  if (nginx === undefined && process.env['CI']) throw new Error('nginx is needed in CI');
  return nginx !== undefined;
}

export interface Nginx {
  url: string;
  stop(): Promise<void>;
}

/** nginx as a load balancer with keep-alive, configured as docs recommend. */
export async function startNginx(ports: readonly number[]): Promise<Nginx> {
  const port = await freePort();
  const { stop } = await run(port, () => balancer(port, ports));
  return { url: `http://127.0.0.1:${port}`, stop };
}

const siteFile = path.join(import.meta.dirname, '../../deploy/nginx.conf');

/**
 * nginx with the site of the deploy kit in front of one node, below a path as its comment says; certificate and ports
 * are those of the test.
 */
export async function startNginxSite(
  nodePort: number,
  basePath = '/',
): Promise<Nginx & { plainUrl: string; ca: string }> {
  const [plain, port] = [await freePort(), await freePort()];
  const { stop } = await run(port, (folder) => {
    writeFileSync(path.join(folder, 'cert.pem'), testCertificate.cert);
    writeFileSync(path.join(folder, 'key.pem'), testCertificate.key);
    return readFileSync(siteFile, 'utf8')
      .replace('listen 80;', `listen 127.0.0.1:${plain};`)
      .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
      .replaceAll('hub.example.com;', 'localhost;')
      .replace(/location \/ \{(?=\s+proxy_pass)/, `location ${basePath} {`)
      .replace('server 127.0.0.1:3000', `server 127.0.0.1:${nodePort}`)
      .replace(/\/etc\S+fullchain\.pem/, path.join(folder, 'cert.pem'))
      .replace(/\/etc\S+privkey\.pem/, path.join(folder, 'key.pem'));
  });
  return { url: `https://localhost:${port}`, plainUrl: `http://localhost:${plain}`, ca: testCertificate.cert, stop };
}

/** Starts nginx with a site, and waits until it listens. */
async function run(port: number, site: (folder: string) => string): Promise<Pick<Nginx, 'stop'>> {
  const folder = mkdtempSync(path.join(tmpdir(), 'relay-hub-nginx-'));
  const file = path.join(folder, 'nginx.conf');
  writeFileSync(file, configOf(folder, site(folder)));
  const child = spawn(nginx!, ['-p', folder, '-c', file, '-e', 'stderr'], { stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (piece: Buffer) => (errors += piece.toString()));
  const exited = once(child, 'exit');
  await Promise.race([untilOpen(port), exited.then(() => Promise.reject(new Error(`nginx ended: ${errors}`)))]);
  return {
    async stop() {
      child.kill('SIGTERM');
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function configOf(folder: string, site: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  return `daemon off; master_process off; worker_processes 1; pid ${folder}/nginx.pid;
events { worker_connections 1024; }
http {
  access_log off;
  ${temporary.join('\n  ')}
  ${site}
}
`;
}

const balancer = (port: number, ports: readonly number[]): string => `
  upstream hub {
    ${ports.map((each) => `server 127.0.0.1:${each} max_fails=0;`).join('\n    ')}
    keepalive 32;
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://hub;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
      proxy_read_timeout 600s;
    }
  }`;
