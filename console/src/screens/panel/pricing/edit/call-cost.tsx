import { creditsFor, noUsage, ratesOf, rulesFor, type PriceTerms } from '@relay-hub/contract';
import { ChevronDown } from 'lucide-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useNamedGroup } from '#api/user-groups.ts';
import { DrawerSection } from '#ui/overlay/drawer-section.tsx';
import { PriceCalculator } from '#domain/charge/price-calculator.tsx';
import { Icon } from '#ui/basic/icon.tsx';
import { Money } from '#ui/format/money.tsx';
import { formatPlain } from '#ui/format/number.ts';
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
}

/** Cost of an example call for each group, now and after saving. */
export function CallCost({ before, after }: Props) {
  const { t } = useTranslation(['pricing', 'charge', 'priceEdit']);
  const [calculating, setCalculating] = useState(false);
  const groups = (useQuery(allGroups).data?.data ?? []).map(useNamedGroup());
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
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="-mt-2 text-12 text-text3">{t('running')}</p>
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
