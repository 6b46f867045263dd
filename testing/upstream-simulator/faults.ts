import { gzipSync } from 'node:zlib';
import type { Behaviour, SimulatedFault } from './behaviour.ts';
import { faultIndex } from './chat.ts';
import { bodyForStatus, errorBody } from './errors.ts';
import { jsonReply, type SimulatedReply } from './reply.ts';

/** Turns a valid reply into a faulty one. */
type FaultRule = (reply: SimulatedReply, behaviour: Behaviour) => SimulatedReply;

const rules: Record<Exclude<SimulatedFault, 'refuse' | 'hang'>, FaultRule> = {
  headersThenSilence: (reply, behaviour) => ({
    ...reply,
    parts: reply.stream && behaviour.faultAt !== undefined ? reply.parts.slice(0, 1 + behaviour.faultAt) : [],
    announcedBytes: bytesOf(reply),
    ending: 'silence',
  }),
  drip: (reply, { dripMs = 2 }) => ({
    ...reply,
    parts: Array.from(wire(reply), (byte) => Buffer.of(byte)),
    announcedBytes: bytesOf(reply),
    paceMs: dripMs,
  }),
  cutMidChunk: (reply, behaviour) => {
    const { before, at } = strike(reply, behaviour);
    const half = Buffer.from(at).subarray(0, Math.floor(Buffer.byteLength(at) / 2));
    return { ...reply, parts: [...before, half], announcedBytes: bytesOf(reply), ending: 'cut' };
  },
  cutAfterFinish: (reply) =>
    reply.stream ? { ...reply, parts: reply.parts.slice(0, finishEvent(reply) + 1), ending: 'cut' } : reply,
  endWithoutDone: (reply, behaviour) => {
    const { before, at } = strike(reply, behaviour);
    return reply.stream ? { ...reply, parts: [...before, at] } : reply;
  },
  truncatedJson: (reply) => {
    const whole = wire(reply);
    const parts = [whole.subarray(0, Math.floor(whole.length * 0.6))];
    return { ...reply, parts, announcedBytes: whole.length, ending: 'cut' };
  },
  emptyAnswer: (reply) => (reply.stream ? { ...reply, parts: ['data: [DONE]\n\n'] } : jsonReply(200, {})),
  errorBody200: (_reply, { error }) => jsonReply(200, error ?? bodyForStatus(500)),
  errorInStream: (reply, behaviour) => {
    const error =
      behaviour.error ?? errorBody('The server had an error while processing your request.', 'server_error', null);
    if (!reply.stream) return jsonReply(200, error);
    const { before, at } = strike(reply, behaviour);
    return { ...reply, parts: [...before, at, `data: ${JSON.stringify(error)}\n\n`] };
  },
  html: (reply, { status = 502 }) => ({
    ...reply,
    status,
    headers: { 'content-type': 'text/html' },
    stream: false,
    parts: [
      `<html>\r\n<head><title>${status}</title></head>\r\n<body><center><h1>${status}</h1></center></body>\r\n</html>\r\n`,
    ],
  }),
  gzipBomb: (reply, { bombBytes = 64 * 1024 * 1024 }) => ({
    ...reply,
    headers: { ...reply.headers, 'content-encoding': 'gzip' },
    parts: [bomb(bombBytes)],
  }),
  crlf: (reply) => ({ ...reply, parts: reply.parts.map((part) => String(part).replaceAll('\n', '\r\n')) }),
  bom: (reply) => ({ ...reply, parts: [Buffer.from('\uFEFF'), ...reply.parts] }),
  comments: (reply) =>
    reply.stream ? { ...reply, parts: reply.parts.flatMap((part) => [': ping\n\n', part]) } : reply,
  splitUtf8: (reply) => ({ ...reply, parts: cutInsideCharacters(wire(reply)), paceMs: Math.max(2, reply.paceMs) }),
  // The text is already long.
  hugeLine: (reply) => reply,
};

/** Applies a reply's fault. `refuse` and `hang` never reply and are handled elsewhere. */
export function spoil(reply: SimulatedReply, behaviour: Behaviour): SimulatedReply {
  const { fault } = behaviour;
  return fault === undefined || fault === 'refuse' || fault === 'hang' ? reply : rules[fault](reply, behaviour);
}

const wire = (reply: SimulatedReply) => Buffer.concat(reply.parts.map((part) => Buffer.from(part)));
const bytesOf = (reply: SimulatedReply) => reply.parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
const finishEvent = (reply: SimulatedReply) => reply.parts.findIndex((part) => /"finish_reason":"/.test(String(part)));

/** The parts before the fault (the role and `faultAt` pieces of text), and the affected one. */
function strike(reply: SimulatedReply, behaviour: Behaviour): { before: SimulatedReply['parts']; at: string | Buffer } {
  if (!reply.stream) return { before: [], at: wire(reply) };
  const index = 1 + faultIndex(behaviour, finishEvent(reply) - 1);
  return { before: reply.parts.slice(0, index), at: reply.parts[index] ?? '' };
}

/** Cuts after the first byte of each multi-byte character. */
function cutInsideCharacters(bytes: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  let from = 0;
  for (let i = 0; i < bytes.length; i++) {
    if ((bytes[i] ?? 0) < 0xc0) continue;
    parts.push(bytes.subarray(from, i + 1));
    from = i + 1;
  }
  parts.push(bytes.subarray(from));
  return parts;
}

const bombs = new Map<number, Buffer>();

function bomb(bytes: number): Buffer {
  const packed = bombs.get(bytes) ?? gzipSync(Buffer.alloc(bytes, ' '));
  bombs.set(bytes, packed);
  return packed;
}
