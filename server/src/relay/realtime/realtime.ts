import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Deps } from '#deps.ts';
import { STATUS_CODES } from '#http/node-http.ts';
import { SwapRemoveSet, type SetMember } from '#relay/call/swap-remove-set.ts';
import { callHeaders } from '#relay/routes/headers.ts';
import { refusalBody } from '#relay/routes/refusal-body.ts';
import type { RelayError } from '#relay/routes/relay-error.ts';
import type { Trace } from '#relay/call/trace.ts';
import { type OpenSession, realtimeCall } from './realtime-call.ts';

/** Sessions over WebSockets, from their upgrade to their end. */
export interface Realtime {
  /** Resolves when the session is settled; rejects with the refusal while the caller still expects HTTP. */
  open(request: IncomingMessage, socket: Duplex, head: Buffer, requestId: string, trace: Trace): Promise<void>;
  /** Lets responses that are under way finish for so long; resolves when every session is settled. */
  stop(graceMs: number): Promise<void>;
}

interface PendingSession extends SetMember {
  session: OpenSession | undefined;
}

export function createRealtime(deps: Deps): Realtime {
  const open = new SwapRemoveSet<PendingSession>();
  let stopping: 'no' | 'soon' | 'now' = 'no';
  let emptied = () => {};
  return {
    async open(request, socket, head, requestId, trace) {
      const opening: PendingSession = { index: 0, session: undefined };
      open.add(opening);
      try {
        const opened = (session: OpenSession) => {
          opening.session = session;
          if (stopping !== 'no') session.stop(stopping === 'now');
        };
        await realtimeCall(deps, request, socket, head, requestId, opened, trace);
      } finally {
        open.delete(opening);
        if (open.size === 0) emptied();
      }
    },
    async stop(graceMs) {
      const stopAll = (how: 'soon' | 'now') => {
        stopping = how;
        for (const { session } of open.all()) session?.stop(how === 'now');
      };
      stopAll('soon');
      const timer = setTimeout(() => stopAll('now'), graceMs);
      if (open.size > 0) await new Promise<void>((resolve) => (emptied = resolve));
      clearTimeout(timer);
    },
  };
}

/** Answers an upgrade that is refused, in HTTP, and closes. */
export function refuseUpgrade(socket: Duplex, error: RelayError, requestId: string): void {
  if (socket.destroyed) return;
  const body = refusalBody(error, 'openai', requestId);
  const headers: Record<string, string | number> = {
    ...callHeaders(requestId, error.rate),
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...(error.retryAfter && { 'retry-after': error.retryAfter }),
    ...error.headers,
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const answer = `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ''}\r\n${lines.join('')}\r\n${body}`;
  // Its other half would stay open for as long as the caller likes.
  socket.end(answer, () => socket.destroy());
}
