import { modelPrice } from '@relay-hub/contract';
import { memo, Suspense } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { languageTag } from '#i18n/i18n.ts';
import { cx } from '#ui/basic/cx.ts';
import { ContextLength } from '#domain/model/context-length.tsx';
import { ModelName } from '#domain/model/model-name.tsx';
import { Amount } from './price-amount.tsx';
import { CalculateButton, type PriceRowProps } from './price-list-row.tsx';
import { RuleList } from '#domain/price-rules/lazy-rules.ts';
import { isRuled } from '#domain/price-rules/rules-ahead.ts';
import { ChainLine } from './chain-line.tsx';
import { OtherPrices } from './other-prices.tsx';
import { groupNames } from './price-list-rows.ts';

/** A model's prices on a phone. */
export const PriceCard = memo(function PriceCard({
  model: { model, owner, groups: symbols, context, price, chain },
  icon,
  ...props
}: PriceRowProps) {
  const { t } = useTranslation('price');
  const { group, groups, unit, onCalculate } = props;
  const served = group !== undefined && symbols.includes(group.symbol);
  return (
    <li className="border-b border-line px-3.5 py-2.5 last:border-b-0">
      <div className={cx('flex min-w-0 items-center gap-2 text-15', !served && 'text-text2')}>
        <span className="min-w-0 flex-1">
          <ModelName model={model} owner={owner || undefined} icon={icon} />
        </span>
        {context !== undefined && <ContextLength bare tokens={context} />}
        {served && <CalculateButton model={model} onCalculate={onCalculate} />}
      </div>
      {served ? (
        <>
          <Facts shown={modelPrice(price, group.ratio, unit)} />
          {chain && (
            <p className="mt-0.5 text-12 text-text2">
              <ChainLine chain={chain} groupRatio={group.ratio} unit={unit} />
            </p>
          )}
          {isRuled(price) && (
            <Suspense fallback=" ">
              <RuleList terms={price} groupRatio={group.ratio} unit={unit} className="mt-0.5 text-12 text-text2" />
            </Suspense>
          )}
        </>
      ) : (
        <p className="mt-1 text-13 text-text2">
          {t('notInGroup', { group: group?.name ?? '' })} ·{' '}
          {t('inGroups', { groups: groupNames(symbols, groups, languageTag()) })}
        </p>
      )}
    </li>
  );
});

function Facts({ shown }: { shown: ReturnType<typeof modelPrice> }) {
  const { t } = useTranslation('price');
  if (shown.type === 'times')
    return (
      <p className="mt-1 text-13 tabular-nums">
        <span className="text-text2">{t('byCall')}</span> <Amount text={shown.call} />
      </p>
    );
  const facts = [
    { name: t('input'), text: shown.input },
    ...(shown.cached ? [{ name: t('cached'), text: shown.cached.text }] : []),
    { name: t('output'), text: shown.output },
  ];
  return (
    <>
      <dl className="mt-1 flex flex-wrap gap-x-2 text-13 tabular-nums">
        {facts.map(({ name, text }) => (
          <div key={name} className="flex shrink-0 basis-[calc((100%-1rem)/3)] gap-x-1.5 whitespace-nowrap">
            <dt className="text-text2">{name}</dt>
            <dd>
              <Amount text={text} />
            </dd>
          </div>
        ))}
      </dl>
      {shown.others.length > 0 && (
        <p className="mt-0.5 text-12 text-text2 tabular-nums">
          <OtherPrices others={shown.others} />
        </p>
      )}
    </>
  );
}
