import { redemptionStatus } from '@relay-hub/contract';
import { useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { filterToolbar } from '#list/list-filters.ts';
import type { FilterDef } from '#ui/table/filter.ts';
import type { ToolbarProps } from '#ui/table/toolbar.tsx';
import { IconButton } from '#ui/basic/button.tsx';
import { Money } from '#ui/format/money.tsx';
import { formatWhole } from '#ui/format/number.ts';
import { countCodes, downloadAddress, redemptionTotals } from './redemption-api.ts';
import { noFilters, type RedemptionFilter } from './redemption-defaults.ts';
import { withMaskedCode } from './redemption-search.ts';

const states = ['enabled', 'used', 'disabled', 'expired'] as const;

export function useRedemptionToolbar(
  filter: RedemptionFilter,
  onChange: (filter: RedemptionFilter) => void,
  /** Nothing was found, so no sum is shown. */
  none: boolean,
): ToolbarProps {
  const { t } = useTranslation('redemption');
  const filters = useMemo(
    (): FilterDef[] => [
      {
        kind: 'options',
        id: 'status',
        label: t('status'),
        pinned: true,
        options: states.map((state) => ({ value: redemptionStatus[state], label: t(`states.${state}`) })),
      },
      { kind: 'range', id: 'time', label: t('createdTime') },
      { kind: 'text', id: 'created_by', label: t('createdBy') },
      { kind: 'text', id: 'redeemed_by', label: t('redeemedBy') },
    ],
    [t],
  );
  return {
    ...filterToolbar({
      none: noFilters,
      search: filter,
      field: 'keyword',
      placeholder: t('search'),
      filters,
      onChange: (next) => onChange(withMaskedCode(next)),
      count: countCodes,
    }),
    aside: !none && <RedemptionSum filter={filter} />,
  };
}

/** Number and value of the unredeemed codes found, with a download. */
function RedemptionSum({ filter }: { filter: RedemptionFilter }) {
  const { t } = useTranslation('redemption');
  const { data } = useQuery(redemptionTotals(filter));
  const found = data && Object.values(data).some(({ count }) => count > 0);
  if (!found) return null;
  const [before, after] = t('open', { total: formatWhole(data.unredeemed.count) }).split('{sum}');
  return (
    <span className="inline-flex items-center gap-1">
      <span>
        {before}
        <Money credits={data.unredeemed.quota} />
        {after}
      </span>
      <IconButton label={t('download')} icon={Download} render={<a href={downloadAddress(filter)} download />} />
    </span>
  );
}
