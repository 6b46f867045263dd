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
import { Cost, Duration, InputCell, LogType, OutputCell, SpeedCell } from './log-cells.tsx';
import { LogModel } from './log-model.tsx';

interface Given {
  t: Translate<'log'>;
  admin: boolean;
  /** All rows are from one day, so times need no date. */
  oneDay: boolean;
  /** Narrow columns for names. */
  tight: boolean;
  ownerOf: (model: string) => ModelOwner | undefined;
  groups: Record<string, UserGroup>;
}

/** `onlyRefused`: hides columns of channels and measurements. */
export function useLogColumns(admin: boolean, oneDay: boolean, onlyRefused: boolean): Column<Log>[] {
  const { t } = useTranslation('log');
  const ownerOf = useModelOwners();
  const groups = useUserGroups();
  const tight = useMedia('(width < 1360px)');
  return useMemo(() => {
    const about = subject({ t, admin, oneDay, tight: tight && !onlyRefused, ownerOf, groups });
    return onlyRefused
      ? [...about.filter(({ id }) => id !== 'channel_id'), ...origin(t, true)]
      : [...about, ...measures(t, tight), ...origin(t, false)];
  }, [t, admin, oneDay, tight, onlyRefused, ownerOf, groups]);
}

function subject({ t, admin, oneDay, tight, ownerOf, groups }: Given): Column<Log>[] {
  const names = tight ? 112 : oneDay ? 152 : 136;
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
    { id: 'type', head: t('type'), width: 90, sortable: true, cell: (row) => <LogType row={row} /> },
    {
      id: 'model_name',
      head: t('model'),
      sortable: true,
      hideable: false,
      cell: (row) => <LogModel row={row} owner={ownerOf(row.model_name)} />,
    },
    ...(admin
      ? [
          {
            id: 'channel_id',
            head: t('channel'),
            width: names,
            sortable: true,
            cell: (row: Log) => <MiddleCut text={channelOf(row)} tail={5} className="align-middle text-text2" />,
          },
        ]
      : []),
    {
      id: 'token_name',
      head: admin ? t('userToken') : t('token'),
      width: admin ? names : 200,
      sortable: true,
      cell: (row) => (
        <>
          {admin && row.username} <span className={admin ? 'text-text3' : ''}>{row.token_name}</span>
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
      width: 108,
      align: 'right',
      sortable: true,
      descFirst: true,
      cell: (row) => <Duration row={row} />,
    },
    { id: 'speed', head: t('speed'), width: 68, align: 'right', hidden: tight, cell: (row) => <SpeedCell row={row} /> },
    { id: 'input', head: t('input'), width: 84, align: 'right', cell: (row) => <InputCell row={row} /> },
    { id: 'output', head: t('output'), width: 64, align: 'right', cell: (row) => <OutputCell row={row} /> },
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
