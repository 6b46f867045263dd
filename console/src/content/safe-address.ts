/** An address that only leads somewhere: http, https, mail, or a page of this site. Undefined for any other. */
export function safeAddress(address: string): string | undefined {
  if (/^\/(?![/\\])/.test(address)) return address;
  if (!URL.canParse(address)) return undefined;
  return ['http:', 'https:', 'mailto:'].includes(new URL(address).protocol) ? address : undefined;
}
