import type { IncomingMessage } from 'node:http';
import { RelayError } from '#relay/reply/relay-error.ts';
import type { PathRow } from '#relay/types/path-row.ts';

export const REALTIME_PATH = '/v1/realtime';

/** The name of live sessions at Google in logs and metrics. */
export const LIVE_PATH = '/gemini/live';

export const RESPONSES_PATH = '/v1/responses';

const openAi = /^\/v1\/realtime\/?(?:\?|$)/;
const google =
  /^\/gemini\/ws\/google\.ai\.generativelanguage\.v\d[a-z\d]*\.GenerativeService\.BidiGenerateContent(?:Constrained)?\/?(?:\?|$)/;

/** Whether a URL opens live sessions in Google's dialect. */
export const isLive = (url: string): boolean => google.test(url);

/** Whether a URL opens realtime sessions, in any dialect. */
const isRealtime = (url: string): boolean => openAi.test(url) || isLive(url);

const responses = /^\/v1\/responses\/?(?:\?|$)/;

/** Whether a URL opens sessions of Responses. */
export const isResponses = (url: string): boolean => responses.test(url);

/** Whether a request opens a session. Some clients offer HTTP/2 in an upgrade of their calls. */
export const opensSession = (url: string, { method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean =>
  isRealtime(url) || (isResponses(url) && method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket');

const needsUpgrade = (message: string, code: string, protocol: string) => (): never => {
  throw new RelayError(426, message, { type: 'invalid_request_error', code, headers: { upgrade: protocol } });
};

const socketRow = (path: string, endpoint: string): PathRow => ({
  path,
  endpoint,
  when: ({ method, url = '/' }) => method === 'GET' && isRealtime(url),
  answers: needsUpgrade('This path needs a WebSocket.', 'upgrade_required', 'websocket'),
});

/** Refusals of plain requests at the path of a WebSocket, and the reverse. */
export const webSocketRows: readonly PathRow[] = [
  socketRow(REALTIME_PATH, REALTIME_PATH),
  socketRow('/gemini/ws/google.ai.generativelanguage.{version}.GenerativeService.BidiGenerateContent', LIVE_PATH),
  {
    path: RESPONSES_PATH,
    endpoint: RESPONSES_PATH,
    // A proxy has removed a part of the handshake. 426 makes Codex send a POST at once.
    when: ({ method, headers }) => method === 'GET' && headers.upgrade !== undefined,
    answers: needsUpgrade('This path needs a WebSocket, or a POST request.', 'upgrade_required', 'websocket'),
  },
];
