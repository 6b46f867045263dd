import type { Log, LogMetadata } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';

const reasons = [
  'account_disabled',
  'member_gone',
  'account_moving',
  'token_disabled',
  'token_expired',
  'key_replaced',
  'insufficient_user_quota',
  'insufficient_token_quota',
  'model_not_priced',
  'model_not_found',
  'no_available_channel',
  'rate_limit_exceeded',
  'token_rate',
  'token_concurrency',
  'token_budget',
  'account_budget',
  'member_budget',
  'cost_centre_budget',
  'plan_budget',
  'channel_limit',
  'model_forbidden',
  'provider_forbidden',
  'model_off',
  'endpoint_forbidden',
  'address_forbidden',
  'address_blocked',
  'guard_refused',
  'guard_unavailable',
  'group_forbidden',
  'channel_forbidden',
  'channel_required',
  'invalid_request',
  'model_name_required',
  'request_too_large',
  'unknown_url',
  'method_not_allowed',
  'api_disabled',
  'maintenance',
  'storage_full',
  'database_unavailable',
  'server_stopping',
  'internal_error',
] as const;

const statuses = [400, 401, 402, 403, 404, 429, 503] as const;

export type Refused = NonNullable<LogMetadata['refusal']>;

/** The refusal of a log row; undefined for other rows. */
export const refusalOf = ({ metadata }: Pick<Log, 'metadata'>): Refused | undefined => metadata?.refusal;

/** Short reasons of refusals: "402 balance too low", or without the status. */
export function useRefusalText() {
  const { t } = useTranslation('refusal');
  const named = (name: string | undefined, httpStatus: number | undefined): string => {
    const known = reasons.find((each) => each === name);
    const status = statuses.find((each) => each === httpStatus);
    return known ? t(`reason.${known}`) : t(status ? `other.s${status}` : 'other.any');
  };
  const reason = ({ metadata }: Pick<Log, 'metadata'>): string => named(metadata?.refusal?.reason, metadata?.status);
  const withStatus = (row: Pick<Log, 'metadata'>): string => `${row.metadata?.status ?? ''} ${reason(row)}`.trim();
  return { named, reason, withStatus };
}
