import type { ServerResponse } from 'node:http';
import type { SimulatedReply } from './reply.ts';

const batchChars = 64 * 1024;

let delivered = 0;
const usualHeaders = () => ({
  'openai-processing-ms': '1',
  'openai-version': '2020-10-01',
  'x-request-id': `req_${++delivered}`,
});

/** Sends a reply at its pace with its ending. `cut` is called before the connection is dropped. */
export function deliver(res: ServerResponse, reply: SimulatedReply, cut: () => void): void {
  if (res.destroyed) return;
  const { parts, stream, firstMs, paceMs, ending } = reply;
  if (!stream) {
    const bytes = reply.announcedBytes ?? parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
    res.writeHead(reply.status, { ...usualHeaders(), ...reply.headers, 'content-length': bytes });
    if (parts.length === 1 && ending === 'end') {
      res.end(parts[0]);
      return;
    }
  } else {
    res.writeHead(reply.status, { ...usualHeaders(), ...reply.headers });
  }
  if (firstMs > 0 || parts.length === 0) res.flushHeaders();
  const finish = () => conclude(res, ending, cut);
  if (paceMs > 0 || firstMs > 0) sendPaced(res, parts, { firstMs, paceMs }, finish);
  else sendTogether(res, parts, 0, finish);
}

function conclude(res: ServerResponse, ending: SimulatedReply['ending'], cut: () => void): void {
  if (ending === 'end') res.end();
  if (ending !== 'cut') return;
  // The empty write completes after everything before it, so the caller gets every byte up to the cut.
  res.socket?.write('', () => {
    cut();
    res.socket?.destroy();
  });
}

/** As fast as the caller reads, in large writes. */
function sendTogether(res: ServerResponse, parts: SimulatedReply['parts'], from: number, finish: () => void): void {
  for (let next = from; next < parts.length;) {
    let batch: string | Buffer = parts[next++] ?? '';
    while (typeof batch === 'string' && batch.length < batchChars) {
      const more = parts[next];
      if (typeof more !== 'string') break;
      batch += more;
      next++;
    }
    if (!res.write(batch) && next < parts.length) {
      res.once('drain', () => sendTogether(res, parts, next, finish));
      return;
    }
  }
  finish();
}

/** Each part is due at a time counted from the start, so that a late timer does not delay the rest. */
function sendPaced(
  res: ServerResponse,
  parts: SimulatedReply['parts'],
  { firstMs, paceMs }: Pick<SimulatedReply, 'firstMs' | 'paceMs'>,
  finish: () => void,
): void {
  const start = performance.now() + firstMs;
  let next = 0;
  let timer: NodeJS.Timeout | undefined;
  const pump = () => {
    const now = performance.now();
    while (next < parts.length && start + next * paceMs <= now + 0.5) {
      if (!res.write(parts[next++] ?? '') && next < parts.length) {
        res.once('drain', pump);
        return;
      }
    }
    if (next >= parts.length) finish();
    else timer = setTimeout(pump, start + next * paceMs - now);
  };
  res.once('close', () => clearTimeout(timer));
  timer = setTimeout(pump, firstMs);
}
