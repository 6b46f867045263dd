import type { ServerResponse } from 'node:http';
import type { Envelope } from '@relay-hub/contract';
import { AppError } from '#errors.ts';
import { errorText } from '#i18n/language.ts';

/** Whether a request has several Host headers: a proxy may have used another one than this server. */
export function namesTwoHosts(rawHeaders: readonly string[]): boolean {
  let found = false;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length !== 4 || (name !== 'Host' && name !== 'host' && name.toLowerCase() !== 'host')) continue;
    if (found) return true;
    found = true;
  }
  return false;
}

/** Refuses such a request with 400, and closes the connection. */
export function refuseHosts(response: ServerResponse): void {
  const refusal = new AppError('request.malformed');
  const body: Envelope<never> = { success: false, message: errorText(refusal, 'en_US'), code: refusal.code };
  const text = JSON.stringify(body);
  response.writeHead(refusal.status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    connection: 'close',
  });
  response.end(text);
}
