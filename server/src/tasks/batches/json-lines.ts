import { Buffer } from 'node:buffer';
import type { Readable } from 'node:stream';

/** A document, or a line of it, is larger than allowed. */
export class TooLarge extends Error {}

const NEWLINE = 0x0a;

/** Lines of a document as they arrive, without empty ones. Rejects with `TooLarge`; destroys the stream at its end. */
export async function* linesOf(
  body: Readable,
  { maxBytes, maxLine }: { maxBytes: number; maxLine: number },
): AsyncGenerator<string> {
  let rest: Buffer[] = [];
  let held = 0;
  let size = 0;
  try {
    for await (const chunk of body) {
      const bytes = chunk as Buffer; // a stream of bytes
      size += bytes.length;
      if (size > maxBytes) throw new TooLarge(`the document has more than ${maxBytes} bytes`);
      let start = 0;
      for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
        const line = Buffer.concat([...rest, bytes.subarray(start, end)]).toString('utf8');
        rest = [];
        held = 0;
        start = end + 1;
        if (line.trim() !== '') yield line;
      }
      if (start < bytes.length) rest.push(bytes.subarray(start));
      held += bytes.length - start;
      if (held > maxLine) throw new TooLarge(`a line has more than ${maxLine} bytes`);
    }
    const line = Buffer.concat(rest).toString('utf8');
    if (line.trim() !== '') yield line;
  } finally {
    body.destroy();
  }
}
