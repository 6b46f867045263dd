import type { IncomingMessage } from 'node:http';
import type { BaseDeps } from '#base-deps.ts';
import { isSecure } from './client-ip.ts';

/**
 * The address of this server without a trailing slash: as in the settings, or as the requester knows it. Empty if
 * neither is known.
 */
export function siteAddress({ config, live }: Pick<BaseDeps, 'config' | 'live'>, request?: IncomingMessage): string {
  if (live.settings.ServerAddress !== '' || !request) return live.settings.ServerAddress;
  const scheme = isSecure(request, config.trustedProxies) ? 'https' : 'http';
  return `${scheme}://${request.headers.host ?? ''}`;
}
