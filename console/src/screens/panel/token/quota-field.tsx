import { useWatch, type Control } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSelf } from '#api/self.ts';
import { FormMoney } from '#ui/form/form-number.tsx';
import { FormSwitch } from '#ui/form/form-switch.tsx';
import { Money } from '#ui/format/money.tsx';
import type { TokenInput, TokenValues } from './token-rules.ts';

interface Props {
  control: Control<TokenInput, unknown, TokenValues>;
  /** Credits spent by an existing token. */
  used: number | undefined;
  /** The token belongs to another account: the viewer's balance does not matter. */
  foreign?: boolean | undefined;
}

/** Credits that the token may still spend. */
export function QuotaField({ control, used, foreign = false }: Props) {
  const { t } = useTranslation('token');
  const unlimited = useWatch({ control, name: 'unlimited_quota' });
  const { data: self } = useSelf();
  const [before, after] = t('quotaHint').split('{balance}');
  return (
    <div className="grid grid-cols-1 gap-2">
      <FormSwitch
        control={control}
        name="unlimited_quota"
        label={t('unlimitedQuota')}
        hint={
          !foreign &&
          self && (
            <>
              {before}
              <Money credits={self.quota} />
              {after}
            </>
          )
        }
      />
      {!unlimited && (
        <FormMoney
          control={control}
          name="remain_quota"
          label={t(used === undefined ? 'quota' : 'quotaLeft')}
          hint={
            used !== undefined && (
              <>
                {t('usedSoFar')} <Money credits={used} />
              </>
            )
          }
        />
      )}
    </div>
  );
}
