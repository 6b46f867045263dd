import { ledgerApi, registerApi } from '@relay-hub/contract';
import { apiQuery } from '#api/api-query.ts';
import { movementKinds } from '#domain/ledger/movement-kinds.ts';

export const recentCount = 5;

/** The newest entries of the own balance other than calls. */
export const recentQuery = {
  ...apiQuery(ledgerApi.ownList, { query: { kind: movementKinds, size: recentCount } }),
  meta: { quiet: true },
};

/** The own invitation code with its rewards. */
export const invitationsQuery = { ...apiQuery(registerApi.invitations), meta: { quiet: true } };
