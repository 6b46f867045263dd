import type { UsageReport } from '@relay-hub/contract';
import { CalendarDays, ChevronDown, Download } from 'lucide-react';
import { lazy, Suspense, useMemo, useRef, useState, type ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { languageTag } from '#i18n/i18n.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { allChannelsQuery } from '#api/all-channels.ts';
import { Button, IconButton } from '#ui/basic/button.tsx';
import { customRange, type FilterDef } from '#ui/table/filter.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { formatDates } from '#ui/format/time.ts';
import { Segmented } from '#ui/form/segmented.tsx';
import { Select } from '#ui/form/select.tsx';
import { Toolbar } from '#ui/table/toolbar.tsx';
import { useIsPhone } from '#ui/basic/use-media.ts';
import type { AnalyticsSearch } from './analytics-defaults.ts';
import { changed, chosenPeriod, groupingsOf, presetDays } from './analytics-search.ts';
import { downloadAddress, ownTokensQuery, type Shown } from './analytics-api.ts';

const loadPopover = () => import('#ui/table/filter-popover.tsx');
const FilterPopover = lazy(async () => ({ default: (await loadPopover()).FilterPopover }));

interface Props {
  page: Shown;
  /** Source of the dates shown. */
  report: UsageReport | undefined;
  onSearch: (change: Partial<AnalyticsSearch>) => void;
}

/** Period, grouping, and the user, channel or token. */
export function AnalyticsToolbar(props: Props) {
  const phone = useIsPhone();
  const { t } = useTranslation('analytics');
  if (phone)
    return (
      <div className="mb-3 grid grid-cols-1 gap-2">
        <Period {...props} phone />
        <Filters
          {...props}
          field={
            <div className="flex gap-2">
              <Grouping {...props} phone />
              <Dates {...props} />
              <IconButton
                label={t('download')}
                icon={Download}
                variant="default"
                render={<a href={downloadAddress(props.page)} download />}
              />
            </div>
          }
        />
      </div>
    );
  return (
    <div className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-2">
      <div className="flex items-center gap-2">
        <Period {...props} />
        <Dates {...props} />
      </div>
      <div className="flex items-center gap-2">
        <span aria-hidden className="text-13 text-text2">
          {t('by')}
        </span>
        <Grouping {...props} />
      </div>
      <div className="ml-auto">
        <Filters {...props} />
      </div>
    </div>
  );
}

function Period({ page: { search }, onSearch, phone = false }: Props & { phone?: boolean }) {
  const { t } = useTranslation('analytics');
  const chosen = search.from === '' || search.to === '' ? String(search.days) : '';
  return (
    <Segmented
      label={t('period')}
      value={chosen}
      options={presetDays.map((days) => ({
        value: String(days),
        label: t(phone ? `daysShort_${days}` : `days_${days}`),
      }))}
      onChange={(value) => onSearch({ days: Number(value), from: '', to: '', step: '' })}
      className={phone ? 'w-full! *:flex-1 *:justify-center' : undefined}
    />
  );
}

function Grouping({ page: { search, ofHub, by: value }, onSearch, phone = false }: Props & { phone?: boolean }) {
  const { t } = useTranslation('analytics');
  const options = groupingsOf(search, ofHub).map((each) => ({ value: each, label: t(`grouping.${each}`) }));
  if (!phone)
    return <Segmented label={t('byName')} value={value} options={options} onChange={(by) => onSearch({ by })} />;
  return (
    <Select
      aria={{ 'aria-label': t('byName') }}
      value={value}
      options={options.map((option) => ({ ...option, label: `${t('by')} ${option.label}` }))}
      onChange={(by) => onSearch({ by })}
      className="h-10! min-h-0! min-w-0 flex-1"
    />
  );
}

/** The dates on screen; a press opens the choice. */
function Dates({ page: { search }, report, onSearch }: Props) {
  const { t } = useTranslation('analytics');
  const phone = useIsPhone();
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const first = report?.points[0]?.date.slice(0, 10) ?? '';
  const last = report?.points.at(-1)?.date.slice(0, 10) ?? '';
  // A month is one point, so its days come from the request.
  const [from, to] = search.from !== '' && search.to !== '' ? [search.from, search.to] : [first, last];
  const shown = formatDates(from, to, languageTag());
  const filter: FilterDef = { kind: 'range', id: 'time', label: t('period') };
  return (
    <>
      <Button
        ref={button}
        icon={CalendarDays}
        aria-haspopup="dialog"
        aria-expanded={open}
        aria-label={t('dates', { dates: shown })}
        onPointerEnter={() => void loadPopover()}
        onFocus={() => void loadPopover()}
        onClick={() => setOpen(true)}
        className="font-normal! tabular-nums"
      >
        {!phone && <span className="min-w-34 text-left">{shown}</span>}
        <Icon of={ChevronDown} size={14} />
      </Button>
      {open && (
        <Suspense>
          <FilterPopover
            filter={filter}
            value={from !== '' && from.length === 10 ? customRange(from, to) : undefined}
            anchor={button}
            onChange={(value) => onSearch(chosenPeriod(value, last))}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </>
  );
}

type FilterProps = Props & { field?: ReactNode };

const Filters = (props: FilterProps) => (props.page.ofHub ? <HubFilters {...props} /> : <OwnFilters {...props} />);

function OwnFilters({ page: { search }, onSearch, field }: FilterProps) {
  const { t } = useTranslation('analytics');
  const { data: tokens } = useQuery(ownTokensQuery);
  const filters = useMemo(
    (): FilterDef[] => [
      {
        kind: 'options',
        id: 'token_id',
        label: t('token'),
        options: (tokens?.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
      },
    ],
    [t, tokens],
  );
  return (
    <Toolbar
      field={field}
      filters={filters}
      values={{ token_id: search.token_id }}
      onFilter={({ token_id: token }) => onSearch({ token_id: Number(token ?? 0) })}
    />
  );
}

function HubFilters({ page: { search }, onSearch, field }: FilterProps) {
  const { t } = useTranslation('analytics');
  const { data: channels } = useQuery(allChannelsQuery);
  const filters = useMemo(
    (): FilterDef[] => [
      { kind: 'text', id: 'username', label: t('user') },
      {
        kind: 'options',
        id: 'channel_id',
        label: t('channel'),
        options: (channels?.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
      },
    ],
    [t, channels],
  );
  return (
    <Toolbar
      field={field}
      filters={filters}
      values={{ username: search.username, channel_id: search.channel_id }}
      onFilter={(change) => onSearch(changed(search, change))}
    />
  );
}
