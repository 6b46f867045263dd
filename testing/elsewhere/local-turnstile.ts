import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A simulated challenge service. */
export interface LocalTurnstile {
  url: string;
  siteKey: string;
  secret: string;
  /** Issued tokens that were not redeemed yet. */
  good: Set<string>;
  /** Verification requests, in order. */
  verifications: Record<string, string>[];
  broken: boolean;
  close(): Promise<void>;
}

/** The widget, which accepts every visitor and gets a new token each time. */
const widget = `(() => {
  const base = new URL(document.currentScript.src).origin;
  const callbacks = new Map();
  const prove = async (id) => callbacks.get(id)?.(await (await fetch(base + '/token')).text());
  let count = 0;
  window.turnstile = {
    render(place, { callback }) {
      const id = 'widget-' + ++count;
      callbacks.set(id, callback);
      place.textContent = 'Success!';
      void prove(id);
      return id;
    },
    reset: (id) => void prove(id),
    remove: (id) => void callbacks.delete(id),
  };
})();`;

/** Starts a service that knows its secret and accepts each token once, as a form only. */
export async function startTurnstile(): Promise<LocalTurnstile> {
  let last = 0;
  const answer = (path: string, sent: string): { type: string; body: string } | undefined => {
    if (path === '/turnstile/v0/api.js') return { type: 'text/javascript', body: widget };
    if (path === '/token') {
      const token = `human-by-widget-${++last}`;
      service.good.add(token);
      return { type: 'text/plain', body: token };
    }
    if (service.broken || path !== '/turnstile/v0/siteverify') return undefined;
    const form = Object.fromEntries(new URLSearchParams(sent));
    service.verifications.push(form);
    const success = form['secret'] === service.secret && service.good.delete(form['response'] ?? '');
    const verdict = { success, 'error-codes': success ? [] : ['timeout-or-duplicate'] };
    return { type: 'application/json', body: JSON.stringify(verdict) };
  };
  const server = createServer((request, response) => {
    void (async () => {
      const { pathname } = new URL(request.url ?? '/', 'http://localhost');
      const reply = answer(pathname, await text(request));
      if (!reply) return response.writeHead(500).end('broken');
      response.writeHead(200, { 'content-type': reply.type, 'access-control-allow-origin': '*' }).end(reply.body);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // listening on a TCP port
  const service: LocalTurnstile = {
    url: `http://127.0.0.1:${port}`,
    siteKey: 'site-key',
    secret: '0x-secret-of-the-widget',
    good: new Set(),
    verifications: [],
    broken: false,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return service;
}
