import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Delivery, Faults } from './simulator.ts';

export interface CashierRequest {
  method: string;
  /** Path and query string, as received. */
  target: string;
  url: URL;
  headers: IncomingMessage['headers'];
  body: string;
}

export interface CashierReply {
  status: number;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

/** Serves requests on 127.0.0.1; a handler that returns `hangUp` closes the connection. */
export async function startCashierServer(
  port: number,
  handle: (request: CashierRequest) => Promise<CashierReply | 'hangUp'>,
): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => void reply(req, res, Buffer.concat(chunks).toString('utf8')));
  });
  async function reply(req: IncomingMessage, res: ServerResponse, body: string): Promise<void> {
    const target = req.url ?? '/';
    const url = new URL(target, 'http://127.0.0.1');
    const result = await handle({ method: req.method ?? '', target, url, headers: req.headers, body }).catch(
      (error: unknown): CashierReply => ({ status: 500, body: `simulator: ${String(error)}` }),
    );
    if (result === 'hangUp') return void req.socket.destroy();
    res.writeHead(result.status, result.headers).end(result.body ?? '');
  }
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const { port: taken } = server.address() as AddressInfo; // a TCP server has one
  return {
    url: `http://127.0.0.1:${taken}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The fault of an API request, if one is left. */
export function takeFault({ api }: Faults): Faults['api'] {
  if (!api || api.times <= 0) return undefined;
  api.times--;
  return api;
}

const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** The payer's page: a form per button, so that it works without scripts. */
export function cashierPage(page: {
  title: string;
  lines: string[];
  action: string;
  /** Empty: the payment has ended and there are no buttons. */
  fields: Record<string, string>;
  error?: string;
}): CashierReply {
  const hidden = Object.entries(page.fields)
    .map(([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`)
    .join('');
  const buttons = [
    ['pay', 'Pay'],
    ['decline', 'Decline'],
    ['cancel', 'Cancel payment'],
  ].map(([name, label]) => `<button name="do" value="${name}">${label}</button>`);
  const form = `<form method="post" action="${escaped(page.action)}">${hidden}${buttons.join(' ')}</form>`;
  const body = `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escaped(page.title)}</title>
<h1>${escaped(page.title)}</h1>${page.lines.map((line) => `<p>${escaped(line)}</p>`).join('')}
${page.error === undefined ? '' : `<p role="alert">${escaped(page.error)}</p>`}
${hidden === '' ? '' : form}</html>`;
  return { status: page.error === undefined ? 200 : 402, headers: { 'content-type': 'text/html' }, body };
}

export const redirectTo = (location: string): CashierReply => ({ status: 303, headers: { location } });

/** Sends a notification to the hub. */
export async function deliver({ url, init }: { url: string; init: RequestInit }): Promise<Delivery> {
  const response = await fetch(url, { ...init, redirect: 'manual' });
  return { status: response.status, body: await response.text() };
}

/** Replaces members by dotted path: `amount.total`. */
export function setMembers(object: Record<string, unknown>, change: Record<string, string | number> = {}): void {
  for (const [path, value] of Object.entries(change)) {
    const names = path.split('.');
    const last = names.pop() ?? '';
    let inner = object;
    for (const name of names) inner = (inner[name] ??= {}) as Record<string, unknown>; // tests name members of objects
    inner[last] = value;
  }
}
