import type { Duplex } from 'node:stream';
import { STATUS_CODES } from '#http/node-http.ts';
import { type SetMember, SwapRemoveSet } from '#relay/types/swap-remove-set.ts';
import type { CallContext } from '#relay/types/call-types.ts';
import { callHeaders } from '#relay/reply/headers.ts';
import { refusalBody } from '#relay/dialects/refusal-body.ts';
import type { RelayError } from '#relay/reply/relay-error.ts';
import type { OpenSession } from './converse.ts';
import { liveCall } from './live-call.ts';
import { realtimeCall } from './realtime-call.ts';
import { type RequestPath, responsesSession } from './responses-session.ts';
import { isLive, isResponses } from './realtime-path.ts';
import type { Upgrade } from './realtime-sockets.ts';

/** WebSocket sessions, from the upgrade to the last close. */
export interface Realtime {
  /** Resolves when the session is settled; rejects with the refusal while the caller still expects an HTTP response. */
  open(context: CallContext, upgrade: Upgrade): Promise<void>;
  /** Lets current responses finish for `graceMs`; resolves when every session is settled. */
  stop(graceMs: number): Promise<void>;
}

interface PendingSession extends SetMember {
  session: OpenSession | undefined;
}

/** `path`: the way of plain requests. */
export function createRealtime(path: RequestPath): Realtime {
  const open = new SwapRemoveSet<PendingSession>();
  let stopping: 'no' | 'soon' | 'now' = 'no';
  let onEmpty = () => {};
  return {
    async open(context, upgrade) {
      const pending: PendingSession = { index: 0, session: undefined };
      open.add(pending);
      try {
        const { url = '' } = context.request;
        const onOpen = (session: OpenSession): void => {
          pending.session = session;
          if (stopping !== 'no') session.stop(stopping === 'now');
        };
        if (isResponses(url)) await responsesSession(context, upgrade, { onOpen, path });
        else await (isLive(url) ? liveCall : realtimeCall)(context, upgrade, onOpen);
      } finally {
        open.delete(pending);
        if (open.size === 0) onEmpty();
      }
    },
    async stop(graceMs) {
      const stopAll = (when: 'soon' | 'now') => {
        stopping = when;
        for (const { session } of open.all()) session?.stop(when === 'now');
      };
      stopAll('soon');
      const timer = setTimeout(() => stopAll('now'), graceMs);
      if (open.size > 0) await new Promise<void>((resolve) => (onEmpty = resolve));
      clearTimeout(timer);
    },
  };
}

/** Refuses an upgrade with an HTTP response and closes the connection. */
export function refuseUpgrade(
  socket: Duplex,
  error: RelayError,
  { request, requestId }: Pick<CallContext, 'request' | 'requestId'>,
): void {
  if (socket.destroyed) return;
  const body = refusalBody(error, isLive(request.url ?? '') ? 'gemini' : 'openai', requestId);
  const headers: Record<string, string | number> = {
    ...callHeaders(requestId, error.rate),
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...(error.retryAfter && { 'retry-after': error.retryAfter }),
    ...error.headers,
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const response = `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ''}\r\n${lines.join('')}\r\n${body}`;
  // Without destroy() the caller could keep their half of the connection open.
  socket.end(response, () => socket.destroy());
}
