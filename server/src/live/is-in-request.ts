import type { Buffer } from 'node:buffer';

const LARGEST_READ = 4 * 1024 * 1024;

/**
 * Whether a request contains a text, in any escaping: upstreams may echo the request. A request too large to be read
 * again counts as containing it.
 */
export function isInRequest(asked: Buffer | undefined, text: string): boolean {
  if (asked === undefined || asked.length === 0) return false;
  if (asked.includes(text) || asked.length > LARGEST_READ) return true;
  try {
    return JSON.stringify(JSON.parse(asked.toString('utf8'))).includes(JSON.stringify(text).slice(1, -1));
  } catch {
    return false;
  }
}
