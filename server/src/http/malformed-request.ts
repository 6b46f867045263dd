import type { Socket } from 'node:net';
import type { Envelope } from '@relay-hub/contract';
import { AppError, type ErrorCode } from '#errors.ts';
import { errorText } from '#i18n/language.ts';
import type { Connections } from '#http/limits/connections.ts';
import { STATUS_CODES } from './node-http.ts';

const LATE = 'ERR_HTTP_REQUEST_TIMEOUT';

const codes: Partial<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'request.headers_too_large',
  [LATE]: 'request.timeout',
};

/**
 * Responds to a request that Node could not parse: an envelope like every error, in English because the language is
 * unknown.
 */
export function answerMalformed(
  error: Error & { code?: string },
  socket: Socket,
  connections: Pick<Connections, 'headersLate'>,
): void {
  // No response to a client that has gone, nor after an earlier response, since it would be matched to the wrong
  // request.
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  if (error.code === LATE && !connections.headersLate(socket)) return;
  const refusal = new AppError(codes[error.code ?? ''] ?? 'request.malformed');
  const body: Envelope<never> = { success: false, message: errorText(refusal, 'en_US'), code: refusal.code };
  const text = JSON.stringify(body);
  if (socket.writable)
    socket.write(
      [
        `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
        'Content-Type: application/json; charset=utf-8',
        `Content-Length: ${Buffer.byteLength(text)}`,
        'Connection: close',
        '',
        text,
      ].join('\r\n'),
    );
  socket.destroySoon();
}
