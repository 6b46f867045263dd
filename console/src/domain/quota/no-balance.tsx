import { Link } from '@tanstack/react-router';
import { Wallet } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSelf } from '#api/self.ts';
import { Button } from '#ui/basic/button.tsx';
import { Icon } from '#ui/basic/icon.tsx';
import { Money } from '#ui/format/money.tsx';
import { TextWithElements } from '#ui/format/text-with-elements.tsx';

/** Warns that calls are refused while the balance is empty, with a link to top up. */
export function NoBalance() {
  const { t } = useTranslation('shared');
  const { data: self } = useSelf();
  if (!self || self.quota > 0) return null;
  return (
    <div
      role="status"
      className="mb-4 flex items-center gap-3 rounded-card border border-line bg-warn-soft px-4 py-2.5 text-13 text-warn max-sm:mb-2 max-sm:flex-wrap"
    >
      <NoBalanceText credits={self.quota} />
      <Button size="sm" render={<Link to="/panel/topup" />}>
        {t('topUp')}
      </Button>
    </div>
  );
}

/** The warning without its frame, for a card whose content says how to top up. */
export function NoBalanceText({ credits }: { credits: number }) {
  const { t } = useTranslation('shared');
  return (
    <>
      <Icon of={Wallet} />
      <span className="min-w-0 flex-1 break-words">
        <TextWithElements
          text={t('noBalance')}
          parts={{ balance: <Money credits={credits} className="font-title" /> }}
        />
      </span>
    </>
  );
}
