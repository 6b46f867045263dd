import { teamApi, type AccountLimits, type SubjectLimits } from '@relay-hub/contract';
import type { QueryClient } from '@tanstack/react-query';
import { apiQuery, refresh } from '#api/api-query.ts';

export interface TeamSearch {
  /** The team on screen; 0: the chosen account, else the first. */
  team: number;
  /** Text of an invitation's link. */
  invite: string;
}

export const teamsQuery = apiQuery(teamApi.list);
export const membersQuery = (id: number) => apiQuery(teamApi.members, { params: { id } });
export const invitesQuery = (id: number) => apiQuery(teamApi.invites, { params: { id } });
export const limitsQuery = (id: number) => apiQuery(teamApi.limits, { params: { id } });

/** The newest changes, of which `size` are read. */
export const auditQuery = (id: number, size: number) => apiQuery(teamApi.audit, { params: { id }, query: { size } });

export const refreshTeams = (client: QueryClient): Promise<void> =>
  refresh(client, teamApi.list, teamApi.members, teamApi.invites, teamApi.limits, teamApi.audit);

/** The budget of a month in credits, and its use; null: no limit. */
export function monthOf({ use }: Pick<AccountLimits, 'use'>): { amount: number; used: number } | null {
  const found = use.find(({ measure, period }) => measure === 'credits' && period === 'month');
  return found?.amount == null ? null : { amount: found.amount, used: found.used };
}

/** The same limits with another budget of a month. */
export function withMonth(limits: SubjectLimits | null, amount: number | null): SubjectLimits {
  const before = limits ?? { caps: [], reset: 'calendar' as const, time_zone: 'UTC', anchor: 0 };
  const others = before.caps.filter(({ measure, period }) => measure !== 'credits' || period !== 'month');
  return { ...before, caps: amount === null ? others : [...others, { measure: 'credits', period: 'month', amount }] };
}
