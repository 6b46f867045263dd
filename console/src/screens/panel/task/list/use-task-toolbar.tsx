import { finalTaskStatuses, type TaskTotals } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { filterToolbar } from '#list/list-filters.ts';
import { useIsPhone } from '#ui/basic/use-media.ts';
import type { FilterDef } from '#ui/table/filter.ts';
import type { ToolbarProps } from '#ui/table/toolbar.tsx';
import { channelNames, countTasks } from '#screens/panel/task/task-calls.ts';
import { imageActions, openStatuses } from '#screens/panel/task/task-look.ts';
import { noTaskFilters, type TaskFilters } from '#screens/panel/task/task-defaults.ts';
import { otherPlatforms, type TaskReader } from '#screens/panel/task/task-search.ts';
import { Money } from '#ui/format/money.tsx';
import { formatWhole } from '#ui/format/number.ts';
import { TextWithElements } from '#ui/format/text-with-elements.tsx';

interface Options {
  filters: TaskFilters;
  reader: TaskReader;
  totals: TaskTotals | undefined;
  /** The list has been loaded; the names of channels follow. */
  loaded: boolean;
  onChange: (filters: TaskFilters) => void;
}

const noChannels: { id: number; name: string }[] = [];
const otherActions = ['MUSIC', 'LYRICS', 'CONCAT'] as const;

export function useTaskToolbar({ filters: search, reader, totals, loaded, onChange }: Options): ToolbarProps {
  const { t } = useTranslation('task');
  const phone = useIsPhone();
  const { admin, kind } = reader;
  const channels = useQuery({ ...channelNames, enabled: admin && loaded }).data ?? noChannels;
  const filters = useMemo((): FilterDef[] => {
    const platform: FilterDef = {
      kind: 'options',
      id: 'platform',
      label: t('platform'),
      pinned: true,
      options: otherPlatforms.map((value) => ({ value, label: t(`platforms.${value}`) })),
    };
    const actions = kind === 'image' ? imageActions : otherActions;
    const forAdmins: FilterDef[] = [
      { kind: 'text', id: 'username', label: t('user') },
      {
        kind: 'options',
        id: 'channel_id',
        label: t('channel'),
        options: channels.map(({ id, name }) => ({ value: id, label: name })),
      },
    ];
    return [
      { kind: 'range', id: 'time', label: t('time'), pinned: true },
      ...(kind === 'image' ? [] : [platform]),
      {
        kind: 'options',
        id: 'action',
        label: t('kind'),
        pinned: true,
        options: actions.map((value) => ({ value, label: t(`actions.${value}`) })),
      },
      {
        kind: 'options',
        id: 'status',
        label: t('status'),
        pinned: true,
        options: [
          { value: openStatuses, label: t('statuses.open') },
          ...finalTaskStatuses.map((value) => ({ value, label: t(`statuses.${value}`) })),
        ],
      },
      ...(admin ? forAdmins : []),
    ];
  }, [t, admin, kind, channels]);
  return {
    ...filterToolbar({
      none: noTaskFilters,
      search,
      field: 'keyword',
      placeholder: t('find'),
      filters,
      onChange,
      count: (next) => countTasks(next, reader),
    }),
    aside: totals && totals.count > 0 && <TaskSums totals={totals} short={phone} />,
  };
}

/** Number of the tasks found, their charge, and, where there is room, what was returned. */
function TaskSums({ totals, short }: { totals: TaskTotals; short: boolean }) {
  const { t } = useTranslation('task');
  const { count, quota, refunded_count: refunds, refunded_quota: returned } = totals;
  return (
    <span className="whitespace-nowrap">
      <TextWithElements
        text={t('sums', { count, total: formatWhole(count) })}
        parts={{ cost: <Money credits={quota} className="font-title text-text" /> }}
      />
      {refunds > 0 && !short && (
        <>
          {' · '}
          <TextWithElements
            text={t('sumsRefunded', { count: refunds, total: formatWhole(refunds) })}
            parts={{ amount: <Money credits={returned} /> }}
          />
        </>
      )}
    </span>
  );
}
