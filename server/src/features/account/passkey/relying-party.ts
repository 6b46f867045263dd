import type { FastifyRequest } from 'fastify';
import { isIP } from 'node:net';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { isSecure, isTrustedProxy } from '#http/client-ip.ts';

/** The site as passkeys know it. */
export interface RelyingParty {
  /** The host that passkeys are bound to. */
  id: string;
  /** What a browser says that it is at. */
  origin: string;
  name: string;
}

/**
 * The site that a request came to: the server address where one is set, else the host of the request, as a trusted proxy
 * tells it. Throws `passkey.elsewhere` for a request to another host than the one set, `passkey.address` for an IP address.
 */
export function relyingParty(request: FastifyRequest, { config, live }: Pick<Deps, 'config' | 'live'>): RelyingParty {
  const { ServerAddress: address, SystemName: name } = live.settings;
  const scheme = isSecure(request.raw, config.trustedProxies) ? 'https' : 'http';
  const asked = URL.parse(`${scheme}://${hostOf(request, config.trustedProxies)}`);
  ensure(asked, 'passkey.address');
  const site = address === '' ? asked : new URL(address);
  ensure(site.host === asked.host, 'passkey.elsewhere', { address: site.origin });
  // WebAuthn knows names only; an IPv6 address stands in brackets.
  ensure(isIP(site.hostname.replace(/^\[|\]$/g, '')) === 0, 'passkey.address');
  return { id: site.hostname, origin: site.origin, name };
}

function hostOf(request: FastifyRequest, trusted: Deps['config']['trustedProxies']): string {
  const forwarded = request.headers['x-forwarded-host'];
  const told = Array.isArray(forwarded) ? forwarded[0] : forwarded?.split(',')[0];
  return told && isTrustedProxy(request.raw, trusted) ? told.trim() : (request.headers.host ?? '');
}
