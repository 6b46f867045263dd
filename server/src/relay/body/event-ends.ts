import { Buffer } from 'node:buffer';

const NEWLINE = 0x0a;
const RETURN = 0x0d;
/** The end of an event is searched for within this distance. */
const MAX_SEARCH = 64 * 1024;

/** Index after the last blank line. Line ends are LF, CR or CRLF, even mixed. */
export function lastEventEnd(bytes: Buffer): number {
  const { length } = bytes;
  if (bytes[length - 1] === NEWLINE && bytes[length - 2] === NEWLINE) return length;
  let newline = bytes.lastIndexOf(NEWLINE);
  let carriage = bytes.lastIndexOf(RETURN);
  for (let at = Math.max(newline, carriage); at > 0; at = Math.max(newline, carriage)) {
    if (endsBlankLine(bytes, at)) return at + 1;
    if (length - at > MAX_SEARCH) break;
    if (at === newline) newline = bytes.lastIndexOf(NEWLINE, at - 1);
    else carriage = bytes.lastIndexOf(RETURN, at - 1);
  }
  return 0;
}

/** Whether the line end at `at` ends a blank line. */
function endsBlankLine(bytes: Buffer, at: number): boolean {
  const before = bytes[at - 1];
  if (bytes[at] === NEWLINE) return before === NEWLINE || (before === RETURN && isLineEnd(bytes[at - 2]));
  // After LF, a final CR may be half of the next line end.
  return before === RETURN || (before === NEWLINE && at + 1 < bytes.length && bytes[at + 1] !== NEWLINE);
}

export const isLineEnd = (code: number | undefined): boolean => code === NEWLINE || code === RETURN;

/** Splits bytes into events, with their blank lines. */
export function* eventsOf(bytes: Buffer): Generator<Buffer> {
  let start = 0;
  let line = 0;
  let newline = nextOf(bytes, NEWLINE, 0);
  let carriage = nextOf(bytes, RETURN, 0);
  while (newline < bytes.length || carriage < bytes.length) {
    const at = Math.min(newline, carriage);
    const next = at === carriage && newline === at + 1 ? at + 2 : at + 1;
    if (at === line && at > start) {
      yield bytes.subarray(start, next);
      start = next;
    }
    line = next;
    if (newline < next) newline = nextOf(bytes, NEWLINE, next);
    if (carriage < next) carriage = nextOf(bytes, RETURN, next);
  }
  if (start < bytes.length) yield bytes.subarray(start);
}

function nextOf(bytes: Buffer, byte: number, from: number): number {
  const at = bytes.indexOf(byte, from);
  return at < 0 ? bytes.length : at;
}

/** The line `data: [DONE]` at the start of a text, with a blank line, added if missing. */
export function doneEvent(text: string): Buffer {
  const [mark = '', ends = ''] = /^data: ?\[DONE\]([\r\n]{0,4})/.exec(text) ?? [];
  const line = mark.slice(0, mark.length - ends.length);
  const own = /^(?:(?:\r\n|\n|\r(?!\n)){2})/.exec(ends)?.[0];
  const isHalf = own === '\r\n\r' && ends === own;
  if (own !== undefined && !isHalf) return Buffer.from(line + own, 'latin1');
  return Buffer.from(line + (ends.startsWith('\r') ? '\r\n\r\n' : '\n\n'), 'latin1');
}
