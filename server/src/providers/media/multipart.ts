import { createHash } from 'node:crypto';
import type { Content } from '../operation.ts';

/** A form of texts. The boundary is a hash of them, so none of them can contain it. */
export function multipart(fields: Readonly<Record<string, string | number>>): Content {
  const pairs = Object.entries(fields).map(([name, value]) => [name, String(value)] as const);
  const boundary = createHash('sha256').update(JSON.stringify(pairs)).digest('hex').slice(0, 32);
  const parts = pairs.map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return {
    bytes: Buffer.from(`${parts.join('')}--${boundary}--\r\n`),
    contentType: `multipart/form-data; boundary=${boundary}`,
  };
}
