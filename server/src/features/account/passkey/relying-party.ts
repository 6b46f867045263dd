import type { FastifyRequest } from 'fastify';
import { isIP } from 'node:net';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { requestOrigin } from '#http/site-address.ts';

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
  const requestUrl = URL.parse(requestOrigin(request.raw, config.trustedProxies));
  ensure(requestUrl, 'passkey.address');
  const site = address === '' ? requestUrl : new URL(address);
  ensure(site.host === requestUrl.host, 'passkey.elsewhere', { address: site.origin });
  // WebAuthn accepts host names only; an IPv6 address comes in brackets.
  ensure(isIP(site.hostname.replace(/^\[|\]$/g, '')) === 0, 'passkey.address');
  return { id: site.hostname, origin: site.origin, name };
}
