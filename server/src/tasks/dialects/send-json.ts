import { Buffer } from 'node:buffer';
import type { HttpContext } from '#relay/call/types.ts';
import { callHeaders } from '#relay/routes/headers.ts';

export function sendJson({ response, requestId }: HttpContext, value: unknown): void {
  if (response.destroyed) return;
  const body = Buffer.from(JSON.stringify(value));
  response.writeHead(200, {
    ...callHeaders(requestId),
    'content-type': 'application/json',
    'content-length': body.length,
  });
  response.end(body);
}
