import { useTranslation } from '#i18n/use-translation.ts';
import { PageHeader } from '#ui/basic/page-header.tsx';
import { BalanceCard } from './balance-card.tsx';
import { InviteCard } from './invite-card.tsx';
import { RecentCredits } from './recent-credits.tsx';
import { RedeemCard } from './redeem-card.tsx';

export function TopupScreen() {
  const { t } = useTranslation('topup');
  return (
    <>
      <PageHeader title={t('title')} text={t('text')} />
      <div className="grid gap-4 max-sm:gap-2 lg:grid-cols-[minmax(0,1fr)_376px]">
        <div className="lg:order-last">
          <BalanceCard />
        </div>
        <div className="flex min-w-0 flex-col gap-4 max-sm:gap-2">
          <RedeemCard />
          <InviteCard />
        </div>
      </div>
      <RecentCredits />
    </>
  );
}
