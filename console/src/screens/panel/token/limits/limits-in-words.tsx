import { noLimits, type TokenLimits } from '@relay-hub/contract';
import { useWatch, type Control } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { Note } from '#ui/feedback/note.tsx';
import { useSiteFormat } from '#ui/format/site-format.ts';
import type { TokenInput, TokenValues } from '../token-rules.ts';
import { limitsInWords } from '#domain/token/limit-words.ts';

const wholeLimits = (limits: TokenInput['limits']): TokenLimits => ({
  ...noLimits,
  caps: limits?.caps ?? [],
  models: limits?.models ?? [],
  endpoints: limits?.endpoints ?? [],
  addresses: limits?.addresses ?? [],
  provider: limits?.provider,
});

/** The limits of the form in one sentence. */
export function LimitsInWords({ control }: { control: Control<TokenInput, unknown, TokenValues> }) {
  const { t } = useTranslation('token');
  const money = useSiteFormat();
  const [limits, unlimited, total, expires] = useWatch({
    control,
    name: ['limits', 'unlimited_quota', 'remain_quota', 'expired_time'],
  });
  const words = limitsInWords(
    { limits: wholeLimits(limits), total: unlimited ? undefined : (total ?? 0), expires: expires ?? -1 },
    t,
    money,
  );
  return (
    <Note>
      <strong className="font-title">{t('inWords')}</strong> {words === '' ? t('withoutLimits') : words}
    </Note>
  );
}
