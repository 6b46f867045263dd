import type { IncomingMessage } from 'node:http';
import type { BlockList } from 'node:net';
import type { BaseDeps } from '#base-deps.ts';
import { isSecure, isTrustedProxy } from './client-ip.ts';

/**
 * The address of this server with its base path and without a trailing slash: as in the settings, or as the requester
 * knows it. Empty if neither is known.
 */
export function siteAddress({ config, live }: Pick<BaseDeps, 'config' | 'live'>, request?: IncomingMessage): string {
  if (live.settings.ServerAddress !== '' || !request) return live.settings.ServerAddress;
  return requestOrigin(request, config.trustedProxies) + config.basePath;
}

/** The origin that the requester called: scheme and host as a trusted proxy reports them, else as received. */
export const requestOrigin = (request: IncomingMessage, trusted: BlockList): string =>
  `${isSecure(request, trusted) ? 'https' : 'http'}://${requestHost(request, trusted)}`;

/** Host and port that the requester called: as a trusted proxy reports them, else the Host header. */
export function requestHost(request: IncomingMessage, trusted: BlockList): string {
  const { host = '' } = request.headers;
  if (!isTrustedProxy(request, trusted)) return host;
  const name = forwarded(request, 'x-forwarded-host') || host;
  const port = forwarded(request, 'x-forwarded-port');
  const isDefault = port === '80' || port === '443';
  return isDefault || !/^\d{1,5}$/.test(port) || /:\d+$/.test(name) ? name : `${name}:${port}`;
}

/** The first value of a forwarding header, as the proxy nearest to the client wrote it. */
function forwarded({ headers }: IncomingMessage, name: string): string {
  const value = headers[name];
  return ((Array.isArray(value) ? value[0] : value?.split(',')[0]) ?? '').trim();
}
