import type { FastifyRequest } from 'fastify';
import { isIP } from 'node:net';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { isSecure, isTrustedProxy } from '#http/client-ip.ts';

/** The WebAuthn relying party. */
export interface RelyingParty {
  /** Host that passkeys are bound to. */
  id: string;
  /** Origin that browsers report. */
  origin: string;
  name: string;
}

/**
 * The relying party for a request: the configured server address, else the request's host as a trusted proxy reports
 * it. Throws `passkey.elsewhere` when the request came to a host other than the configured one, `passkey.address` for
 * an IP address.
 */
export function relyingParty(request: FastifyRequest, { config, live }: Pick<Deps, 'config' | 'live'>): RelyingParty {
  const { ServerAddress: address, SystemName: name } = live.settings;
  const scheme = isSecure(request.raw, config.trustedProxies) ? 'https' : 'http';
  const requestUrl = URL.parse(`${scheme}://${hostOf(request, config.trustedProxies)}`);
  ensure(requestUrl, 'passkey.address');
  const site = address === '' ? requestUrl : new URL(address);
  ensure(site.host === requestUrl.host, 'passkey.elsewhere', { address: site.origin });
  // WebAuthn accepts host names only; an IPv6 address comes in brackets.
  ensure(isIP(site.hostname.replace(/^\[|\]$/g, '')) === 0, 'passkey.address');
  return { id: site.hostname, origin: site.origin, name };
}

function hostOf(request: FastifyRequest, trusted: Deps['config']['trustedProxies']): string {
  const forwarded = request.headers['x-forwarded-host'];
  const first = Array.isArray(forwarded) ? forwarded[0] : forwarded?.split(',')[0];
  return first && isTrustedProxy(request.raw, trusted) ? first.trim() : (request.headers.host ?? '');
}
