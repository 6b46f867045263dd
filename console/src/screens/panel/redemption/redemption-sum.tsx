import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { IconButton } from '#ui/basic/button.tsx';
import { Money } from '#ui/format/money.tsx';
import { formatWhole } from '#ui/format/number.ts';
import { downloadAddress, redemptionTotals } from './redemption-api.ts';
import type { RedemptionFilter } from './redemption-defaults.ts';

/** Number and value of the unredeemed codes found, with a download. */
export function RedemptionSum({ filter }: { filter: RedemptionFilter }) {
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
