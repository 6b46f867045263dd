/** An address that a link of a model may lead to; undefined for scripts, data and addresses of this site. */
export function linkAddress(address: string | undefined): string | undefined {
  if (address === undefined || !URL.canParse(address)) return undefined;
  const { protocol, href } = new URL(address);
  return ['https:', 'http:', 'mailto:'].includes(protocol) ? href : undefined;
}

/** An image that can be shown without a request to another host; undefined for all others. */
export const imageAddress = (address: string | undefined): string | undefined =>
  address !== undefined && /^data:image\/(?:png|jpeg|webp|gif);base64,[\w+/=]+$/.test(address) ? address : undefined;
