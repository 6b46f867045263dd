/** An address with a safe scheme (http, https, mailto) or of this site; undefined for others, e.g. `javascript:`. */
export function safeAddress(address: string): string | undefined {
  if (/^\/(?![/\\])/.test(address)) return address;
  if (!URL.canParse(address)) return undefined;
  return ['http:', 'https:', 'mailto:'].includes(new URL(address).protocol) ? address : undefined;
}
