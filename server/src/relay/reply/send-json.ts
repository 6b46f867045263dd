import { Buffer } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import type { Rate } from '#http/limits/minute-rates.ts';
import { callHeaders } from './headers.ts';

/** Sends a JSON reply with status 200. `rate`: the caller's; left out: the call was not counted. */
export function sendJson(response: ServerResponse, requestId: string, value: unknown, rate?: Rate): void {
  const body = JSON.stringify(value);
  response.writeHead(200, {
    ...callHeaders(requestId, rate),
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}
