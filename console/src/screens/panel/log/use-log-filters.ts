import { logType } from '@relay-hub/contract';
import { useMemo } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import type { FilterDef } from '#ui/table/filter.ts';
import type { NamedChannel } from './log-api.ts';

export const filterTexts = {
  time: 'time',
  log_type: 'type',
  model_name: 'model',
  token_name: 'token',
  username: 'user',
  channel_id: 'channel',
  request_id: 'requestId',
  code: 'errorCode',
  status: 'statusCode',
  source_ip: 'ip',
  failed: 'outcome',
  stream: 'reply',
} as const;

/** Filters of the log; only administrators can filter by user. */
export function useLogFilters(admin: boolean, channels: readonly NamedChannel[]): FilterDef[] {
  const { t } = useTranslation('log');
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
    ];
    return [
      { kind: 'range', id: 'time', label: t('time'), pinned: true },
      { kind: 'options', id: 'log_type', label: t('type'), pinned: true, options: types },
      { kind: 'options', id: 'failed', label: t('outcome'), pinned: true, options: [{ value: 1, label: t('failed') }] },
      text('model_name'),
      text('token_name'),
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
  }, [t, admin, channels]);
}
