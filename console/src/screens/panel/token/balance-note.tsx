import { useTranslation } from '#i18n/use-translation.ts';
import { useSelf } from '#api/self.ts';
import { Money } from '#ui/format/money.tsx';

/** Explains that a token's quota is a limit and that calls are paid from the balance. */
export function BalanceNote() {
  const { t } = useTranslation('token');
  const { data: self } = useSelf();
  const [before, after] = t('balanceNote').split('{balance}');
  return (
    self && (
      <>
        {before}
        <Money credits={self.quota} />
        {after}
      </>
    )
  );
}
