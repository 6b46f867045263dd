import http from 'node:http';
import type { FuzzOperation } from './fuzz-document.ts';
import type { FuzzAnswer } from './fuzz-judge.ts';
import type { DrawnRequest } from './fuzz-requests.ts';
import type { SeenValues } from './fuzz-seen.ts';

/** A complete request that can be repeated. */
export interface FuzzRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
}

const TIMEOUT_MS = 30_000;
const TEXT_KEPT = 4_000_000;

/** Fills a generated request; `ip` is the forwarded address. */
export function requestOf(
  { method, path, ...operation }: FuzzOperation,
  drawn: DrawnRequest,
  seen: SeenValues,
  ip: string,
): FuzzRequest {
  const params = seen.fill(drawn.params) as Record<string, unknown>; // `fill` keeps the shape
  const target = path.replace(/\{(\w+)\}/g, (_, name: string) => encode(params[name]) || '%20');
  const query = drawn.query.map(([name, value]) => `${encode(name)}=${encode(seen.fill(value))}`).join('&');
  const json = drawn.raw ?? (drawn.body === undefined ? undefined : JSON.stringify(seen.fill(drawn.body)));
  const body = operation.body === undefined && drawn.raw === undefined ? undefined : json;
  return {
    method,
    path: query === '' ? target : `${target}?${query}`,
    headers: {
      'accept-language': 'en-US',
      'x-forwarded-for': ip,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...drawn.headers,
    },
    body,
  };
}

function encode(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  // A lone surrogate cannot be encoded.
  return encodeURIComponent(text.toWellFormed().slice(0, 4000)).replaceAll('%25zz', '%zz');
}

/** Sends it over a keep-alive connection. Rejects on timeout. */
export function send(
  url: string,
  agent: http.Agent,
  request: FuzzRequest,
  cookie: string | undefined,
): Promise<FuzzAnswer> {
  return new Promise((resolve, reject) => {
    const { method, path, body } = request;
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const headers = { ...(cookie && { cookie }), ...length, ...request.headers };
    const sent = http.request(url + path, { method, agent, headers, timeout: TIMEOUT_MS }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (piece: string) => {
        if (text.length < TEXT_KEPT) text += piece;
        // A stream of events may have no end.
        if (!answer.headers['content-type']?.startsWith('text/event-stream')) return;
        resolve({ status: answer.statusCode ?? 0, headers: headersOf(answer), text });
        answer.destroy();
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: headersOf(answer), text }));
      answer.on('error', reject);
    });
    sent.on('timeout', () => sent.destroy(new Error(`no answer in ${TIMEOUT_MS / 1000} s`)));
    sent.on('error', reject);
    sent.end(body);
  });
}

const headersOf = ({ headers }: http.IncomingMessage): Headers =>
  new Headers(Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]));
