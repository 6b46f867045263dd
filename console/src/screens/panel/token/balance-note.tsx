import { useTranslation } from 'react-i18next';
import { useSelf } from '#api/self.ts';
import { Money } from '#ui/format/money.tsx';

/** That a token's quota is only a limit, and what pays for its calls. */
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
