import type { Socket } from 'node:net';
import type { Envelope } from '@relay-hub/contract';
import { AppError } from '#errors.ts';
import { errorText } from '#i18n/language.ts';

/** Answers what Node could not read as a request: an envelope like every refusal, in English for want of a language. */
export function answerMalformed(error: Error & { code?: string }, socket: Socket): void {
  // Whoever is gone hears nothing; and after a first answer on a connection nobody knows what a second belongs to.
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const refusal = new AppError(
    error.code === 'HPE_HEADER_OVERFLOW' ? 'request.headers_too_large' : 'request.malformed',
  );
  const body: Envelope<never> = { success: false, message: errorText(refusal, 'en_US'), code: refusal.code };
  const text = JSON.stringify(body);
  if (socket.writable)
    socket.write(
      [
        `HTTP/1.1 ${refusal.status} ${refusal.status === 431 ? 'Request Header Fields Too Large' : 'Bad Request'}`,
        'Content-Type: application/json; charset=utf-8',
        `Content-Length: ${Buffer.byteLength(text)}`,
        'Connection: close',
        '',
        text,
      ].join('\r\n'),
    );
  socket.destroySoon();
}
