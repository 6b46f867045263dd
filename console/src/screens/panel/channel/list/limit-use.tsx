import type { ChannelLimitUse } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { amountText, capText, NEAR, shareOf, tightest } from '#domain/token/limit-words.ts';
import { useSiteFormat } from '#ui/format/site-format.ts';
import { Tooltip } from '#ui/overlay/tooltip.tsx';
import LimitUseList from './limit-use-list.tsx';

/** The limit of which most is used, as "63 of 100 requests a minute"; all of them in the tooltip. */
export default function LimitUse({ uses }: { uses: readonly ChannelLimitUse[] }) {
  const { t } = useTranslation('token');
  const money = useSiteFormat();
  const first = tightest(uses);
  if (!first) return null;
  const share = shareOf(first);
  return (
    <Tooltip
      text={
        <span className="block w-64 py-1">
          <LimitUseList uses={uses} />
        </span>
      }
    >
      <span className={share >= 1 ? 'text-bad' : share >= NEAR ? 'text-warn' : undefined}>
        {amountText(first.measure, first.used, money)} {t('ofCap', { cap: capText(first, t, money) })}
      </span>
    </Tooltip>
  );
}
