import type { BlockList } from 'node:net';
import { AppError } from '#errors.ts';
import { isIn } from '#networks.ts';
import type { Settings } from '#settings.ts';
import { isNeverReached, isPublic } from './outbound-address.ts';

/** Whether this server may connect to an IP address: yes, after a super administrator allows it, or never. */
type Verdict = 'allowed' | 'allowable' | 'never';

/** Decides about the addresses of one kind of destination. */
export type Reach = (ip: string) => Verdict;

/** Meaning of `OUTBOUND_PRIVATE` for private networks: a setting decides, none, all, or at most those in the list. */
export type PrivateLimit = 'setting' | 'refuse' | 'allow' | BlockList;

/** Inputs of the decision; settings are read each time. */
export interface Rules {
  config: { readonly outboundPrivate: PrivateLimit };
  live: { readonly settings: Pick<Settings, 'OutboundPrivateNetworks' | 'ChatImagePrivateNetworks'> };
}

/** For destinations that operators enter: channels, proxies, services in the settings, the mail server. */
export const operatorReach =
  ({ config, live }: Rules): Reach =>
  (ip) =>
    verdictOf(ip, config.outboundPrivate, live.settings.OutboundPrivateNetworks);

/**
 * For URLs that callers send, as images in a chat. Networks allowed for operators stay closed to callers, with
 * `OUTBOUND_PRIVATE=allow` too.
 */
export const callerReach =
  ({ config, live }: Rules): Reach =>
  (ip) =>
    verdictOf(
      ip,
      config.outboundPrivate === 'allow' ? 'setting' : config.outboundPrivate,
      live.settings.ChatImagePrivateNetworks,
    );

function verdictOf(ip: string, limit: PrivateLimit, allowed: BlockList): Verdict {
  if (isNeverReached(ip)) return 'never';
  if (isPublic(ip) || limit === 'allow') return 'allowed';
  if (!isWithin(ip, limit)) return 'never';
  return isIn(allowed, ip) ? 'allowed' : 'allowable';
}

/** Whether the setting may allow a private address. */
export const isWithin = (ip: string, limit: PrivateLimit): boolean =>
  typeof limit === 'string' ? limit !== 'refuse' : isIn(limit, ip);

const notAllowed = 'the address is in a private network that is not allowed';

/** A host that must not be connected to. */
export class PrivateAddress extends Error {
  readonly code = 'ERR_PRIVATE_ADDRESS';
  readonly verdict: Exclude<Verdict, 'allowed'>;
  readonly host: string;

  constructor(verdict: PrivateAddress['verdict'], host: string) {
    super(notAllowed);
    this.verdict = verdict;
    this.host = host;
  }
}

/** The error for the user: `outbound.private` if a super administrator can allow the host, else `outbound.never`. */
export const privateRefusal = ({ verdict, host }: Pick<PrivateAddress, 'verdict' | 'host'>, field?: string): AppError =>
  new AppError(verdict === 'never' ? 'outbound.never' : 'outbound.private', { field, host, reason: notAllowed });

/** The refused connection that caused an error. */
export function privateAddressIn(error: unknown): PrivateAddress | undefined {
  if (error instanceof PrivateAddress) return error;
  return error instanceof Error && error.cause !== undefined ? privateAddressIn(error.cause) : undefined;
}

/** The verdict on a host with several addresses: one refused address makes all suspect. */
export function worst(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes('never')) return 'never';
  return verdicts.includes('allowable') ? 'allowable' : 'allowed';
}
