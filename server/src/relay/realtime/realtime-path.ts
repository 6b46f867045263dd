import { RelayError } from '#relay/reply/relay-error.ts';
import type { PathRow } from '#relay/types/path-row.ts';

export const REALTIME_PATH = '/v1/realtime';

/** The name of live sessions at Google in logs and metrics. */
export const LIVE_PATH = '/gemini/live';

const openAi = /^\/v1\/realtime\/?(?:\?|$)/;
const google =
  /^\/gemini\/ws\/google\.ai\.generativelanguage\.v\d[a-z\d]*\.GenerativeService\.BidiGenerateContent\/?(?:\?|$)/;

/** Whether a URL opens live sessions in Google's dialect. */
export const isLive = (url: string): boolean => google.test(url);

/** Whether a URL opens realtime sessions, in any dialect. */
export const isRealtime = (url: string): boolean => openAi.test(url) || isLive(url);

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
    path: '/v1/responses',
    endpoint: '/v1/responses',
    // 426 makes Codex fall back to POST at once; it retries other refusals of its WebSocket.
    when: ({ method, headers }) => method === 'GET' && headers.upgrade !== undefined,
    answers: needsUpgrade(
      'Responses are not served over WebSockets. Send a POST request.',
      'websocket_unsupported',
      'HTTP/1.1',
    ),
  },
];
