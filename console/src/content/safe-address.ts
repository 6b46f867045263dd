import { atBase } from '#base-path.ts';

/**
 * An address with a safe scheme (http, https, mailto), or one of this hub, whose path is below the base path; undefined
 * for others, e.g. `javascript:`.
 */
export function safeAddress(address: string): string | undefined {
  if (/^\/(?![/\\])/.test(address)) return atBase(address);
  if (!URL.canParse(address)) return undefined;
  return ['http:', 'https:', 'mailto:'].includes(new URL(address).protocol) ? address : undefined;
}
