import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Timeout for all replies together. The browser sends the requests whose replies are missing. */
const WAIT_MS = 600;
/** Larger replies are left to the browser, so that the page does not wait for their transfer. */
const MOST_CHARACTERS = 400_000;

/** Headers that describe the request for the page, not the visitor. */
const ofThePage = /^(accept|accept-encoding|content-.*|if-.*|range|sec-fetch-.*|connection|upgrade.*)$/;

/**
 * JSON object with the replies to GET requests of a page, by address: made by the routes themselves, with the visitor's
 * own session and address. Failed, slow and large replies are missing. Safe inside of `<script>`.
 */
export async function firstReplies(
  app: FastifyInstance,
  request: FastifyRequest,
  addresses: readonly string[],
): Promise<string> {
  const replies = new Map<string, string>();
  const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !ofThePage.test(name)));
  const fetchOne = async (url: string): Promise<void> => {
    const reply = await app.inject({
      method: 'GET',
      url,
      headers: { ...headers, accept: 'application/json', 'x-relay-envelope': 'native' },
      remoteAddress: request.socket.remoteAddress ?? '',
    });
    const isData = reply.statusCode === 200 && String(reply.headers['content-type']).startsWith('application/json');
    if (isData && reply.payload.length <= MOST_CHARACTERS) replies.set(url, reply.payload);
  };
  const late = new AbortController();
  const all = Promise.allSettled(addresses.map(fetchOne)).finally(() => late.abort());
  await Promise.race([all, wait(WAIT_MS, undefined, { signal: late.signal }).catch(() => undefined)]);
  const members = [...replies].map(([url, payload]) => `${JSON.stringify(url)}:${payload}`);
  return `{${members.join()}}`.replaceAll('<', String.raw`\u003c`);
}
