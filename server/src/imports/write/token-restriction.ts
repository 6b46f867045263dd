import { tokenLimits, tokenStatus } from '@relay-hub/contract';
import type { ArrivingToken, TokenRestriction } from '#imports/read/read-tokens.ts';
import type { Report } from '../report.ts';

/** Columns of a token whose restriction becomes its limits here. A restriction that is not valid here disables it. */
export function restrictionColumns({ restriction, status }: Pick<ArrivingToken, 'restriction' | 'status'>): {
  limits: string | null;
  status: number;
} {
  if (!restriction) return { limits: null, status };
  const { success, data } = tokenLimits.safeParse(restriction);
  return success ? { limits: JSON.stringify(data), status } : { limits: null, status: tokenStatus.disabled };
}

/** Lists a restriction in the report. */
export function reportRestriction(report: Report, label: string, restriction: TokenRestriction): void {
  const { models, addresses } = restriction;
  const parts = [
    ...(models.length > 0 ? [`models ${models.join(', ')}`] : []),
    ...(addresses.length > 0 ? [`addresses ${addresses.join(', ')}`] : []),
  ];
  const text = `${label}: ${parts.join('; ').slice(0, 200)}`;
  if (tokenLimits.safeParse(restriction).success) report.remark('restriction', text);
  else report.remark('restriction_lost', text);
}
