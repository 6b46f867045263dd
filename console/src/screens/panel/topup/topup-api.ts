import { ledgerApi, type LedgerKind, registerApi } from '@relay-hub/contract';
import { apiQuery } from '#api/api-query.ts';

/** Whatever moves a balance but calls. */
export const creditKinds = [
  'topup',
  'redemption',
  'gift',
  'reward',
  'refund',
  'correction',
] as const satisfies LedgerKind[];

export const recentCount = 5;

/** The newest movements of the own balance that are no calls. */
export const recentQuery = {
  ...apiQuery(ledgerApi.ownList, { query: { kind: creditKinds.join(','), size: recentCount } }),
  meta: { quiet: true },
};

/** The own invitation code, and what it gave. */
export const invitationsQuery = { ...apiQuery(registerApi.invitations), meta: { quiet: true } };
