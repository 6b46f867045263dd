import { callPriceText, priceText, type PriceTerms } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { formatPlain, formatWhole } from '#ui/format/number.ts';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { Time } from '#ui/format/time.tsx';
import { RuleList } from '#domain/price-rules/rule-summary.tsx';
import { ExtraCell, TypeCell } from '#screens/panel/pricing/price-cells.tsx';
import { versionsOf } from '#screens/panel/pricing/pricing-api.ts';
import { unitOf } from '#screens/panel/pricing/pricing-search.ts';

const unit = unitOf('USD1M');

/** Every version of a model's price: period, terms, author. */
export function PriceHistory({ model, onClose }: { model: string; onClose: () => void }) {
  const { t } = useTranslation('pricing');
  const body = useRef<HTMLDivElement>(null);
  const { data, error, isFetching, refetch } = useQuery(versionsOf(model));
  return (
    <Dialog title={t('historyOf', { name: model })} width={900} initialFocus={body} onClose={onClose}>
      <div ref={body} tabIndex={-1} className="outline-none">
        {error && !data && <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />}
        {!data && !error && <Skeleton width="60%" />}
        {data && (
          <ol className="-mx-2 max-h-[60dvh] overflow-y-auto" tabIndex={0} aria-label={t('historyOf', { name: model })}>
            {data.map((each) => (
              <li
                key={each.version}
                className="grid grid-cols-[84px_168px_1fr_auto] items-center gap-x-4 gap-y-0.5 border-b border-line px-2 py-2.5 text-13 last:border-b-0 max-sm:grid-cols-[1fr_auto]"
              >
                <span className="tabular-nums">
                  #{formatWhole(each.version)}
                  {each.valid_to === null && <span className="ml-1.5 text-12 text-ok">{t('inForce')}</span>}
                </span>
                <span className="flex flex-col text-12 text-text2">
                  <Time at={each.valid_from} />
                  {each.valid_to !== null && (
                    <span>
                      – <Time at={each.valid_to} />
                    </span>
                  )}
                </span>
                <span className="flex min-w-0 flex-col tabular-nums max-sm:col-span-full">
                  <span className="flex gap-3">
                    <TypeCell type={each.type} />
                    <span>
                      {formatPlain(each.input, 10)}
                      {each.type === 'tokens' && ` / ${formatPlain(each.output, 10)}`}
                    </span>
                    <span className="text-text2">{moneyOf(each)}</span>
                  </span>
                  <span className="text-12 text-text2">
                    <ExtraCell terms={each} unit={unit} />
                  </span>
                  <RuleList terms={each} groupRatio={1} unit={unit} className="text-12 text-text2" />
                </span>
                <span className="text-right text-12 text-text2 max-sm:col-span-full max-sm:text-left">
                  {each.actor || t('server')} · {t(`sources.${each.source}`)}
                </span>
              </li>
            ))}
          </ol>
        )}
      </div>
    </Dialog>
  );
}

/** Amounts of a version's ratios; empty if it was free. */
function moneyOf({ type, input, output }: PriceTerms): string {
  const sides = type === 'times' ? [callPriceText([input], unit.currency)] : [input, output].map(tokenPrice);
  return sides.every((side) => side === undefined) ? '' : sides.map((side) => side ?? '0').join(' / ');
}

const tokenPrice = (ratio: number): string | undefined => priceText([ratio], unit);
