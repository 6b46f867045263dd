import { modelPrice, type PriceUnit, type UserGroup } from '@relay-hub/contract';
import { Calculator } from 'lucide-react';
import { memo, Suspense, type ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { languageTag } from '#i18n/i18n.ts';
import { cx } from '#ui/basic/cx.ts';
import { ContextLength } from '#domain/model/context-length.tsx';
import { ModelName } from '#domain/model/model-name.tsx';
import { ModelStatus } from '#domain/model/model-status.tsx';
import { RuleLine } from '#domain/price-rules/lazy-rules.ts';
import { isRuled } from '#domain/price-rules/rules-ahead.ts';
import { IconButton } from '#ui/basic/button.tsx';
import { Amount } from './price-amount.tsx';
import { ChainLine } from './chain-line.tsx';
import { OtherPrices } from './other-prices.tsx';
import { groupNames, type PricedModel } from './price-list-rows.ts';

export interface PriceRowProps {
  model: PricedModel;
  /** Icon of the owner. */
  icon: string | undefined;
  group: UserGroup | undefined;
  groups: Readonly<Record<string, UserGroup>>;
  unit: PriceUnit;
  /** Opens the calculator for a model. */
  onCalculate: (model: string) => void;
}

const head =
  'sticky top-(--sticky-top,0px) z-2 h-9 border-b border-line bg-sunk px-2.5 text-12 font-normal whitespace-nowrap text-text2';
const cell = 'h-11 border-b border-line px-2.5';
/**
 * Class of cells that a narrow list omits, to leave room for model names. A cell that spans
 * columns must not include them, or they would still take space.
 */
export const wide = '@max-[680px]:hidden';
const number = `${cell} text-right tabular-nums whitespace-nowrap`;

export function PriceListHead() {
  const { t } = useTranslation('price');
  return (
    <thead>
      <tr className="[&>*:first-child]:pl-4 [&>*:last-child]:pr-4">
        <th scope="col" className={cx(head, 'rounded-tl-card text-left')}>
          {t('model')}
        </th>
        <th scope="col" className={cx(head, wide, 'w-17 text-left @min-[800px]:w-22')}>
          {t('billing')}
        </th>
        <th scope="col" className={cx(head, 'w-21 text-right @min-[800px]:w-26')}>
          {t('input')}
        </th>
        <th scope="col" className={cx(head, wide, 'w-24 text-right @min-[800px]:w-27')}>
          {t('cachedInput')}
        </th>
        <th scope="col" className={cx(head, 'w-21 text-right @min-[800px]:w-27')}>
          {t('output')}
        </th>
        <th scope="col" className={cx(head, 'w-36 rounded-tr-card text-left @min-[800px]:w-60')}>
          {t('other')}
        </th>
      </tr>
    </thead>
  );
}

/** A model's prices for one group. */
export const PriceListRow = memo(function PriceListRow({
  model: { model, owner, groups: symbols, context, price, chain },
  icon,
  ...props
}: PriceRowProps) {
  const { t } = useTranslation('price');
  const { group, groups, unit, onCalculate } = props;
  const calculate = <CalculateButton model={model} onCalculate={onCalculate} />;
  const served = group !== undefined && symbols.includes(group.symbol);
  const ruled = served && (isRuled(price) || chain !== undefined);
  const row = (
    <tr
      className={cx(
        '[&>*:first-child]:pl-4 [&>*:last-child]:pr-4',
        ruled ? '[&>*]:h-10 [&>*]:border-b-0' : 'hover:bg-hover',
      )}
    >
      <th scope="row" className={cx(cell, 'text-left font-normal', !served && 'text-text2')}>
        <span className="flex max-w-full items-center gap-1">
          <ModelName model={model} owner={owner || undefined} icon={icon} />
          <ModelStatus model={model} />
          <span className={cx(wide, 'ml-1 inline-flex')}>
            {context !== undefined && <ContextLength bare tokens={context} />}
          </span>
        </span>
      </th>
      <td className={cx(cell, wide, 'text-text2')}>{t(price.type === 'times' ? 'byCall' : 'byTokens')}</td>
      {served ? (
        <Prices price={price} ratio={group.ratio} unit={unit} calculate={calculate} />
      ) : (
        <>
          <td className={cx(cell, wide)} />
          <td colSpan={2} className={cx(number, 'text-text2')}>
            {t('notInGroup', { group: group?.name ?? '' })}
          </td>
          <td className={cx(cell, 'truncate text-text2')}>
            {t('inGroups', { groups: groupNames(symbols, groups, languageTag()) })}
          </td>
        </>
      )}
    </tr>
  );
  if (!ruled) return row;
  return (
    <>
      {row}
      <tr>
        {/* Below the name, which starts after the icon. */}
        <td colSpan={4} className="border-b border-line pr-4 pb-2.5 pl-12 text-12 text-text2 tabular-nums">
          {/* Over the empty cell of the columns that a narrow list omits. */}
          <div className="relative @min-[680px]:-mr-57 @min-[800px]:-mr-87">
            <Suspense fallback=" ">
              {isRuled(price) && <RuleLine terms={price} groupRatio={group.ratio} unit={unit} />}
              {isRuled(price) && chain && ' · '}
              {chain && <ChainLine chain={chain} groupRatio={group.ratio} unit={unit} />}
            </Suspense>
          </div>
        </td>
        <td colSpan={2} className={cx('border-b border-line', wide)} />
      </tr>
    </>
  );
});

interface PricesProps {
  price: PricedModel['price'];
  ratio: number;
  unit: PriceUnit;
  calculate: ReactNode;
}

function Prices({ price, ratio, unit, calculate }: PricesProps) {
  const { t } = useTranslation('price');
  const shown = modelPrice(price, ratio, unit);
  if (shown.type === 'times')
    return (
      <>
        <td className={cx(cell, wide)} />
        <td colSpan={2} className={number}>
          <Amount text={shown.call} /> {shown.call !== undefined && <span className="text-text2">{t('aCall')}</span>}
        </td>
        <td className={cell}>
          <span className="flex justify-end">{calculate}</span>
        </td>
      </>
    );
  return (
    <>
      <td className={number}>
        <Amount text={shown.input} />
      </td>
      <td className={cx(number, wide, 'text-text2')}>
        {shown.cached ? <Amount text={shown.cached.text} /> : <Dash />}
      </td>
      <td className={number}>
        <Amount text={shown.output} />
      </td>
      <td className={cx(cell, 'text-text2')}>
        <span className="flex items-center gap-2">
          <span className="line-clamp-2 min-w-0 flex-1 text-12 tabular-nums">
            {shown.cached && (
              <span className="@min-[680px]:hidden">
                <OtherPrices others={[{ ...shown.cached, kind: 'cached' }]} />
              </span>
            )}
            <OtherPrices others={shown.others} />
          </span>
          {calculate}
        </span>
      </td>
    </>
  );
}

function Dash() {
  return (
    <span aria-hidden className="text-text3">
      –
    </span>
  );
}

export function CalculateButton({ model, onCalculate }: Pick<PriceRowProps, 'onCalculate'> & { model: string }) {
  const { t } = useTranslation('price');
  return (
    <IconButton
      label={t('calculate', { name: model })}
      icon={Calculator}
      size="sm"
      className="flex-none"
      onClick={() => onCalculate(model)}
    />
  );
}
