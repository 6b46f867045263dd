import type { TokenLimits } from '@relay-hub/contract';
import type { UseFormReturn } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { creditsOf } from '#ui/format/money.ts';
import { useSiteFormat, type MoneyFormat } from '#ui/format/site-format.ts';
import type { TokenInput, TokenValues } from '../token-rules.ts';

const presetNames = ['blank', 'member', 'agent', 'ci', 'trial'] as const;
type PresetName = (typeof presetNames)[number];

interface Preset {
  caps: TokenLimits['caps'];
  /** Days until it expires; undefined: never. */
  days?: number;
  /** Dollars in total; undefined: unlimited. */
  total?: number;
  endpoints?: TokenLimits['endpoints'];
}

function presetsOf(money: MoneyFormat): Record<PresetName, Preset> {
  const dollars = (amount: number) => creditsOf(amount, money);
  return {
    blank: { caps: [] },
    member: {
      caps: [
        { measure: 'credits', period: 'month', amount: dollars(50) },
        { measure: 'requests', period: 'minute', amount: 60 },
      ],
    },
    agent: {
      caps: [
        { measure: 'credits', period: 'five_hours', amount: dollars(10) },
        { measure: 'credits', period: 'week', amount: dollars(100) },
        { measure: 'calls', period: 'at_once', amount: 16 },
      ],
    },
    ci: {
      caps: [
        { measure: 'credits', period: 'day', amount: dollars(5) },
        { measure: 'requests', period: 'minute', amount: 60 },
        { measure: 'calls', period: 'at_once', amount: 8 },
      ],
      days: 90,
    },
    trial: {
      caps: [
        { measure: 'credits', period: 'day', amount: dollars(0.5) },
        { measure: 'requests', period: 'minute', amount: 10 },
      ],
      days: 7,
      total: 2,
      endpoints: ['chat', 'embeddings'],
    },
  };
}

const daysAhead = (days: number): number => Math.floor(Date.now() / 1000) + days * 86_400;

/** Fills the limits of a new token for a common purpose. */
export function TokenPresets({ form }: { form: UseFormReturn<TokenInput, unknown, TokenValues> }) {
  const { t } = useTranslation('token');
  const money = useSiteFormat();
  const choose = (name: PresetName) => {
    const { caps, days, total, endpoints = [] } = presetsOf(money)[name];
    const set = { shouldDirty: true, shouldValidate: true } as const;
    form.setValue('limits.caps', caps, set);
    form.setValue('limits.endpoints', endpoints, set);
    form.setValue('expired_time', days === undefined ? -1 : daysAhead(days), set);
    form.setValue('unlimited_quota', total === undefined, set);
    if (total !== undefined) form.setValue('remain_quota', creditsOf(total, money), set);
  };
  return (
    <div role="group" aria-label={t('startFrom')} className="flex flex-wrap items-center gap-2">
      <span className="mr-1 text-13 text-text2">{t('startFrom')}</span>
      {presetNames.map((name) => (
        <Button key={name} size="sm" onClick={() => choose(name)}>
          {t(`presets.${name}`)}
        </Button>
      ))}
    </div>
  );
}
