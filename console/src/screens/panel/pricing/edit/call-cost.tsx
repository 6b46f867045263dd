import {
  creditsFor,
  exactCredits,
  noUsage,
  type PriceTerms,
  type PurchaseOffer,
  purchasePriceApi,
  ratesOf,
  rulesFor,
} from '@relay-hub/contract';
import { ChevronDown } from 'lucide-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useNamedGroup } from '#api/user-groups.ts';
import { DrawerSection } from '#ui/overlay/drawer-section.tsx';
import { PriceCalculator } from '#domain/charge/price-calculator.tsx';
import { Icon } from '#ui/basic/icon.tsx';
import { Money } from '#ui/format/money.tsx';
import { apiQuery } from '#api/api-query.ts';
import { cx } from '#ui/basic/cx.ts';
import { formatPercent, formatPlain } from '#ui/format/number.ts';
import { allGroups } from '#screens/panel/pricing/pricing-api.ts';

const sample = { ...noUsage, input: 10_000, output: 2000 };

/** Rules that hold for the sample, served as usual and now. */
const rulesNow = ({ rules = [] }: PriceTerms) =>
  rulesFor(rules, {
    modes: [],
    region: undefined,
    promptTokens: sample.input,
    reasoning: false,
    at: Math.floor(Date.now() / 1000),
  });

interface Props {
  before: PriceTerms | undefined;
  /** Undefined while the form is invalid. */
  after: PriceTerms | undefined;
  /** Its first model, for which channels may have purchase prices. */
  model: string;
}

/** Cost of an example call for each group, now and after saving. */
export function CallCost({ before, after, model }: Props) {
  const { t } = useTranslation(['pricing', 'charge', 'priceEdit']);
  const [calculating, setCalculating] = useState(false);
  const groups = (useQuery(allGroups).data?.data ?? []).map(useNamedGroup());
  const bought = useDearest(model, after);
  const cost = (terms: PriceTerms | undefined, ratio: number) =>
    terms ? <Money credits={creditsFor(ratesOf(terms, ratio, rulesNow(terms)), sample)} exact /> : '–';
  const head = 'h-9 border-b border-line bg-sunk px-3 text-12 font-normal text-text2';
  const cell = 'h-9 border-b border-line px-3 tabular-nums';
  return (
    <DrawerSection title={t('costTitle')} text={t(after?.type === 'times' ? 'costTextCall' : 'costText')}>
      <div className="overflow-hidden rounded-card border border-line">
        <table className="w-full border-separate border-spacing-0 text-13 [&_tr:last-child>*]:border-b-0">
          <thead>
            <tr>
              <th scope="col" className={`${head} text-left`}>
                {t('group')}
              </th>
              <th scope="col" className={`${head} text-right`}>
                {t('groupRatio')}
              </th>
              {before && (
                <th scope="col" className={`${head} text-right`}>
                  {t('now')}
                </th>
              )}
              <th scope="col" className={`${head} text-right`}>
                {t('afterSaving')}
              </th>
              {bought && (
                <th scope="col" className={`${head} text-right`}>
                  {t('margin')}
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {groups.map(({ id, name, ratio }) => (
              <tr key={id}>
                <th scope="row" className={`${cell} text-left font-normal`}>
                  {name}
                </th>
                <td className={`${cell} text-right whitespace-nowrap`}>× {formatPlain(ratio)}</td>
                {before && <td className={`${cell} text-right text-text2`}>{cost(before, ratio)}</td>}
                <td className={`${cell} text-right`}>{cost(after, ratio)}</td>
                {bought && after && (
                  <MarginCell
                    className={cell}
                    charge={creditsFor(ratesOf(after, ratio, rulesNow(after)), sample)}
                    cost={bought.cost}
                  />
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="-mt-2 text-12 text-text3">
        {bought && `${t('marginText', { name: bought.channel })} `}
        {t('running')}
      </p>
      {after && (
        <details
          className="group rounded-card border border-line"
          onToggle={(event) => setCalculating(event.currentTarget.open)}
        >
          <summary className="flex h-10 list-none items-center gap-2 rounded-card px-3 text-13 [&::-webkit-details-marker]:hidden">
            {t('charge:calculator')}
            <span className="text-text2 max-sm:hidden">{t('priceEdit:calculatorText')}</span>
            <Icon of={ChevronDown} className="ml-auto transition-transform group-open:rotate-180" />
          </summary>
          <div className="border-t border-line p-3">
            {calculating && <PriceCalculator terms={after} groups={groups} group={undefined} />}
          </div>
        </details>
      )}
    </DrawerSection>
  );
}

interface Bought {
  channel: string;
  /** Credits for the sample. */
  cost: number;
}

/** The enabled channel that pays most for the sample, of those whose cost is known. */
function useDearest(model: string, after: PriceTerms | undefined): Bought | undefined {
  const { data } = useQuery({
    ...apiQuery(purchasePriceApi.offers, { query: { model } }),
    enabled: model !== '',
    staleTime: 30_000,
    meta: { quiet: true },
  });
  const costOf = ({ own, rate }: PurchaseOffer): number | undefined => {
    const terms = own ?? after;
    return terms && Number(exactCredits(ratesOf(terms, rate, rulesNow(terms)), sample));
  };
  let dearest: Bought | undefined;
  for (const offer of data ?? []) {
    const cost = costOf(offer);
    if (cost !== undefined && cost > (dearest?.cost ?? -1)) dearest = { channel: offer.channel, cost };
  }
  return dearest;
}

function MarginCell({ charge, cost, className }: { charge: number; cost: number; className: string }) {
  const share = charge === 0 ? undefined : 1 - cost / charge;
  const isLoss = share === undefined ? cost > 0 : share < 0;
  return (
    <td className={cx(className, 'text-right whitespace-nowrap', isLoss && 'text-bad')}>
      {share === undefined ? '–' : formatPercent(share, 1)}
    </td>
  );
}
