import { logType, teamApi, tokenApi, type Log } from '@relay-hub/contract';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { apiQuery } from '#api/api-query.ts';
import { useSession } from '#api/session.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import type { FilterDef, FilterOption } from '#ui/table/filter.ts';
import { tokenName, type NamedChannel } from './log-api.ts';
import { tokenLabel, tokensIn } from '#screens/panel/log/search/suggest-filters.ts';

export const filterTexts = {
  time: 'time',
  log_type: 'type',
  model_name: 'model',
  token_id: 'token',
  token_name: 'tokenName',
  username: 'user',
  channel_id: 'channel',
  member_id: 'member',
  tag: 'costCentre',
  request_id: 'requestId',
  code: 'errorCode',
  status: 'statusCode',
  source_ip: 'ip',
  failed: 'outcome',
  losing: 'margin',
  stream: 'reply',
} as const;

/** The tokens of the rows, and the chosen one, which may have been renamed since. */
function useTokenOptions(rows: readonly Log[], chosen: number, admin: boolean): FilterOption[] {
  const { data: name } = useQuery({ ...tokenName(chosen, admin), enabled: chosen > 0 });
  return useMemo(() => {
    const names = new Map(tokensIn(rows).map(({ id, name: known }) => [id, known]));
    if (chosen > 0) names.set(chosen, name ?? names.get(chosen) ?? '');
    return [...names].map(([id, known]) => ({ value: id, label: tokenLabel({ id, name: known }) }));
  }, [rows, chosen, name]);
}

/** The members of a team that the viewer may tell apart. */
const memberNames = (team: number) =>
  queryOptions({
    ...apiQuery(teamApi.members, { params: { id: team } }),
    select: ({ members }) => members.map(({ user_id: value, username: label }) => ({ value, label })),
    staleTime: 60_000,
    meta: { quiet: true },
  });

/** Cost centres of the viewer's tokens. */
const costCentres = queryOptions({ ...apiQuery(tokenApi.tags), staleTime: 60_000, meta: { quiet: true } });

/** Members of the chosen team, for its leaders, and cost centres. */
function useHolderFilters(admin: boolean): FilterDef[] {
  const { t } = useTranslation('log');
  const { account } = useSession();
  const isLeader = account !== undefined && account.role !== 'member';
  const members = useQuery({ ...memberNames(account?.id ?? 0), enabled: isLeader }).data ?? none;
  const tags = useQuery({ ...costCentres, enabled: !admin }).data ?? none;
  return useMemo(
    () => [
      ...(members.length > 0
        ? [
            {
              kind: 'options' as const,
              id: 'member_id',
              label: t(filterTexts.member_id),
              pinned: true,
              options: members,
            },
          ]
        : []),
      ...(tags.length > 0
        ? [
            {
              kind: 'options' as const,
              id: 'tag',
              label: t(filterTexts.tag),
              options: tags.map((tag) => ({ value: tag, label: tag })),
            },
          ]
        : []),
    ],
    [t, members, tags],
  );
}

const none: never[] = [];

interface Known {
  rows: readonly Log[];
  channels: readonly NamedChannel[];
  /** The token that is filtered by; 0: none. */
  token: number;
}

/** Filters of the log; only administrators can filter by user. */
export function useLogFilters(admin: boolean, { rows, channels, token }: Known): FilterDef[] {
  const { t } = useTranslation('log');
  const tokens = useTokenOptions(rows, token, admin);
  const holders = useHolderFilters(admin);
  return useMemo(() => {
    const text = (id: 'model_name' | 'token_name' | 'username' | 'request_id' | 'source_ip' | 'code'): FilterDef => ({
      kind: 'text',
      id,
      label: t(filterTexts[id]),
    });
    const types = [
      { value: logType.consume, label: t('consume') },
      { value: logType.refused, label: t('refused') },
      { value: logType.topup, label: t('topup') },
      { value: logType.manage, label: t('manage') },
      { value: logType.system, label: t('system') },
    ];
    const forAdmins: FilterDef[] = [
      text('username'),
      {
        kind: 'options',
        id: 'channel_id',
        label: t('channel'),
        options: channels.map(({ id, name }) => ({ value: id, label: name })),
      },
      text('source_ip'),
      { kind: 'options', id: 'losing', label: t('margin'), options: [{ value: 1, label: t('losing') }] },
    ];
    return [
      { kind: 'range', id: 'time', label: t('time'), pinned: true },
      { kind: 'options', id: 'log_type', label: t('type'), pinned: true, options: types },
      { kind: 'options', id: 'failed', label: t('outcome'), pinned: true, options: [{ value: 1, label: t('failed') }] },
      text('model_name'),
      { kind: 'options', id: 'token_id', label: t('token'), options: tokens },
      text('token_name'),
      ...holders,
      ...(admin ? forAdmins : []),
      text('request_id'),
      {
        kind: 'options',
        id: 'status',
        label: t('statusCode'),
        options: [400, 401, 402, 403, 404, 429, 503].map((value) => ({ value, label: String(value) })),
      },
      text('code'),
      {
        kind: 'options',
        id: 'stream',
        label: t('reply'),
        options: [
          { value: 1, label: t('stream') },
          { value: 2, label: t('notStream') },
        ],
      },
    ];
  }, [t, admin, channels, tokens, holders]);
}
