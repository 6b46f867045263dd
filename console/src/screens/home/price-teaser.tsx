import { modelPrice, type PriceUnit } from '@relay-hub/contract';
import { Link, useRouter } from '@tanstack/react-router';
import { Suspense } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useOwners } from '#api/owners.ts';
import { RuleLine } from '#domain/price-rules/lazy-rules.ts';
import { isRuled } from '#domain/price-rules/rules-ahead.ts';
import { ModelName } from '#domain/model/model-name.tsx';
import type { TokenPricedModel } from './available-models.ts';

const perMillion: PriceUnit = { currency: 'USD', per: 1_000_000 };

export function PriceTeaser({ models }: { models: TokenPricedModel[] }) {
  const { t } = useTranslation('home');
  const icons = new Map(useOwners().map(({ name, icon }) => [name, icon]));
  const prices: string = '/price';
  const hasPrices = Object.hasOwn(useRouter().routesByPath, prices);
  return (
    <section aria-labelledby="home-prices" className="min-w-0 pb-12">
      <h2 id="home-prices" className="mb-4 text-20">
        {t('priceTitle')}
      </h2>
      <div className="overflow-hidden rounded-card border border-line bg-card">
        <table className="w-full table-fixed text-13">
          <thead className="bg-sunk text-12 text-text2">
            <tr className="h-9 border-b border-line">
              <th className="px-4 text-left font-normal">{t('priceModel')}</th>
              <th className="w-25 px-2.5 text-right font-normal max-sm:w-18">{t('priceInput')}</th>
              <th className="w-27 px-2.5 text-right font-normal max-sm:hidden">{t('priceCached')}</th>
              <th className="w-25 pr-4 pl-2.5 text-right font-normal max-sm:w-20">{t('priceOutput')}</th>
            </tr>
          </thead>
          <tbody className="tabular-nums">
            {models.map(({ name, owner, price }) => (
              <tr key={name} className="h-11 border-b border-line max-sm:h-13">
                <th className="min-w-0 px-4 py-1.5 text-left text-14 font-normal">
                  <ModelName model={name} owner={owner} icon={icons.get(owner)} />
                  <Rules price={price} />
                </th>
                <Amounts price={price} />
              </tr>
            ))}
          </tbody>
        </table>
        <div className="flex min-h-12 items-center justify-between gap-4 px-4 text-13 text-text2">
          <span>{t('priceUnit')}</span>
          {hasPrices && (
            <Link to={prices} className="text-accent hover:underline">
              {t('priceAll')}
            </Link>
          )}
        </div>
      </div>
    </section>
  );
}

/** Rules and fees in a line; the price page has all of them. */
function Rules({ price }: Pick<TokenPricedModel, 'price'>) {
  if (!isRuled(price)) return null;
  return (
    <span className="block truncate text-12 text-text2">
      <Suspense fallback=" ">
        <RuleLine terms={price} groupRatio={1} unit={perMillion} />
      </Suspense>
    </span>
  );
}

/** Amounts at group ratio 1. */
function Amounts({ price }: Pick<TokenPricedModel, 'price'>) {
  const { t } = useTranslation('home');
  const shown = modelPrice(price, 1, perMillion);
  if (shown.type === 'times') return null;
  return (
    <>
      <td className="px-2.5 text-right">{shown.input ?? t('free')}</td>
      <td className="px-2.5 text-right text-text2 max-sm:hidden">
        {shown.cached ? (shown.cached.text ?? t('free')) : ''}
      </td>
      <td className="pr-4 pl-2.5 text-right">{shown.output ?? t('free')}</td>
    </>
  );
}
