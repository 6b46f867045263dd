import { creditsFor, noUsage, ratesOf, type PriceTerms } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from '#i18n/use-translation.ts';
import { useNamedGroup } from '#api/user-groups.ts';
import { DrawerSection } from '#ui/overlay/drawer-section.tsx';
import { Money } from '#ui/format/money.tsx';
import { formatPlain } from '#ui/format/number.ts';
import { allGroups } from '#screens/panel/pricing/pricing-api.ts';

const sample = { ...noUsage, input: 10_000, output: 2000 };

interface Props {
  before: PriceTerms | undefined;
  /** Undefined while the form is invalid. */
  after: PriceTerms | undefined;
}

/** Cost of an example call for each group, now and after saving. */
export function CallCost({ before, after }: Props) {
  const { t } = useTranslation('pricing');
  const groups = (useQuery(allGroups).data?.data ?? []).map(useNamedGroup());
  const cost = (terms: PriceTerms | undefined, ratio: number) =>
    terms ? <Money credits={creditsFor(ratesOf(terms, ratio), sample)} exact /> : '–';
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
    </DrawerSection>
  );
}
