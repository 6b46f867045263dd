import type { Log, ModelOwner, UserGroup } from '@relay-hub/contract';
import type { Translate } from '#i18n/t.ts';
import { useMemo } from 'react';
import { ListTime } from '#ui/format/list-time.tsx';
import { useTranslation } from '#i18n/use-translation.ts';
import { useModelOwners } from '#api/model-owners.ts';
import { useUserGroups } from '#api/user-groups.ts';
import { MiddleCut } from '#ui/basic/middle-cut.tsx';
import type { Column } from '#ui/table/table-column.ts';
import { useMedia } from '#ui/basic/use-media.ts';
import { useTokenName } from '#domain/token/use-token-name.ts';
import { Cost, Duration, InputCell, OutputCell, SpeedCell } from './log-cells.tsx';
import { LogModel, LogResult } from './log-model.tsx';
import { saysWhy } from './log-row.ts';

interface Given {
  t: Translate<'log'>;
  admin: boolean;
  /** All rows are from one day, so times need no date. */
  oneDay: boolean;
  ownerOf: (model: string) => ModelOwner | undefined;
  groups: Record<string, UserGroup>;
  tokenName: (name: string) => string;
}

/** Which rows the filters leave: columns that would be empty are hidden. */
type Only = 'refused' | 'failed' | undefined;

/** Refused calls have no channel and no duration, and like failed ones no tokens. */
export function useLogColumns(admin: boolean, oneDay: boolean, only: Only): Column<Log>[] {
  const { t } = useTranslation('log');
  const ownerOf = useModelOwners();
  const groups = useUserGroups();
  const tokenName = useTokenName();
  const tight = useMedia('(width < 1560px)');
  return useMemo(() => {
    const about = subject({ t, admin, oneDay, ownerOf, groups, tokenName });
    const result = resultColumn(t, only !== undefined);
    if (only === 'refused') return [...about.filter(({ id }) => id !== 'channel_id'), result, ...origin(t, true)];
    const all = measures(t, tight);
    const shown = only ? all.filter(({ yields }) => !yields) : all;
    return [...about, ...shown.slice(0, 1), result, ...shown.slice(1), ...origin(t, false)];
  }, [t, admin, oneDay, tight, only, ownerOf, groups, tokenName]);
}

/** Nothing for a call that went well; the reason of a failure takes the room of the tokens, which it has not. */
const resultColumn = (t: Translate<'log'>, wide: boolean): Column<Log> => ({
  id: 'type',
  head: t('result'),
  width: wide ? undefined : 96,
  least: 240,
  sortable: true,
  spans: saysWhy,
  cell: (row) => <LogResult row={row} />,
});

function subject({ t, admin, oneDay, ownerOf, groups, tokenName }: Given): Column<Log>[] {
  return [
    {
      id: 'created_at',
      head: t('time'),
      width: oneDay ? 88 : 118,
      sortable: true,
      descFirst: true,
      hideable: false,
      cell: (row) => <ListTime at={row.created_at} />,
    },
    {
      id: 'model_name',
      head: t('model'),
      least: 240,
      sortable: true,
      hideable: false,
      cell: (row) => <LogModel row={row} owner={ownerOf(row.model_name)} />,
    },
    ...(admin
      ? [
          {
            id: 'channel_id',
            head: t('channel'),
            width: 172,
            sortable: true,
            cell: (row: Log) => <MiddleCut text={channelOf(row)} tail={5} className="align-middle text-text2" />,
          },
        ]
      : []),
    {
      id: 'token_name',
      head: admin ? t('userToken') : t('token'),
      width: admin ? 144 : 200,
      sortable: true,
      cell: (row) => (
        <>
          {admin && row.username} <span className={admin ? 'text-text3' : ''}>{tokenName(row.token_name)}</span>
        </>
      ),
    },
    {
      id: 'group',
      head: t('group'),
      width: 110,
      hidden: true,
      cell: ({ metadata }) => metadata?.group_name && (groups[metadata.group_name]?.name ?? metadata.group_name),
    },
  ];
}

function measures(t: Translate<'log'>, tight: boolean): Column<Log>[] {
  return [
    {
      id: 'request_time',
      head: t('duration'),
      width: 104,
      align: 'right',
      sortable: true,
      descFirst: true,
      cell: (row) => <Duration row={row} />,
    },
    {
      id: 'speed',
      head: t('speed'),
      width: 68,
      align: 'right',
      hidden: tight,
      yields: true,
      cell: (row) => <SpeedCell row={row} />,
    },
    { id: 'input', head: t('input'), width: 84, align: 'right', yields: true, cell: (row) => <InputCell row={row} /> },
    {
      id: 'output',
      head: t('output'),
      width: 64,
      align: 'right',
      yields: true,
      cell: (row) => <OutputCell row={row} />,
    },
    {
      id: 'quota',
      head: t('cost'),
      width: 100,
      align: 'right',
      sortable: true,
      descFirst: true,
      cell: (row) => <Cost row={row} />,
    },
  ];
}

function origin(t: Translate<'log'>, shown: boolean): Column<Log>[] {
  return [
    { id: 'source_ip', head: t('ip'), width: 150, hidden: !shown, sortable: true, cell: (row) => row.source_ip },
    {
      id: 'request_id',
      head: t('requestId'),
      width: 270,
      hidden: true,
      cell: (row) => <span className="font-mono text-12">{row.request_id}</span>,
    },
  ];
}

const channelOf = ({ channel, channel_id: id }: Log): string => channel?.name ?? (id > 0 ? `#${id}` : '');
