import { explainCharge, noUsage, type ChargePart, type Usage } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { useUserGroups } from '#api/user-groups.ts';
import { Money } from '#ui/format/money.tsx';
import { ModelName } from '#domain/model/model-name.tsx';
import { formatPlain, formatWhole } from '#ui/format/number.ts';
import type { TokenPricedModel } from './available-models.ts';

function sampleUsage({ price }: TokenPricedModel): Usage {
  const asAnthropic = price.extra_ratios?.cached_read_ratio !== undefined;
  const cached = asAnthropic ? { cacheRead: 18_944, cacheWrite: 2_048 } : { cached: 18_944 };
  return { ...noUsage, input: 3_412, ...cached, output: 1_286 };
}

/** The charge of an example call, computed by the code that also charges real ones. */
export function ChargeExample({ model }: { model: TokenPricedModel }) {
  const { t } = useTranslation('home');
  const ratio = useUserGroups()['default']?.ratio ?? 1;
  const { parts, subtotal, rounding, credits } = explainCharge(model.price, ratio, sampleUsage(model));
  const exact = formatPlain(Number(subtotal));
  return (
    <section aria-labelledby="home-charge" className="flex min-w-0 flex-col">
      <h2 id="home-charge" className="mb-4 text-20">
        {t('chargeTitle')}
      </h2>
      <div className="flex flex-1 flex-col rounded-card border border-line bg-card px-5 tabular-nums">
        <div className="flex min-h-12 flex-wrap items-center justify-between gap-x-3 border-b border-line text-14">
          <ModelName model={model.name} owner={model.owner} />
          <span className="text-12 text-text3">{t('chargeFormula')}</span>
        </div>
        <dl>
          {parts.map((part) => (
            <Part key={part.kind} part={part} group={ratio} />
          ))}
        </dl>
        <div className="flex min-h-14 flex-1 flex-wrap items-center justify-between gap-x-4">
          <span className="text-13 text-text2">
            {rounding === '0'
              ? t('chargeExact', { credits: formatWhole(credits) })
              : t('chargeRounded', { exact, credits: formatWhole(credits) })}
          </span>
          <Money credits={credits} exact className="text-16 font-medium" />
        </div>
      </div>
    </section>
  );
}

function Part({ part: { kind, count, ratio, credits }, group }: { part: ChargePart; group: number }) {
  const { t } = useTranslation('home');
  return (
    <div className="flex h-11 items-center gap-2 border-b border-line text-13">
      <dt className="w-24 flex-none truncate text-text2">{t(`charge.${kind}`)}</dt>
      <dd className="flex min-w-0 flex-1 justify-between gap-2">
        <span className="truncate text-text3">
          {formatWhole(count)} × {ratio} × {group}
        </span>
        <span>{formatPlain(Number(credits))}</span>
      </dd>
    </div>
  );
}
