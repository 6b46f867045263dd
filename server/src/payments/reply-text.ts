import { masked } from '#secrets.ts';
import { GatewayError, type GatewayResponse } from './gateway.ts';

/**
 * The body of a gateway's reply as text. Throws `GatewayError`: `unknown` for server errors and web pages, which may
 * come from a proxy behind which the request was carried out; `refused` for redirects and client errors.
 */
export function replyText(response: GatewayResponse): string {
  const { status, body } = response;
  if (status >= 500) throw new GatewayError('unknown', `the gateway answered with HTTP ${status}`, String(status));
  if (status >= 300 && status < 400) {
    throw new GatewayError('refused', 'the gateway answered with a redirect: check scheme and host', String(status));
  }
  const text = body
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trim();
  if (/^<(?:!doctype|html|head|body|script|meta|br|b>)/i.test(text)) {
    throw new GatewayError('unknown', 'the gateway answered with a web page: the address is probably not the API’s');
  }
  if (status >= 400) throw new GatewayError('refused', `the gateway answered with HTTP ${status}`, String(status));
  return text;
}

/** Splits a link into address and parameters, because a GET form replaces the query of its address. */
export function linkParts(link: string): { url: string; params: Record<string, string> } {
  const url = new URL(link);
  const params = Object.fromEntries(url.searchParams);
  url.search = '';
  return { url: url.href, params };
}

/** A gateway's message for logs and the operator: one line, short, without the secrets. */
export const shortReason = (text: string, ...secrets: string[]): string =>
  masked(text, ...secrets)
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 200);

/** Cuts a text at a length in bytes of UTF-8, between characters. */
export function cutBytes(text: string, most: number): string {
  let size = 0;
  let cut = '';
  for (const character of text.toWellFormed()) {
    size += Buffer.byteLength(character);
    if (size > most) break;
    cut += character;
  }
  return cut;
}
