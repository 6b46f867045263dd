import { crc32 } from 'node:zlib';

/** A message of Amazon's event stream. */
export function eventFrame(headers: Readonly<Record<string, string>>, payload: unknown): Buffer {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => headerBytes(name, value)));
  return rawFrame(head, Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload)));
}

/** Like `eventFrame`, with encoded headers. */
export function rawFrame(head: Buffer, body: Buffer): Buffer {
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(12 + head.length + body.length + 4, 0);
  prelude.writeUInt32BE(head.length, 4);
  const message = Buffer.concat([prelude, checksum(prelude), head, body]);
  return Buffer.concat([message, checksum(message)]);
}

export const modelEvent = (type: string, payload: unknown): Buffer =>
  eventFrame({ ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' }, payload);

function headerBytes(name: string, value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value));
  return Buffer.concat([
    Buffer.from([Buffer.byteLength(name)]),
    Buffer.from(name),
    Buffer.from([7]),
    length,
    Buffer.from(value),
  ]);
}

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return sum;
}
